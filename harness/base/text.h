/*
 * Small questions about text: kinds of ASCII characters whatever the locale, how a text begins,
 * what it matches, its lines, the order of two texts.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool
text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit of either case; -1: it is none. */
static inline int
text_hex_digit(char c)
{
	if (text_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A letter of the alphabet of English, of either case. */
static inline bool
text_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the terminated `text` begins with `beginning`. */
static inline bool
text_begins(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* The same of `len` bytes. */
static inline bool
text_begins_within(const char *text, size_t len, const char *beginning)
{
	const size_t beginning_len = strlen(beginning);

	return len >= beginning_len && memcmp(text, beginning, beginning_len) == 0;
}

/*
 * Whether a pattern of fnmatch(3) matches the text, or is the text: names of benchmarks and of C++
 * have brackets and stars of their own.
 */
static inline bool
text_matches(const char *text, const char *pattern)
{
	return strcmp(text, pattern) == 0 || fnmatch(pattern, text, 0) == 0;
}

/* Where lines of a text are taken from. */
struct text_lines {
	const char *at;
	const char *end;
};

/* The next line without its "\n", of *len bytes; NULL: there is none. */
static inline const char *
text_next_line(struct text_lines *lines, size_t *len)
{
	const char *line = lines->at;

	if (line >= lines->end)
		return NULL;
	const char *stop = (const char *)memchr(line, '\n', (size_t)(lines->end - line));

	*len = (size_t)((stop ? stop : lines->end) - line);
	lines->at = stop ? stop + 1 : lines->end;
	return line;
}

/* The order of an array of texts, by strcmp(), for qsort(). */
static inline int
text_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Eight bytes of text as one number, for comparing them at once. */
static inline uint64_t
text_load_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* The length of the byte order mark that a text begins with; 0: it has none. */
static inline size_t
text_mark_len(const char *text, size_t len)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t mark_len = sizeof(mark) - 1;

	return len >= mark_len && memcmp(text, mark, mark_len) == 0 ? mark_len : 0;
}

#endif
