#include "base/escape.h"

#include "base/text.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* U+FFFD, the replacement character. */
#define REPLACEMENT "\xef\xbf\xbd"

/*
 * Decodes one UTF-8 sequence (RFC 3629, section 4: no overlong forms, no surrogates). Returns its
 * length and sets *code, or returns 0 for an invalid one.
 */
static size_t
utf8_decode(const unsigned char *s, size_t len, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n;

	if (s[0] < 0x80) {
		*code = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	uint32_t c = s[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return n;
}

/*
 * Whether a character is not seen, but makes names differ or changes how others are shown:
 * Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), which includes the
 * bidirectional marks and overrides, and the annotation characters.
 */
static bool
is_invisible(uint32_t c)
{
	static const struct {
		uint32_t first;
		uint32_t last;
	} ranges[] = {
		{0x00ad, 0x00ad},
		{0x034f, 0x034f},
		{0x061c, 0x061c},
		{0x115f, 0x1160},
		{0x17b4, 0x17b5},
		{0x180b, 0x180f},
		{0x200b, 0x200f},
		{0x202a, 0x202e},
		{0x2060, 0x206f},
		{0x3164, 0x3164},
		{0xfe00, 0xfe0f},
		{0xfeff, 0xfeff},
		{0xffa0, 0xffa0},
		{0xfff0, 0xfffb},
		{0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a},
		{0xe0000, 0xe0fff},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]) && c >= ranges[i].first; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
}

/* Whether a character is no text: a control character, a line end, no character at all, invisible.
 */
static bool
is_unreadable(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff || c == 0x2028 ||
	       c == 0x2029 || is_invisible(c);
}

/* The length of the UTF-8 sequence at `s`; sets *readable to whether it may be shown as it is. */
static size_t
utf8_step(const char *s, size_t len, bool *readable)
{
	uint32_t code;
	size_t n = utf8_decode((const unsigned char *)s, len, &code);

	*readable = n > 0 && !is_unreadable(code);
	return n > 0 ? n : 1;
}

/*
 * The length of the white space character at `text`; 0 where there is none. As .NET's
 * String.TrimStart() has it, which the runner trims the lines of a log with: more than ASCII's.
 */
static size_t
white_space(const char *text, size_t len)
{
	uint32_t code;
	size_t n = utf8_decode((const unsigned char *)text, len, &code);

	if (n == 0)
		return 0;
	const bool white = code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 ||
			   code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
			   code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
			   code == 0x3000 || code == 0xfeff;

	return white ? n : 0;
}

/* Whether a terminal or a runner ends a line with this character. */
static bool
ends_line(char c)
{
	return c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/*
 * The offset of the '[' of "##[", "##vso[", "##teamcity[" and the like; 0: that is not there.
 * Characters that are not seen may stand between: .NET's String.IndexOf(), by which Azure's agent
 * finds its commands, passes over them.
 */
static size_t
marked_bracket(const char *text, size_t len)
{
	unsigned marks = 0;
	size_t at = 0;

	while (at < len) {
		bool readable;
		const size_t n = utf8_step(text + at, len - at, &readable);

		if (!readable && marks > 0 && !ends_line(text[at])) {
			at += n;
			continue;
		}
		if (marks < 2 ? text[at] != '#' : !text_is_letter(text[at]))
			break;
		marks += marks < 2;
		at++;
	}
	return marks == 2 && at < len && text[at] == '[' ? at : 0;
}

void
escape_commands(char *text, size_t len)
{
	bool at_start = true;

	for (size_t i = 0; i < len;) {
		const size_t white = at_start ? white_space(text + i, len - i) : 0;

		if (white > 0) {
			i += white;
			continue;
		}
		if (at_start && len - i >= 2 && memcmp(text + i, "::", 2) == 0)
			text[i] = '?';
		const size_t bracket = marked_bracket(text + i, len - i);

		if (bracket > 0)
			text[i + bracket] = '?';
		at_start = ends_line(text[i]);
		i++;
	}
}

void
escape_terminal(char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		bool readable;
		size_t n = utf8_step(text + i, len - i, &readable);

		if (!readable && text[i] != '\n' && text[i] != '\t')
			memset(text + i, '?', n);
		i += n;
	}
	escape_commands(text, len);
}

static const char *
xml_reference(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The number of bytes from `at` on that are ASCII and need no escape in any format. */
static size_t
plain_run(const char *at, size_t len)
{
	size_t n = 0;

	while (n < len && ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= '0' && at[n] <= ':') ||
				  (at[n] >= 'A' && at[n] <= 'Z')))
		n++;
	return n;
}

