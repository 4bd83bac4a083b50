#include "base/err.h"

#include "base/escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXCERPT_MAX 160

static void
append(struct err *err, const char *text, size_t len)
{
	size_t room = sizeof(err->text) - 1 - err->len;

	if (len > room) {
		len = room;
		memcpy(err->text + err->len, text, len);
		err->len += len;
		memcpy(err->text + err->len - 3, "...", 3);
	} else {
		memcpy(err->text + err->len, text, len);
		err->len += len;
	}
	err->text[err->len] = '\0';
}

static void __attribute__((format(printf, 2, 0)))
append_v(struct err *err, const char *fmt, va_list args)
{
	char text[ERR_TEXT_MAX];
	int len = vsnprintf(text, sizeof(text), fmt, args);

	if (len < 0)
		return;
	size_t used = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
	escape_terminal(text, used);
	append(err, text, used);
}

static void __attribute__((format(printf, 2, 3))) append_f(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	append_v(err, fmt, args);
	va_end(args);
}

static void
begin_message(struct err *err, enum err_kind kind)
{
	err->kind = kind;
	err->signal = 0;
	err->len = 0;
	err->text[0] = '\0';
}

struct location
location_at(const char *file, const char *text, size_t len, size_t offset)
{
	struct location at = {.file = file, .line = 1};
	size_t start = 0;

	if (offset > len)
		offset = len;
	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			at.line++;
			start = i + 1;
		}
	}
	const char *end = memchr(text + start, '\n', len - start);

	at.column = (unsigned)(offset - start) + 1;
	at.line_text = text + start;
	at.line_len = end ? (size_t)(end - at.line_text) : len - start;
	return at;
}

int
err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	va_list args;

	begin_message(err, kind);
	va_start(args, fmt);
	append_v(err, fmt, args);
	va_end(args);
	return -1;
}

int
err_set_errno(struct err *err, enum err_kind kind, int errnum, const char *fmt, ...)
{
	va_list args;

	begin_message(err, kind);
	va_start(args, fmt);
	append_v(err, fmt, args);
	va_end(args);
	append_f(err, ": %s", strerror(errnum));
	return -1;
}

/* The line, with tabs as single spaces so that the caret stands below its column. */
static void
append_excerpt(struct err *err, const struct location *at)
{
	char line[EXCERPT_MAX];
	size_t first = 0;

	if (at->column > EXCERPT_MAX / 2)
		first = at->column - EXCERPT_MAX / 2;
	if (first > at->line_len)
		return;
	size_t len = at->line_len - first;
	if (len > sizeof(line))
		len = sizeof(line);
	memcpy(line, at->line_text + first, len);
	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\t')
			line[i] = ' ';
	}
	escape_terminal(line, len);
	append_f(err, "\n  ");
	append(err, line, len);
	if (at->column > 0)
		append_f(err, "\n  %*s^", (int)(at->column - 1 - first), "");
}

int
err_set_at(struct err *err, const struct location *at, const char *fmt, ...)
{
	va_list args;

	begin_message(err, ERR_INPUT);
	append_f(err, "%s:", at->file);
	if (at->line > 0)
		append_f(err, "%u:", at->line);
	if (at->column > 0)
		append_f(err, "%u:", at->column);
	append_f(err, " error: ");
	va_start(args, fmt);
	append_v(err, fmt, args);
	va_end(args);
	if (at->line_text)
		append_excerpt(err, at);
	return -1;
}

int
err_set_interrupted(struct err *err, int signal)
{
	begin_message(err, ERR_INTERRUPTED);
	err->signal = signal;
	append_f(err, "interrupted by %s; children were ended, nothing half-written was kept",
		strsignal(signal));
	return -1;
}

/* A format that begins with "while " says what was being done; any other is a note. */
int
err_note(struct err *err, const char *fmt, ...)
{
	va_list args;

	append_f(err, strncmp(fmt, "while ", 6) == 0 ? "\n  " : "\n  note: ");
	va_start(args, fmt);
	append_v(err, fmt, args);
	va_end(args);
	return -1;
}

int
err_exit_code(const struct err *err)
{
	switch (err->kind) {
	case ERR_NONE:
		return 0;
	case ERR_USAGE:
		return EXIT_USAGE_ERROR;
	case ERR_INPUT:
	case ERR_MEASURE:
	case ERR_SYSTEM:
		return EXIT_FAILED;
	case ERR_INTERRUPTED:
		return EXIT_BY_SIGNAL + err->signal;
	}
	return EXIT_FAILED;
}
