#include "history/line_fields.h"

#include "base/text.h"
#include "format/figures.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UNKNOWN "-"
#define NUMBER_TEXT_MAX 40

void
fields_put_text(struct buf *out, const char *text)
{
	bool is_mark = strcmp(text, UNKNOWN) == 0;

	if (text[0] == '\0')
		buf_puts(out, UNKNOWN);
	for (const char *c = text; *c; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte == '\t')
			buf_puts(out, "\\t");
		else if (byte == '\n')
			buf_puts(out, "\\n");
		else if (byte == '\\')
			buf_puts(out, "\\\\");
		else if (byte < 0x20 || byte == 0x7f || is_mark)
			buf_printf(out, "\\x%02x", byte);
		else
			buf_putc(out, *c);
	}
}

void
fields_put_number(struct buf *out, double value)
{
	if (isfinite(value))
		buf_put_short(out, value);
	else
		buf_puts(out, UNKNOWN);
}

/* A line being read. */
struct reader {
	const struct location *line;
	const char *at; /* the field */
	const char *end;
	struct arena *arena;
	struct err *err;
};

int
fields_refuse(const struct location *line, const char *where, const char *expected, struct err *err)
{
	struct location at = *line;

	at.column = (unsigned)(where - at.line_text) + 1;
	err_set_at(err, &at, "expected %s", expected);
	return err_note(err, "remove the line, or restore the file from the repository's history");
}

static int
refuse_line(const struct reader *reader, const char *where, const char *expected)
{
	return fields_refuse(reader->line, where, expected, reader->err);
}

/* The end of the field at reader->at. */
static const char *
field_end(const struct reader *reader)
{
	const char *tab = memchr(reader->at, '\t', (size_t)(reader->end - reader->at));

	return tab ? tab : reader->end;
}

static int
next_field(struct reader *reader, const char *end, const char *next)
{
	if (end == reader->end)
		return refuse_line(reader, end, next);
	reader->at = end + 1;
	return 0;
}

static int
digit_of(char c)
{
	if (text_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that the escape at `c` stands for, and its length; -1 where there is no such. */
static int
unescape(const char *c, const char *end, size_t *len)
{
	*len = 2;
	if (end - c < 2)
		return -1;
	switch (c[1]) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case '\\':
		return '\\';
	case 'x':
		break;
	default:
		return -1;
	}
	*len = 4;
	if (end - c < 4 || digit_of(c[2]) < 0 || digit_of(c[3]) < 0)
		return -1;
	int byte = digit_of(c[2]) * 16 + digit_of(c[3]);

	return byte > 0 ? byte : -1;
}

static int
read_text(struct reader *reader, const char *end, const char **text)
{
	const char *c = reader->at;

	*text = "";
	if (c == end)
		return refuse_line(reader, c, "a text, or \"-\" for what is not known");
	if (end - c == 1 && *c == UNKNOWN[0])
		return 0;
	char *copy = arena_alloc(reader->arena, (size_t)(end - c) + 1);
	size_t n = 0;

	*text = copy;
	while (c < end) {
		size_t len = 1;
		int byte = (unsigned char)*c;

		if (byte == '\\')
			byte = unescape(c, end, &len);
		else if (byte < 0x20 || byte == 0x7f)
			byte = -1;
		if (byte < 0)
			return refuse_line(reader, c, "\\t, \\n, \\\\ or \\xHH (not \\x00) here");
		copy[n++] = (char)byte;
		c += len;
	}
	return 0;
}

static int
read_time(struct reader *reader, const char *end, int64_t *seconds)
{
	static const char form[] = "2026-01-31T12:00:00Z";
	struct tm utc = {0};
	char text[sizeof(form)];
	size_t len = (size_t)(end - reader->at);
	bool fits = len == sizeof(form) - 1;

	for (size_t i = 0; fits && i < len; i++)
		fits = isdigit((unsigned char)form[i]) ? isdigit((unsigned char)reader->at[i]) != 0
						       : form[i] == reader->at[i];
	if (!fits)
		return refuse_line(reader, reader->at, "a time such as 2026-01-31T12:00:00Z");
	memcpy(text, reader->at, len);
	text[len] = '\0';
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);

	*seconds = rest && *rest == '\0' ? timegm(&utc) : 0;
	/* A day that does not exist, such as the 31st of June, comes back as another. */
	struct buf again = {0};

	format_time(&again, *seconds);
	bool same = strcmp(buf_text(&again), text) == 0;

	buf_release(&again);
	return same && *seconds > 0
		       ? 0
		       : refuse_line(reader, reader->at, "a time that there is, after 1970");
}

/* Numbers only as we write them; strtod() would accept "nan", "0x1" and blanks, too. */
static int
read_number(struct reader *reader, const char *end, bool needed, double *value)
{
	size_t len = (size_t)(end - reader->at);
	char text[NUMBER_TEXT_MAX];
	char *rest = text;

	*value = NAN;
	if (!needed && len == 1 && *reader->at == UNKNOWN[0])
		return 0;
	if (len > 0 && len < sizeof(text)) {
		memcpy(text, reader->at, len);
		text[len] = '\0';
		if (strspn(text, "0123456789.e+-") == len && isdigit((unsigned char)text[0]))
			*value = strtod(text, &rest);
	}
	if (rest == text || *rest != '\0' || !isfinite(*value) || *value < 0 ||
		(needed && !(*value > 0)))
		return refuse_line(reader, reader->at,
			needed ? "a number above 0" : "a number, or \"-\" for what is not known");
	return 0;
}

static int
read_mode(struct reader *reader, const char *end, bool *paired)
{
	size_t len = (size_t)(end - reader->at);

	*paired = len == 6 && memcmp(reader->at, "paired", len) == 0;
	if (*paired || (len == 6 && memcmp(reader->at, "stored", len) == 0))
		return 0;
	return refuse_line(reader, reader->at, "\"paired\" or \"stored\"");
}

static int
read_field(struct reader *reader, const struct line_field *field, const char *end, void *into)
{
	void *to = (char *)into + field->offset;

	switch (field->type) {
	case LINE_FIELD_TIME:
		return read_time(reader, end, to);
	case LINE_FIELD_TEXT:
	case LINE_FIELD_LATER_TEXT:
		return read_text(reader, end, to);
	case LINE_FIELD_NEEDED:
		return read_number(reader, end, true, to);
	case LINE_FIELD_NUMBER:
		return read_number(reader, end, false, to);
	case LINE_FIELD_MODE:
		return read_mode(reader, end, to);
	}
	return 0;
}

int
fields_parse(const struct line_field *fields, void *into, const struct location *at,
	struct arena *arena, struct err *err)
{
	struct reader reader = {
		.line = at,
		.at = at->line_text,
		.end = at->line_text + at->line_len,
		.arena = arena,
		.err = err,
	};

	for (const struct line_field *field = fields; field->name; field++) {
		const char *end = field_end(&reader);

		if (read_field(&reader, field, end, into) < 0)
			return -1;
		if (field[1].name && field[1].type == LINE_FIELD_LATER_TEXT && end == reader.end)
			return 0;
		if (field[1].name && next_field(&reader, end, field[1].name) < 0)
			return -1;
		if (!field[1].name && end != reader.end)
			return refuse_line(&reader, end, "the end of the line");
	}
	return 0;
}