/* Appends valid UTF-8, with XML's references if `xml`, and a backslash before `backslashed` ones.
 */
static void
escape_with(struct buf *out, const char *text, size_t len, bool xml, const char *backslashed)
{
	for (size_t i = 0; i < len;) {
		size_t plain = plain_run(text + i, len - i);

		buf_put(out, text + i, plain);
		i += plain;
		if (i == len)
			break;
		bool readable;
		size_t n = utf8_step(text + i, len - i, &readable);
		const char *reference = xml ? xml_reference(text[i]) : NULL;

		if (!readable) {
			buf_puts(out, REPLACEMENT);
		} else if (reference) {
			buf_puts(out, reference);
		} else {
			if (backslashed && n == 1 && strchr(backslashed, text[i]))
				buf_putc(out, '\\');
			buf_put(out, text + i, n);
		}
		i += n;
	}
}

void
escape_xml(struct buf *out, const char *text, size_t len)
{
	escape_with(out, text, len, true, NULL);
}

void
escape_utf8(struct buf *out, const char *text, size_t len)
{
	escape_with(out, text, len, false, NULL);
}

void
escape_markdown(struct buf *out, const char *text, size_t len)
{
	escape_with(out, text, len, true, "\\`*_{}[]()#+-.!|~@");
}

/* Whether GitHub takes the text for the begin of a name, a reference, an address or a formula. */
static bool
begins_mark(const char *text, size_t len)
{
	return *text == '@' || *text == '#' || *text == '$' ||
	       (len > 1 && strncmp(text, ":/", 2) == 0) ||
	       (len > 2 && (strncasecmp(text, "gh-", 3) == 0 || strncasecmp(text, "www", 3) == 0));
}

void
escape_comment(struct buf *out, const char *text, size_t len)
{
	size_t done = 0;

	for (size_t i = 0; i < len; i++) {
		if (!begins_mark(text + i, len - i))
			continue;
		escape_markdown(out, text + done, i - done);
		buf_puts(out, "<span>");
		escape_markdown(out, text + i, 1);
		buf_puts(out, "</span>");
		done = i + 1;
	}
	escape_markdown(out, text + done, len - done);
}

void
escape_url(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') ||
			c == '_' || c == '~')
			buf_putc(out, c);
		else
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
	}
}

/* Appends `text` as escape_utf8() does, but keeps its newlines. */
static void
put_lines(struct buf *out, const char *text, size_t len)
{
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		escape_utf8(out, text, line);
		if (end)
			buf_putc(out, text[line++]);
		text += line;
		len -= line;
	}
}

/* Appends valid UTF-8 with the characters in `special` percent-encoded, '%' itself as `percent`. */
static void
encode_percent(struct buf *out, const struct buf *plain, const char *special, const char *percent)
{
	for (size_t i = 0; i < plain->len; i++) {
		char c = plain->data[i];

		if (c == '%')
			buf_puts(out, percent);
		else if (strchr(special, c))
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
		else
			buf_putc(out, c);
	}
}

static void
escape_percent(struct buf *out, const char *text, size_t len, const char *special)
{
	struct buf plain = {0};

	put_lines(&plain, text, len);
	encode_percent(out, &plain, special, "%25");
	buf_release(&plain);
}

