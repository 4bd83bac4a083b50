#include "builds/function_end.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
	const char *at;
	const char *end;
	uint32_t line;
};

static bool
starts_with(const struct scan *scan, const char *text)
{
	const size_t len = strlen(text);

	return (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, text, len) == 0;
}

static void
advance(struct scan *scan, size_t count)
{
	for (; count > 0 && scan->at < scan->end; count--)
		scan->line += *scan->at++ == '\n';
}

/* Behind the next `text`, or to the end. */
static void
pass(struct scan *scan, const char *text)
{
	while (scan->at < scan->end && !starts_with(scan, text))
		advance(scan, 1);
	advance(scan, strlen(text));
}

/* A text in these marks, which may be escaped in it. Other than "`", it ends with its line. */
static void
pass_quoted(struct scan *scan, char mark)
{
	advance(scan, 1);
	while (scan->at < scan->end && *scan->at != mark && (*scan->at != '\n' || mark != '\''))
		advance(scan, *scan->at == '\\' && mark != '`' ? 2 : 1);
	advance(scan, 1);
}

/* 'x' and '\n', but not the lifetimes of Rust, nor the separators of digits in C++. */
static bool
is_character(const struct scan *scan)
{
	const size_t left = (size_t)(scan->end - scan->at);

	/* Beyond ASCII a character has up to four bytes. */
	for (size_t i = 2; i < left && i <= 5; i++)
		if (scan->at[i] == '\'' && (i == 2 || scan->at[1] < 0 || scan->at[1] == '\\'))
			return true;
	return left > 1 && scan->at[1] == '\\';
}

/* Passes over what has no braces of code; false where there is none of that. */
static bool
pass_other(struct scan *scan)
{
	if (starts_with(scan, "//"))
		pass(scan, "\n");
	else if (starts_with(scan, "/*"))
		pass(scan, "*/");
	else if (*scan->at == '"' || *scan->at == '`')
		pass_quoted(scan, *scan->at);
	else if (*scan->at == '\'' && is_character(scan))
		pass_quoted(scan, '\'');
	else
		return false;
	return true;
}

/* Whether the braces that closed were those of a type or of a member's value: "x interface{}) {".
 */
static bool
goes_on(const struct scan *scan)
{
	const char *at = scan->at;
	const bool empty = at[-2] == '{';

	while (at < scan->end && (*at == ' ' || *at == '\t'))
		at++;
	return at < scan->end && (*at == '{' || *at == ',' || (*at == ')' && empty));
}

uint32_t
function_end(const char *text, size_t len, uint32_t line)
{
	struct scan scan = {text, text + len, 1};
	unsigned depth = 0;

	while (scan.at < scan.end && scan.line < line)
		advance(&scan, 1);
	while (scan.at < scan.end) {
		const uint32_t here = scan.line;
		const char c = *scan.at;

		if (pass_other(&scan))
			continue;
		advance(&scan, 1);
		if (c == '{')
			depth++;
		else if (c == '}' && depth <= 1 && !(depth == 1 && goes_on(&scan)))
			return here;
		else if (c == '}')
			depth--;
		else if (c == ';' && depth == 0)
			return here;
	}
	return line;
}

#define TYPES_DEEP 32

static bool
is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *
line_begin(const char *text, size_t len, uint32_t line)
{
	const char *at = text;

	while (line > 1 && at && (at = memchr(at, '\n', (size_t)(text + len - at)))) {
		at++;
		line--;
	}
	return at && at < text + len ? at : NULL;
}

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* "#define NAME", also of a line that goes on from there. */
static bool
is_macro(const char *text, const char *at, const char *end, char name[DEFINITION_SIZE])
{
	static const char define[] = "define";

	while (at >= text + 2 && at[-2] == '\\') {
		at -= 2;
		while (at > text && at[-1] != '\n')
			at--;
	}
	at = skip_blanks(at, end);
	if (at == end || *at != '#')
		return false;
	at = skip_blanks(at + 1, end);
	if ((size_t)(end - at) <= sizeof(define) || memcmp(at, define, sizeof(define) - 1) != 0)
		return false;
	at = skip_blanks(at + sizeof(define) - 1, end);
	size_t len = 0;

	while (at + len < end && is_of_name(at[len]))
		len++;
	snprintf(name, DEFINITION_SIZE, "macro %.*s", (int)len, at);
	return len > 0;
}

/* The word at `at`, or none. */
static size_t
word_len(const char *at, const char *end)
{
	size_t len = 0;

	while (at + len < end && is_of_name(at[len]))
		len++;
	return len;
}

static bool
is_kind(const char *word, size_t len)
{
	static const char *const kinds[] = {"struct", "class", "union", "enum"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i]) == len && memcmp(kinds[i], word, len) == 0)
			return true;
	return false;
}

/* "struct node", from what stands ahead of a brace; "type node struct" is one of Go. */
static bool
is_type(const char *head, size_t len, char name[DEFINITION_SIZE])
{
	const char *end = head + len;
	const char *before = head; /* the word ahead */
	size_t before_len = 0;
	bool found = false;

	for (const char *at = head; at < end;) {
		const size_t word = word_len(at, end);

		if (*at == '(')
			return false;
		/* Of a template's, "<class T> struct node", the last one. */
		if (is_kind(at, word)) {
			const char *next = at + word;

			while (next < end && isspace((unsigned char)*next))
				next++;
			size_t next_len = word_len(next, end);

			if (next_len == 0 && before_len > 0 &&
				strncmp(before, "typedef", before_len) != 0) {
				next = before;
				next_len = before_len;
			}
			snprintf(name, DEFINITION_SIZE, "%.*s%s%.*s", (int)word, at,
				next_len > 0 ? " " : "", (int)next_len, next);
			found = true;
		}
		if (word > 0) {
			before = at;
			before_len = word;
		}
		at += word > 0 ? word : 1;
	}
	return found;
}

