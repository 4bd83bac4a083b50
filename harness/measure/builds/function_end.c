#include "builds/function_end.h"

#include <stdbool.h>
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
