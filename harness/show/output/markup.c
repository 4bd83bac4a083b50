#include "output/markup.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/name_fit.h"
#include "output/line_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_COLUMN 8

static void
put_lines(struct buf *out, const char *text, char newline)
{
	while (*text) {
		size_t line = strcspn(text, "\n");

		escape_xml(out, text, line);
		text += line;
		if (*text == '\n') {
			buf_putc(out, newline);
			text++;
		}
	}
}

void
markup_text(struct buf *out, const char *text)
{
	put_lines(out, text, '\n');
}

void
markup_line(struct buf *out, const char *text)
{
	put_lines(out, text, ' ');
}

void
markup_vput(struct buf *out, markup_escape *escape, const char *fmt, va_list args)
{
	while (*fmt) {
		size_t plain = strcspn(fmt, "%");

		buf_put(out, fmt, plain);
		fmt += plain;
		if (*fmt) {
			assert(fmt[1] == 's');
			escape(out, va_arg(args, const char *));
			fmt += 2;
		}
	}
}

/* As much text as can be in so many columns, as one line; free() it. */
static char *
one_line(const char *text, size_t columns)
{
	char *line = mem_dup(text, strnlen(text, BYTES_PER_COLUMN * columns));

	for (char *at = line; *at; at++) {
		if (*at == '\n')
			*at = ' ';
	}
	return line;
}

void
markup_fit(struct buf *out, const char *text, size_t columns)
{
	char *line = one_line(text, columns);

	name_fit_as(out, line, strlen(line), columns, &name_markdown);
	free(line);
}

void
markup_sentence(struct buf *out, const char *text, size_t columns)
{
	char *line = one_line(text, columns);
	struct buf safe = {0};

	escape_utf8(&safe, line, strlen(line));
	const size_t kept =
		name_columns(buf_text(&safe), safe.len) <= columns
			? safe.len
			: line_words(buf_text(&safe), safe.len, columns - strlen(" ..."));

	/* One word. */
	if (kept == 0 && safe.len > 0) {
		name_fit_as(out, line, strlen(line), columns, &name_markdown);
	} else {
		escape_comment(out, buf_text(&safe), kept);
		buf_puts(out, kept < safe.len ? " ..." : "");
	}
	buf_release(&safe);
	free(line);
}

void
markup_command(
	struct buf *out, const char *label, const char *command, const char *note, size_t columns)
{
	/* A part of a command is none. */
	if (!command[0] || strlen(command) > columns)
		return;
	buf_printf(out, "%s: <code>", label);
	markup_sentence(out, command, columns);
	buf_puts(out, note[0] ? "</code> (" : "</code>");
	markup_sentence(out, note, columns);
	buf_puts(out, note[0] ? ")" : "");
}

void
markup_put(struct buf *out, markup_escape *escape, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	markup_vput(out, escape, fmt, args);
	va_end(args);
}
