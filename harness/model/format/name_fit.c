#include "format/name_fit.h"

#include "base/escape.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

/* In fewer columns there is no room for both the scope of a function and its own name. */
#define SCOPE_COLUMNS 16

const struct name_style name_plain = {.ellipsis = "...", .escape = escape_utf8};
const struct name_style name_html = {.ellipsis = "...", .escape = escape_xml};
const struct name_style name_markdown = {.ellipsis = "...", .escape = escape_comment};
const struct name_style name_picture = {
	.ellipsis = "\xe2\x80\xa6", .narrow = true, .escape = escape_xml};

/* The bytes of the character at text[at], and its code; `text` is valid UTF-8. */
static size_t
char_at(const char *text, size_t len, size_t at, uint32_t *code)
{
	unsigned char first = (unsigned char)text[at];
	size_t n = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

	*code = n == 1 ? first : first & (0x7fu >> n);
	for (size_t i = 1; i < n && at + i < len; i++)
		*code = *code << 6 | ((unsigned char)text[at + i] & 0x3fu);
	return at + n <= len ? n : len - at;
}

/*
 * Columns of one character, by the blocks of Unicode's EastAsianWidth.txt that are wide as a whole,
 * and the combining marks. wcwidth(3) would depend on the locale.
 */
static size_t
char_columns(uint32_t c)
{
	if ((c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200d) ||
		(c >= 0xfe00 && c <= 0xfe0f))
		return 0;
	if ((c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
		(c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
		(c >= 0xff00 && c <= 0xff60) || (c >= 0x1f300 && c <= 0x1f64f) ||
		(c >= 0x1f900 && c <= 0x1f9ff) || (c >= 0x20000 && c <= 0x3fffd))
		return 2;
	return 1;
}

size_t
name_columns(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t at = 0; at < len;) {
		uint32_t code;

		at += char_at(text, len, at, &code);
		columns += char_columns(code);
	}
	return columns;
}

size_t
name_head(const char *text, size_t len, size_t columns)
{
	size_t at = 0;

	for (size_t used = 0; at < len;) {
		uint32_t code;
		size_t n = char_at(text, len, at, &code);

		used += char_columns(code);
		if (used > columns)
			break;
		at += n;
	}
	return at;
}

/* The offset of the longest end of `text` that takes at most `columns`. */
static size_t
tail_start(const char *text, size_t len, size_t columns)
{
	size_t all = name_columns(text, len);
	size_t at = 0;

	while (at < len && all > columns) {
		uint32_t code;

		at += char_at(text, len, at, &code);
		all -= char_columns(code);
	}
	return at;
}

/* The most characters between the word "operator" and a bracket that still belongs to its name. */
#define OPERATOR_MAX 3

/* Whether text[at] is a bracket that belongs to an operator's name: operator<<, operator(), ->. */
static bool
is_operator(const char *text, size_t at)
{
	static const char word[] = "operator";
	size_t start = at;

	if (at > 0 && text[at] == '>' && text[at - 1] == '-')
		return true;
	if (text[at] == ')')
		start -= at > 0 && text[at - 1] == '(';
	else if (text[at] != '(')
		while (start > 0 && at - start < OPERATOR_MAX && strchr("<>=-", text[start - 1]))
			start--;
	return start >= sizeof(word) - 1 &&
	       memcmp(text + start - (sizeof(word) - 1), word, sizeof(word) - 1) == 0;
}

/* Whether text[open] begins the receiver of a method of Go: "(*Parser)." */
static bool
is_receiver(const char *text, size_t open)
{
	size_t at = open + 2;

	if (text[open] != '(' || text[open + 1] != '*')
		return false;
	while (text[at] && !strchr("()", text[at]))
		at++;
	return text[at] == ')' && text[at + 1] == '.';
}

/* Whether text[open] begins "(anonymous namespace)", a scope of C++. */
static bool
is_anonymous(const char *text, size_t open)
{
	static const char scope[] = "(anonymous namespace)";

	return strncmp(text + open, scope, strlen(scope)) == 0;
}

/*
 * Appends `name` with the ellipsis in place of the contents of each outermost pair of brackets,
 * where they are longer than it. The receiver of a method of Go and C++'s anonymous namespace stay:
 * they are no parameter lists.
 */
static void
empty_brackets(struct buf *out, const struct buf *name, const char pair[2], const char *ellipsis)
{
	const char *text = buf_text(name);
	size_t depth = 0;
	size_t inside = 0; /* offset of the contents of the outermost pair */

	for (size_t at = 0; at < name->len; at++) {
		char c = text[at];

		if (c == pair[0] && !is_operator(text, at)) {
			if (depth == 0 && (is_receiver(text, at) || is_anonymous(text, at))) {
				size_t end = at + strcspn(text + at, ")");

				buf_put(out, text + at, end + 1 - at);
				at = end;
				continue;
			}
			if (depth++ == 0) {
				buf_putc(out, c);
				inside = at + 1;
			}
			continue;
		}
		if (c == pair[1] && depth > 0 && !is_operator(text, at)) {
			if (--depth == 0) {
				if (name_columns(text + inside, at - inside) >
					name_columns(ellipsis, strlen(ellipsis)))
					buf_puts(out, ellipsis);
				else
					buf_put(out, text + inside, at - inside);
				buf_putc(out, c);
			}
			continue;
		}
		if (depth == 0)
			buf_putc(out, c);
	}
	/* The bracket is never closed, so it is none of the language: the rest is kept. */
	if (depth > 0)
		buf_put(out, text + inside, name->len - inside);
}

/*
 * The length of a C++ name without its argument list, or `len` if it has none. The parentheses of
 * "operator()", "(anonymous namespace)::" and Go's "(*T)." are part of the name.
 */
static size_t
without_arguments(const char *name, size_t len)
{
	size_t close = len;
	size_t depth = 0;

	while (close > 0 && name[close - 1] != ')')
		close--;
	for (size_t i = close; i > 0; i--) {
		if (name[i - 1] == ')') {
			depth++;
		} else if (name[i - 1] == '(' && --depth == 0) {
			size_t open = i - 1;
			bool is_scope = close < len && strchr(":.", name[close]);

			return open == 0 || is_operator(name, open) || is_scope ? len : open;
		}
	}
	return len;
}

/* Whether a name has a scope before its last part. */
static bool
is_scoped(const char *name)
{
	return strchr(name, '<') || strstr(name, "::");
}

/* Whether a name begins with folders or packages, which it shares with its neighbours. */
static bool
is_path(const char *name)
{
	return name[strcspn(name, "/ ")] == '/';
}

/* The offset of the last part of a scoped name. */
static size_t
last_part(const char *name, size_t len)
{
	for (size_t i = len; i > 2; i--)
		if (name[i - 1] != ':' && name[i - 2] == ':' && name[i - 3] == ':')
			return i - 1;
	return 0;
}

/* The characters of an import path. Quotes are not among them: messages quote the paths of files.
 */
#define IMPORT_PATH                                                      \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"-._~/+%"

/*
 * The offset of the last part of the import path in a function name of Go: of "pkg.(*Parser).Parse"
 * in "example.org/tool/pkg.(*Parser).Parse". 0 for other names. Slashes inside of brackets belong
 * to type arguments.
 */
static size_t
without_import_path(const char *name, size_t len)
{
	size_t start = 0;
	size_t depth = 0;
	bool is_function = false;

	if (name[0] == '/' || memchr(name, ' ', len) || strstr(name, "::"))
		return 0;
	for (size_t at = 0; at < len; at++) {
		depth += strchr("([", name[at]) != NULL;
		depth -= strchr(")]", name[at]) && depth > 0;
		if (name[at] == '/' && depth == 0) {
			start = at + 1;
			is_function = false;
		} else if (name[at] == '.' && depth == 0) {
			is_function = true;
		}
	}
	return is_function && strspn(name, IMPORT_PATH) >= start ? start : 0;
}

/*
 * The offset of a name without as many of its outermost scopes as needed for `columns`; at most
 * that of the function's own name. Separators inside of brackets belong to parameters.
 */
static size_t
without_scopes(const char *name, size_t len, size_t columns)
{
	size_t left = name_columns(name, len);
	size_t start = 0;
	size_t depth = 0;

	/* This is no name of C++. */
	if (name[0] == ':')
		return 0;
	for (size_t at = 0; at + 2 < len && left > columns; at++) {
		if (strchr("(<[{", name[at]) && !is_operator(name, at))
			depth++;
		else if (strchr(")>]}", name[at]) && !is_operator(name, at))
			depth -= depth > 0;
		else if (depth == 0 && name[at] == ':' && name[at + 1] == ':') {
			left -= name_columns(name + start, at + 2 - start);
			start = at + 2;
		}
	}
	return start;
}

/* How many of the `keep` columns that a name keeps in a narrow box are for its end. */
static size_t
narrow_tail(const char *text, size_t columns, size_t keep)
{
	if (!is_scoped(text) && is_path(text))
		return keep;
	if (columns < SCOPE_COLUMNS)
		return 0;
	/* The end of a scoped name is the function's own name, the beginning its scope. */
	return is_scoped(text) ? keep - keep / 3 : keep / 3;
}

/*
 * Appends both ends of a name, which distinguish it from its neighbours, with the ellipsis between
 * them.
 */
static void
put_ends(struct buf *out, const char *text, size_t len, size_t columns,
	const struct name_style *style)
{
	size_t dots = name_columns(style->ellipsis, strlen(style->ellipsis));
	size_t keep = columns > dots + 1 ? columns - dots : 1;
	size_t tail_columns = style->narrow ? narrow_tail(text, columns, keep) : keep / 2;

	if (style->narrow && columns < SCOPE_COLUMNS) {
		size_t start = last_part(text, len);

		text += start;
		len -= start;
	}
	if (name_columns(text, len) <= columns) {
		style->escape(out, text, len);
		return;
	}
	size_t tail = tail_start(text, len, tail_columns);

	style->escape(out, text, name_head(text, len, keep - tail_columns));
	buf_puts(out, style->ellipsis);
	style->escape(out, text + tail, len - tail);
}

void
name_fit_as(struct buf *out, const char *text, size_t len, size_t columns,
	const struct name_style *style)
{
	struct buf name = {0};
	struct buf shorter = {0};

	/* A character takes at most as many columns as bytes, except those that are replaced. */
	if (len <= columns) {
		style->escape(out, text, len);
		return;
	}
	escape_utf8(&name, text, len);
	for (const char *pair = "()<>"; *pair && name_columns(buf_text(&name), name.len) > columns;
		pair += 2) {
		if (style->narrow && *pair == '(') {
			buf_put(&shorter, name.data, without_arguments(name.data, name.len));
		} else {
			empty_brackets(&shorter, &name, pair, style->ellipsis);
		}
		struct buf swap = name;

		name = shorter;
		shorter = swap;
		buf_clear(&shorter);
	}
	size_t start = 0;

	if (!style->narrow && name_columns(buf_text(&name), name.len) > columns)
		start = without_import_path(buf_text(&name), name.len);
	if (!style->narrow && start == 0)
		start = without_scopes(buf_text(&name), name.len, columns);
	const char *kept = buf_text(&name) + start;

	if (name_columns(kept, name.len - start) > columns)
		put_ends(out, kept, name.len - start, columns < 4 && !style->narrow ? 4 : columns,
			style);
	else
		style->escape(out, kept, name.len - start);
	buf_release(&name);
	buf_release(&shorter);
}

void
name_fit(struct buf *out, const char *text, size_t len, size_t columns)
{
	name_fit_as(out, text, len, columns, &name_plain);
}

bool
name_is_verdict(const char *text, size_t len)
{
	static const char *const words[] = {"pass", "passed", "warn", "warned", "undecided",
		"inconclusive", "fail", "failed", "error", "skipped", "new"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == len && strncasecmp(text, words[i], len) == 0)
			return true;
	return false;
}

void
name_fit_around(struct buf *out, const char *text, size_t len, size_t at, size_t columns)
{
	const char *dots = name_plain.ellipsis;
	size_t keep = columns - strlen(dots);
	size_t start = tail_start(text, at, columns / 8);

	if (name_columns(text, len) <= columns) {
		buf_put(out, text, len);
		return;
	}
	if (start <= strlen(dots))
		start = 0;
	else
		buf_puts(out, dots);
	if (start > 0 && name_columns(text + start, len - start) <= keep) {
		buf_puts(out, text + tail_start(text, len, keep));
		return;
	}
	keep -= start > 0 ? strlen(dots) : 0;
	buf_put(out, text + start, name_head(text + start, len - start, keep / 2));
	buf_printf(out, "%s%s", dots, text + tail_start(text, len, keep - keep / 2));
}

/* The last offset at or before `at` where `text` can be cut without splitting a character. */
static size_t
cut_before(const char *text, size_t at)
{
	for (size_t back = 0; at > 0 && back < 3 && ((unsigned char)text[at] & 0xc0) == 0x80;
		back++)
		at--;
	return at;
}

void
name_put(
	struct buf *out, const char *text, size_t len, size_t bytes, const struct name_style *style)
{
	struct buf ends = {0};

	if (len <= bytes) {
		style->escape(out, text, len);
		return;
	}
	size_t tail = cut_before(text, len - bytes / 2);

	/* Both ends are escaped at once: a cut character is seen only with the bytes behind it. */
	buf_put(&ends, text, cut_before(text, bytes / 2));
	buf_puts(&ends, style->ellipsis);
	buf_put(&ends, text + tail, len - tail);
	style->escape(out, buf_text(&ends), ends.len);
	buf_release(&ends);
}