static void
escape_azure_with(struct buf *out, const char *text, size_t len, const char *special)
{
	struct buf plain = {0};

	put_lines(&plain, text, len);
	escape_commands(plain.data, plain.len);
	encode_percent(out, &plain, special, "%AZP25");
	buf_release(&plain);
}

void
escape_command(struct buf *out, const char *text, size_t len)
{
	escape_percent(out, text, len, "\r\n");
}

void
escape_command_property(struct buf *out, const char *text, size_t len)
{
	escape_percent(out, text, len, "\r\n:,");
}

void
escape_azure(struct buf *out, const char *text, size_t len)
{
	escape_azure_with(out, text, len, "\r\n");
}

void
escape_azure_property(struct buf *out, const char *text, size_t len)
{
	escape_azure_with(out, text, len, "\r\n;]");
}

/* Appends a character of several bytes as units of UTF-16. */
static void
put_units(struct buf *out, uint32_t code)
{
	if (code < 0x10000) {
		buf_printf(out, "|0x%04x", (unsigned)code);
		return;
	}
	buf_printf(out, "|0x%04x|0x%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
		(unsigned)(0xdc00 + (code & 0x3ff)));
}

void
escape_teamcity(struct buf *out, const char *text, size_t len)
{
	struct buf plain = {0};

	put_lines(&plain, text, len);
	for (size_t i = 0; i < plain.len;) {
		uint32_t code = 0;
		const size_t n =
			utf8_decode((const unsigned char *)plain.data + i, plain.len - i, &code);

		if (code == '\n')
			buf_puts(out, "|n");
		else if (n > 1)
			put_units(out, code);
		else {
			if (strchr("|'[]", plain.data[i]))
				buf_putc(out, '|');
			buf_putc(out, plain.data[i]);
		}
		i += n;
	}
	buf_release(&plain);
}

void
escape_quoted(struct buf *out, const char *text, size_t len)
{
	escape_with(out, text, len, false, "\"\\");
}

/* The characters that a shell takes as they are. */
#define SHELL_PLAIN                                                      \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"-_=./,:+@%"

void
escape_shell_word(struct buf *out, const char *text)
{
	if (*text && strspn(text, SHELL_PLAIN) == strlen(text)) {
		buf_puts(out, text);
		return;
	}
	buf_putc(out, '\'');
	for (const char *c = text; *c; c++) {
		if (*c == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *c);
	}
	buf_putc(out, '\'');
}

bool
escape_has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			return true;
	return false;
}

bool
escape_is_shell_words(const char *text)
{
	bool quoted = false;

	if (escape_has_control(text))
		return false;
	for (; *text; text++) {
		if (*text == '\'')
			quoted = !quoted;
		else if (!quoted && text[0] == '\\' && text[1] == '\'')
			text++;
		else if (!quoted && !strchr(SHELL_PLAIN " ~", *text))
			return false;
	}
	return !quoted;
}

bool
escape_is_harmless(const char *text)
{
	return !escape_has_control(text) && !strpbrk(text, "$`\\\";|&<>!");
}

/*
 * The length of a character of several bytes that must not be in a line: a control character
 * U+0080..009F, which terminals take as they take ESC, or a line end U+0085, U+2028 or U+2029, at
 * which some readers split lines. 0 for any other character.
 */
static size_t
multibyte_control(const char *text, size_t len)
{
	uint32_t code;

	if (text[0] != '\xc2' && text[0] != '\xe2')
		return 0;
	size_t n = utf8_decode((const unsigned char *)text, len, &code);

	return n > 0 && (code < 0xa0 || code == 0x2028 || code == 0x2029) ? n : 0;
}

void
escape_folded(struct buf *out, const char *text, size_t len)
{
	size_t start = out->len;

	buf_put(out, text, len);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		size_t control = multibyte_control(text + i, len - i);

		if (c == ';')
			out->data[start + i] = ':';
		else if (c < 0x20 || c == 0x7f)
			out->data[start + i] = '?';
		if (control > 0) {
			memset(out->data + start + i, '?', control);
			i += control - 1;
		}
	}
}
