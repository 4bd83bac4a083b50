#include "history/entry.h"

#include "base/text.h"
#include "format/figures.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Larger numbers are of the next smaller unit: seconds until the year 5138. */
#define EPOCH_SECONDS_MAX 1e11
#define EPOCH_STEP 1e3
#define EPOCH_UNITS 4

bool
history_epoch(double number, int64_t *seconds)
{
	for (int i = 0; i < EPOCH_UNITS; i++, number /= EPOCH_STEP) {
		if (number >= 1 && number < EPOCH_SECONDS_MAX) {
			*seconds = (int64_t)number;
			return true;
		}
	}
	return false;
}

/* The offset from UTC behind a time, "Z", "+02", "+0200", "+02:00" or " UTC", in seconds. */
static bool
read_zone(const char *text, int *offset)
{
	int hours;
	int minutes = 0;
	int end = 0;

	*offset = 0;
	while (*text == ' ')
		text++;
	if (*text == '\0' || strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0)
		return true;
	if (*text != '+' && *text != '-')
		return false;
	if (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &end) < 2 &&
		sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &end) < 2 &&
		sscanf(text + 1, "%2d%n", &hours, &end) < 1)
		return false;
	*offset = (hours * 60 + minutes) * (*text == '-' ? -60 : 60);
	return text[1 + end] == '\0' && hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60;
}

static bool
read_date(const char *text, int64_t *seconds)
{
	struct tm utc = {0};
	const char *rest = strptime(text, "%Y-%m-%d", &utc);
	int offset;

	if (!rest)
		return false;
	const int day = utc.tm_mday;

	if (*rest == 'T' || (*rest == ' ' && isdigit((unsigned char)rest[1]))) {
		const char *minute = strptime(rest + 1, "%H:%M", &utc);
		const char *second = minute ? strptime(minute, ":%S", &utc) : NULL;

		rest = second ? second : minute;
		if (second && *rest == '.')
			rest += 1 + strspn(rest + 1, "0123456789");
	}
	if (!rest || !read_zone(rest, &offset))
		return false;
	*seconds = timegm(&utc);
	/* A day that does not exist, such as the 31st of June, has become another. */
	if (utc.tm_mday != day)
		return false;
	*seconds -= offset;
	return *seconds > 0;
}

bool
history_time(const char *text, int64_t *seconds)
{
	char *end;

	if (text[0] != '\0' && strspn(text, "0123456789.") == strlen(text)) {
		const double number = strtod(text, &end);

		return *end == '\0' && history_epoch(number, seconds);
	}
	return read_date(text, seconds);
}

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

/* "-" where it is not finite. */
static void
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

/* The error that something else was expected at `where` in the line; returns -1. */
static int
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

bool
history_is_url(const char *text)
{
	return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

void
history_entry_put(const struct history_entry *entry, struct buf *out)
{
	format_time(out, entry->started);
	buf_putc(out, '\t');
	fields_put_text(out, entry->commit);
	buf_putc(out, '\t');
	fields_put_text(out, entry->metric);
	buf_putc(out, '\t');
	fields_put_text(out, entry->unit);
	buf_putc(out, '\t');
	fields_put_number(out, entry->cost);
	buf_putc(out, '\t');
	fields_put_number(out, entry->error);
	buf_puts(out, entry->paired ? "\tpaired\t" : "\tstored\t");
	fields_put_text(out, entry->against);
	buf_putc(out, '\t');
	fields_put_number(out, entry->ratio);
	buf_putc(out, '\t');
	fields_put_number(out, entry->ratio_error);
	buf_putc(out, '\t');
	fields_put_text(out, entry->version);
	buf_putc(out, '\t');
	fields_put_text(out, entry->report);
	buf_putc(out, '\t');
	fields_put_text(out, entry->function);
	buf_putc(out, '\t');
	fields_put_text(out, entry->work);
	buf_putc(out, '\n');
}

/* The numbers of an entry agree with one another. */
static int
check_numbers(const struct history_entry *entry, const struct location *at, struct err *err)
{
	if (entry->paired && !(entry->ratio > 0))
		return fields_refuse(at, at->line_text, "a ratio above 0 in a paired line", err);
	if (!entry->paired && isfinite(entry->ratio))
		return fields_refuse(at, at->line_text, "no ratio in a stored line", err);
	return 0;
}

static const struct line_field fields[] = {
	{"the time", LINE_FIELD_TIME, offsetof(struct history_entry, started)},
	{"a tab and the commit", LINE_FIELD_TEXT, offsetof(struct history_entry, commit)},
	{"a tab and the metric", LINE_FIELD_TEXT, offsetof(struct history_entry, metric)},
	{"a tab and the unit", LINE_FIELD_TEXT, offsetof(struct history_entry, unit)},
	{"a tab and the cost", LINE_FIELD_NEEDED, offsetof(struct history_entry, cost)},
	{"a tab and the standard error", LINE_FIELD_NUMBER, offsetof(struct history_entry, error)},
	{"a tab and the mode", LINE_FIELD_MODE, offsetof(struct history_entry, paired)},
	{"a tab and the commit compared with", LINE_FIELD_TEXT,
		offsetof(struct history_entry, against)},
	{"a tab and the ratio", LINE_FIELD_NUMBER, offsetof(struct history_entry, ratio)},
	{"a tab and the ratio's standard error", LINE_FIELD_NUMBER,
		offsetof(struct history_entry, ratio_error)},
	{"a tab and the version", LINE_FIELD_TEXT, offsetof(struct history_entry, version)},
	{"a tab and the report", LINE_FIELD_TEXT, offsetof(struct history_entry, report)},
	{"a tab and the function", LINE_FIELD_TEXT, offsetof(struct history_entry, function)},
	{"a tab and the work", LINE_FIELD_LATER_TEXT, offsetof(struct history_entry, work)},
	{NULL, LINE_FIELD_TEXT, 0},
};

int
history_entry_parse(struct history_entry *entry, const struct location *at, struct arena *arena,
	struct err *err)
{
	*entry = (struct history_entry){.work = ""};
	return fields_parse(fields, entry, at, arena, err) < 0 ? -1 : check_numbers(entry, at, err);
}

int
history_entry_compare(const struct history_entry *a, const struct history_entry *b)
{
	int order = (a->started > b->started) - (a->started < b->started);

	order = order ? order : strcmp(a->commit, b->commit);
	order = order ? order : strcmp(a->metric, b->metric);
	order = order ? order : (a->paired > b->paired) - (a->paired < b->paired);
	order = order ? order : strcmp(a->against, b->against);
	return order ? order : strcmp(a->function, b->function);
}
