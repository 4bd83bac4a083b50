/* Scanning source text, and finding by that where functions end, and the functions of a Go file. */
#include "builds/source_scan.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
source_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
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

bool
source_starts_with(const struct source_scan *scan, const char *text)
{
	const size_t len = strlen(text);

	return (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, text, len) == 0;
}

void
source_advance(struct source_scan *scan, size_t count)
{
	for (; count > 0 && scan->at < scan->end; count--)
		scan->line += *scan->at++ == '\n';
}

/* Behind the next `text`, or to the end. */
static void
pass(struct source_scan *scan, const char *text)
{
	while (scan->at < scan->end && !source_starts_with(scan, text))
		source_advance(scan, 1);
	source_advance(scan, strlen(text));
}

/* A text in these marks, which may be escaped in it. Other than "`", it ends with its line. */
static void
pass_quoted(struct source_scan *scan, char mark)
{
	source_advance(scan, 1);
	while (scan->at < scan->end && *scan->at != mark && (*scan->at != '\n' || mark != '\''))
		source_advance(scan, *scan->at == '\\' && mark != '`' ? 2 : 1);
	source_advance(scan, 1);
}

/* 'x' and '\n', but not the lifetimes of Rust, nor the separators of digits in C++. */
static bool
is_character(const struct source_scan *scan)
{
	const size_t left = (size_t)(scan->end - scan->at);

	/* Beyond ASCII a character has up to four bytes. */
	for (size_t i = 2; i < left && i <= 5; i++)
		if (scan->at[i] == '\'' && (i == 2 || scan->at[1] < 0 || scan->at[1] == '\\'))
			return true;
	return left > 1 && scan->at[1] == '\\';
}

bool
source_pass_other(struct source_scan *scan)
{
	if (source_starts_with(scan, "//"))
		pass(scan, "\n");
	else if (source_starts_with(scan, "/*"))
		pass(scan, "*/");
	else if (*scan->at == '"' || *scan->at == '`')
		pass_quoted(scan, *scan->at);
	else if (*scan->at == '\'' && is_character(scan))
		pass_quoted(scan, '\'');
	else
		return false;
	return true;
}

/*
 * Where functions end, and those that a file of Go declares.
 */

/* Whether the braces that closed were those of a type or of a member's value: "x interface{}) {".
 */
static bool
goes_on(const struct source_scan *scan)
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
	struct source_scan scan = {text, text + len, 1};
	unsigned depth = 0;

	while (scan.at < scan.end && scan.line < line)
		source_advance(&scan, 1);
	while (scan.at < scan.end) {
		const uint32_t here = scan.line;
		const char c = *scan.at;

		if (source_pass_other(&scan))
			continue;
		source_advance(&scan, 1);
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

#define NAME_MAX_BYTES 512

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
	return at && put_word(at, end, out) > at;
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
