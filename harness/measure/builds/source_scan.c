#include "builds/source_scan.h"

#include <ctype.h>
#include <stdbool.h>
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