/* A line of the preprocessor, with those that go on from it. */
static bool
pass_directive(struct scan *scan, const char *text)
{
	if (*scan->at != '#' || (scan->at > text && scan->at[-1] != '\n'))
		return false;
	while (scan->at < scan->end && *scan->at != '\n')
		advance(scan, *scan->at == '\\' ? 2 : 1);
	return true;
}

bool
definition_of(const char *text, size_t len, uint32_t line, char name[DEFINITION_SIZE])
{
	const char *at = line_begin(text, len, line);
	const char *heads[TYPES_DEEP];
	size_t lens[TYPES_DEEP];
	size_t depth = 0;
	struct scan scan = {text, text + len, 1};

	if (!at)
		return false;
	if (is_macro(text, at, text + len, name))
		return true;
	at = skip_blanks(at, text + len);
	/* A blank line, a comment, or a function's declaration, which lays out nothing. */
	if (at == text + len || *at == '\n' || *at == '*' ||
		starts_with(&(struct scan){at, text + len, 1}, "//") ||
		starts_with(&(struct scan){at, text + len, 1}, "/*") ||
		memchr(at, '(', strcspn(at, "\n")))
		return false;
	for (const char *head = text; scan.at < at;) {
		const char c = *scan.at;

		if (pass_directive(&scan, text)) {
			head = scan.at;
			continue;
		}
		if (pass_other(&scan))
			continue;
		if (c == '{' && depth < TYPES_DEEP) {
			heads[depth] = head;
			lens[depth++] = (size_t)(scan.at - head);
		} else if (c == '}' && depth > 0) {
			depth--;
		}
		advance(&scan, 1);
		head = c == '{' || c == '}' || c == ';' ? scan.at : head;
	}
	return depth > 0 && is_type(heads[depth - 1], lens[depth - 1], name);
}

#define NAME_MAX_BYTES 512

bool
source_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Appends the word at `at`, and returns what is behind it. */
static const char *
put_word(const char *at, const char *end, struct buf *out)
{
	const char *start = at;

	while (at < end && source_is_word(*at))
		at++;
	buf_put(out, start, (size_t)(at - start));
	return at;
}

static const char *
pass_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* "(s *Scanner[T]) " as "(*Scanner)."; what is behind it, NULL where it is none. */
static const char *
put_receiver(const char *at, const char *end, struct buf *out)
{
	const char *close = memchr(at, ')', (size_t)(end - at));
	const char *type = at + 1;

	if (!close)
		return NULL;
	while (type < close && source_is_word(*type))
		type++;
	type = pass_blanks(type, close);
	/* A receiver may have no name. */
	if (type == close)
		type = at + 1;
	const bool pointer = type < close && *type == '*';

	buf_puts(out, pointer ? "(*" : "");
	put_word(type + pointer, close, out);
	buf_puts(out, pointer ? ")." : ".");
	return pass_blanks(close + 1, end);
}

/* The function that the line from `at` to `end` declares; false where it is none. */
static bool
put_declared(const char *at, const char *end, struct buf *out)
{
	at += strlen("func ");
	if (at < end && *at == '(')
		at = put_receiver(at, end, out);
	return at && at < end && source_is_word(*at) && put_word(at, end, out) > at;
}

static bool
line_starts_with(const char *at, const char *end, const char *text)
{
	const size_t len = strlen(text);

	return (size_t)(end - at) > len && memcmp(at, text, len) == 0;
}

void
go_functions_read(struct go_functions *found, const char *text, size_t len, struct arena *arena)
{
	const char *end = text + len;
	struct buf package = {0};
	struct buf name = {0};
	uint32_t line = 0;

	*found = (struct go_functions){0};
	for (const char *at = text; at < end;) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = next ? next : end;

		line++;
		if (package.len == 0 && line_starts_with(at, line_end, "package "))
			put_word(
				pass_blanks(at + strlen("package "), line_end), line_end, &package);
		buf_clear(&name);
		buf_printf(&name, "%s.", buf_text(&package));
		if (line_end - at < NAME_MAX_BYTES && line_starts_with(at, line_end, "func ") &&
			put_declared(at, line_end, &name)) {
			found->functions = mem_grow(found->functions, &found->capacity,
				found->count + 1, sizeof(*found->functions));
			found->functions[found->count++] =
				(struct go_function){arena_strdup(arena, buf_text(&name)), line,
					line - 1 + function_end(at, (size_t)(end - at), 1)};
		}
		at = line_end + 1;
	}
	buf_release(&package);
	buf_release(&name);
}

void
go_functions_release(struct go_functions *found)
{
	free(found->functions);
	*found = (struct go_functions){0};
}

/* ".func1" of a closure, or "-fm" of a method's value. */
static bool
is_suffix(const char *at)
{
	static const char closure[] = ".func";

	if (strncmp(at, closure, sizeof(closure) - 1) == 0)
		return isdigit((unsigned char)at[sizeof(closure) - 1]);
	return strcmp(at, "-fm") == 0;
}

void
go_function_name(const char *name, struct buf *out)
{
	unsigned depth = 0;

	buf_clear(out);
	for (const char *at = name; *at && !(depth == 0 && is_suffix(at)); at++) {
		depth += *at == '[';
		if (depth == 0 && *at == '/')
			buf_clear(out);
		else if (depth == 0)
			buf_putc(out, *at);
		depth -= *at == ']' && depth > 0;
	}
}
