#include "format/name.h"

#include "base/escape.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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

/* Where the longest tail that takes at most `columns` begins. */
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

/* Between the word "operator" and a bracket that is taken for the operator's, as the third of
 * <=><T>. */
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
 * Copies `name`, with the contents of each outermost pair of brackets replaced by the ellipsis, if
 * they are longer than that. The receiver of a method of Go and C++'s anonymous namespace stay:
 * they are no parameter lists.
 */
static void
collapse(struct buf *out, const struct buf *name, const char pair[2], const char *ellipsis)
{
	const char *text = buf_text(name);
	size_t depth = 0;
	size_t inside = 0; /* where the outermost pair's contents begin */

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
	/* Never closed: not brackets of the language, so the rest is kept. */
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

/* Where the last part of a scoped name begins. */
static size_t
last_part(const char *name, size_t len)
{
	for (size_t i = len; i > 2; i--)
		if (name[i - 1] != ':' && name[i - 2] == ':' && name[i - 3] == ':')
			return i - 1;
	return 0;
}

/* The characters of an import path: no quotes, in which messages have the paths of files. */
#define IMPORT_PATH                                                      \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"-._~/+%"

/*
 * Where the last part of the import path of a function of Go begins: "pkg.(*Parser).Parse" of
 * "example.org/tool/pkg.(*Parser).Parse". 0: it is no such name. Folders inside of brackets are
 * those of type arguments.
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
 * Where the part of a name begins that follows its outermost scopes, as many of which are left out
 * as needed for `columns`: the function's own name at the latest. Separators inside of brackets are
 * those of parameters.
 */
static size_t
without_scopes(const char *name, size_t len, size_t columns)
{
	size_t start = 0;
	size_t depth = 0;

	/* No name of C++. */
	if (name[0] == ':')
		return 0;
	for (size_t at = 0; at + 2 < len && name_columns(name + start, len - start) > columns;
		at++) {
		if (strchr("(<[{", name[at]) && !is_operator(name, at))
			depth++;
		else if (strchr(")>]}", name[at]) && !is_operator(name, at))
			depth -= depth > 0;
		else if (depth == 0 && name[at] == ':' && name[at + 1] == ':')
			start = at + 2;
	}
	return start;
}

/* How many of `keep` columns are for the end of a name in a box. */
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

/* Head and tail around the ellipsis: both ends of a name tell it from its neighbours. */
static void
cut(struct buf *out, const char *text, size_t len, size_t columns, const struct name_style *style)
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

	/* No character has more columns than bytes, except those that will be replaced. */
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
			collapse(&shorter, &name, pair, style->ellipsis);
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
		cut(out, kept, name.len - start, columns < 4 && !style->narrow ? 4 : columns,
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

/* Where `text` can be cut at or before `at` without splitting a character. */
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

	/* Escaped together: escaping has to see the bytes that follow a cut character. */
	buf_put(&ends, text, cut_before(text, bytes / 2));
	buf_puts(&ends, style->ellipsis);
	buf_put(&ends, text + tail, len - tail);
	style->escape(out, buf_text(&ends), ends.len);
	buf_release(&ends);
}

/*
 * Compilers join the folder they ran in and the name they were given: "/src/build/../lex.c". A ".."
 * is taken out with the part before it, but not one that leads out of the front.
 */
static void
put_normal(struct buf *out, const char *path)
{
	size_t start = out->len;

	if (*path == '/')
		buf_putc(out, '/');
	size_t root = out->len;

	while (*path) {
		size_t len = strcspn(path, "/");
		const char *written = buf_text(out) + start;
		const char *slash = strrchr(written, '/');
		const char *last = slash ? slash + 1 : written;

		if (len == 2 && memcmp(path, "..", 2) == 0 && out->len > root &&
			strcmp(last, "..") != 0) {
			out->len =
				slash && slash > written ? start + (size_t)(slash - written) : root;
			out->data[out->len] = '\0';
		} else if (len > 0 && !(len == 1 && *path == '.')) {
			buf_puts(out, out->len > root ? "/" : "");
			buf_put(out, path, len);
		}
		path += len + (path[len] == '/');
	}
}

void
place_put_path(struct buf *out, const char *path)
{
	char folder[PATH_MAX];
	struct buf normal = {0};

	if (strlen(path) < PATH_MAX)
		put_normal(&normal, path);
	else
		buf_puts(&normal, path);
	const char *text = buf_text(&normal);
	size_t len = getcwd(folder, sizeof(folder)) ? strlen(folder) : 0;

	if (len > 1 && strncmp(text, folder, len) == 0 && text[len] == '/' && text[len + 1])
		text += len + 1;
	buf_puts(out, text);
	buf_release(&normal);
}

void
place_put(struct buf *out, const char *file, unsigned line)
{
	if (*file == '\0')
		return;
	place_put_path(out, file);
	if (line > 0)
		buf_printf(out, ":%u", line);
}

void
place_fit(struct buf *out, const char *file, unsigned line, size_t columns)
{
	struct buf place = {0};
	struct buf valid = {0};

	place_put(&place, file, line);
	escape_utf8(&valid, buf_text(&place), place.len);
	const char *text = buf_text(&valid);
	const char *tail = valid.len > PATH_MAX ? text + valid.len - PATH_MAX : text;

	/* The file itself is kept, and as many of its folders as there is room for. */
	while (name_columns(tail, strlen(tail)) + (tail > text ? strlen(".../") : 0) > columns) {
		const char *slash = strchr(tail + 1, '/');

		if (!slash)
			break;
		tail = slash + 1;
	}
	buf_puts(out, tail > text ? ".../" : "");
	name_fit(out, tail, strlen(tail), tail > text ? columns - strlen(".../") : columns);
	buf_release(&valid);
	buf_release(&place);
}
