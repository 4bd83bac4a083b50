#include "format/name.h"

#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
 * Columns of one character: the blocks of Unicode's EastAsianWidth.txt that are wide as a whole,
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
		while (start > 0 && strchr("<>=-", text[start - 1]))
			start--;
	return start >= sizeof(word) - 1 &&
	       memcmp(text + start - (sizeof(word) - 1), word, sizeof(word) - 1) == 0;
}

/* Copies `text`, each outermost pair of brackets emptied but for "...". */
static void
collapse(struct buf *out, const char *text, size_t len, char open, char close)
{
	size_t depth = 0;
	size_t inside = 0; /* where the outermost pair's contents begin */

	for (size_t at = 0; at < len; at++) {
		char c = text[at];

		if (c == open && !is_operator(text, at)) {
			if (depth++ == 0) {
				buf_putc(out, c);
				inside = at + 1;
			}
			continue;
		}
		if (c == close && depth > 0 && !is_operator(text, at)) {
			if (--depth == 0) {
				if (at - inside > 3)
					buf_puts(out, "...");
				else
					buf_put(out, text + inside, at - inside);
				buf_putc(out, c);
			}
			continue;
		}
		if (depth == 0)
			buf_putc(out, c);
	}
	/* Never closed: not brackets of the language, so nothing of it may be lost. */
	if (depth > 0)
		buf_put(out, text + inside, len - inside);
}

/* Head and tail of equal width around "...": both ends of a name tell it from its neighbours. */
static void
cut_middle(struct buf *out, const char *text, size_t len, size_t columns)
{
	size_t keep = columns > 4 ? columns - 3 : 1;
	size_t head_columns = keep - keep / 2;
	size_t all = name_columns(text, len);
	size_t seen = 0;
	bool dots = false;

	for (size_t at = 0; at < len;) {
		uint32_t code;
		size_t n = char_at(text, len, at, &code);
		size_t width = char_columns(code);

		if (seen + width <= head_columns || seen >= all - keep / 2) {
			buf_put(out, text + at, n);
		} else if (!dots) {
			buf_puts(out, "...");
			dots = true;
		}
		seen += width;
		at += n;
	}
}

void
name_fit(struct buf *out, const char *text, size_t len, size_t columns)
{
	static const char pairs[][2] = {{'(', ')'}, {'<', '>'}};
	struct buf name;
	struct buf shorter;

	buf_init(&name);
	buf_init(&shorter);
	escape_utf8(&name, text, len);
	for (size_t i = 0; i < 2 && name_columns(buf_text(&name), name.len) > columns; i++) {
		buf_clear(&shorter);
		collapse(&shorter, buf_text(&name), name.len, pairs[i][0], pairs[i][1]);
		struct buf swap = name;

		name = shorter;
		shorter = swap;
	}
	if (name_columns(buf_text(&name), name.len) > columns)
		cut_middle(out, buf_text(&name), name.len, columns < 4 ? 4 : columns);
	else
		buf_put(out, buf_text(&name), name.len);
	buf_release(&name);
	buf_release(&shorter);
}
