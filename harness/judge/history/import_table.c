/*
 * Reads a history out of a table of another tool, text with a separator, into entries.
 */
#include "history/import_internal.h"

#include "base/mem.h"
#include "base/text.h"
#include "history/time_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MAX 256

enum column {
	TIME,
	VALUE,
	SERIES,
	FUNCTION,
	COMMIT,
	ERROR,
	UNIT,
	METRIC,
	CLASS,
	NCOLUMNS,
	IGNORED = NCOLUMNS
};

static const struct column_name {
	const char *name;
	enum column column;
} names[] = {
	{"time", TIME},
	{"timestamp", TIME},
	{"date", TIME},
	{"started", TIME},
	{"value", VALUE},
	{"cost", VALUE},
	{"series", SERIES},
	{"benchmark", SERIES},
	{"workload", SERIES},
	{"name", SERIES},
	{"function", FUNCTION},
	{"commit", COMMIT},
	{"revision", COMMIT},
	{"sha", COMMIT},
	{"error", ERROR},
	{"unit", UNIT},
	{"metric", METRIC},
	{"machine_class", CLASS},
	{"machine", CLASS},
};

/* A table that is being read: one row at a time, whose fields are decoded into `cells`. */
struct table_reader {
	struct import *import;
	struct err *err;
	const char *at;
	const char *end;
	char separator;
	enum column columns[COLUMNS_MAX]; /* of the fields of a row */
	size_t ncolumns;
	struct buf cells[NCOLUMNS + 1]; /* the last is of the ignored columns */
	const char *starts[NCOLUMNS + 1];
	const char *row;
};

static struct location
place_of(const struct table_reader *reader, const char *at)
{
	const struct import *import = reader->import;

	return location_at(import->name, import->text, import->len, (size_t)(at - import->text));
}

/* Reads a field, and its separator or the end of its line; *ends: it is the last of its row. */
static int
read_field(struct table_reader *reader, struct buf *cell, bool *ends)
{
	const char *start = reader->at;
	const bool quoted = start < reader->end && *start == '"';
	const char *at = start + quoted;
	bool open = quoted;

	buf_clear(cell);
	for (; at < reader->end; at++) {
		if (open && *at == '"' && at + 1 < reader->end && at[1] == '"')
			at++;
		else if (open && *at == '"') {
			open = false;
			continue;
		} else if (!open && (*at == reader->separator || *at == '\n'))
			break;
		else if (!open && *at == '\r' && (at + 1 == reader->end || at[1] == '\n'))
			continue;
		buf_putc(cell, *at);
	}
	*ends = at == reader->end || *at == '\n';
	reader->at = at + (at < reader->end);
	if (!open && memchr(buf_text(cell), '\0', cell->len) == NULL)
		return 0;
	const struct location where = place_of(reader, start);

	return err_set_at(reader->err, &where,
		open ? "expected a '\"' that ends this field" : "expected text without zero bytes");
}

static enum column
column_of(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasecmp(name, names[i].name) == 0)
			return names[i].column;
	}
	return IGNORED;
}

static bool
has_column(const struct table_reader *reader, enum column column)
{
	for (size_t i = 0; i < reader->ncolumns; i++) {
		if (reader->columns[i] == column)
			return true;
	}
	return false;
}

static int
refuse_names(struct table_reader *reader, const char *expected)
{
	const struct location where = place_of(reader, reader->row);

	err_set_at(reader->err, &where, "expected %s in the first line", expected);
	return err_note(reader->err,
		"a table names its columns: time, value, series, and where known commit, error, unit, "
		"function, metric, machine_class; other inputs are data.js of github-action-benchmark "
		"and the JSON of 'bencher perf'");
}

static void
choose_separator(struct table_reader *reader)
{
	static const char candidates[] = "\t;,";
	const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
	const size_t len = (size_t)((newline ? newline : reader->end) - reader->at);

	reader->separator = ',';
	for (const char *c = candidates; *c; c++) {
		if (memchr(reader->at, *c, len)) {
			reader->separator = *c;
			return;
		}
	}
}

static int
read_names(struct table_reader *reader)
{
	struct buf *name = &reader->cells[IGNORED];
	bool ends = false;

	choose_separator(reader);
	reader->row = reader->at;
	while (!ends) {
		const char *start = reader->at;

		if (read_field(reader, name, &ends) < 0)
			return -1;
		if (reader->ncolumns == COLUMNS_MAX)
			return refuse_names(reader, "at most 256 columns");
		const enum column column = column_of(buf_text(name));

		reader->row = start;
		if (column != IGNORED && has_column(reader, column))
			return refuse_names(reader, "one column of this meaning");
		reader->columns[reader->ncolumns++] = column;
	}
	reader->row = reader->import->text;
	if (!has_column(reader, TIME))
		return refuse_names(reader, "a column 'time'");
	if (!has_column(reader, VALUE))
		return refuse_names(reader, "a column 'value'");
	return has_column(reader, SERIES) ? 0 : refuse_names(reader, "a column 'series'");
}

/* *found is false where the row is an empty line. */
static int
read_row(struct table_reader *reader, bool *found)
{
	size_t n = 0;
	bool ends = false;

	reader->row = reader->at;
	for (size_t i = 0; i <= NCOLUMNS; i++)
		buf_clear(&reader->cells[i]);
	while (!ends) {
		const enum column column =
			n < reader->ncolumns ? reader->columns[n] : (enum column)IGNORED;

		reader->starts[column] = reader->at;
		if (read_field(reader, &reader->cells[column], &ends) < 0)
			return -1;
		n++;
		*found = n > 1 || reader->cells[column].len > 0;
	}
	if (!*found || n == reader->ncolumns)
		return 0;
	const struct location where = place_of(reader, reader->row);

	return err_set_at(reader->err, &where,
		"expected %zu fields, as in the first line; this has %zu", reader->ncolumns, n);
}

static int
refuse_table(struct table_reader *reader, enum column column, const char *expected)
{
	const struct location where = place_of(reader, reader->starts[column]);

	return err_set_at(reader->err, &where, "expected %s", expected);
}

/* An empty field, and "null" as databases write it, is NAN. */
static int
read_number(struct table_reader *reader, enum column column, double *number)
{
	const char *text = buf_text(&reader->cells[column]);
	char *end;

	*number = NAN;
	if (text[0] == '\0' || strcasecmp(text, "null") == 0 || strcmp(text, "\\N") == 0)
		return 0;
	*number = strtod(text, &end);
	if (*end != '\0' || strspn(text, "0123456789.eE+-") != strlen(text) || !isfinite(*number))
		return refuse_table(reader, column, "a number");
	return 0;
}

static int
add_row(struct table_reader *reader)
{
	const struct buf *cells = reader->cells;
	struct import_value value = {
		.machine_class = buf_text(&cells[CLASS]),
		.workload = buf_text(&cells[SERIES]),
		.function = buf_text(&cells[FUNCTION]),
		.metric = cells[METRIC].len > 0 ? buf_text(&cells[METRIC]) : "value",
		.unit = buf_text(&cells[UNIT]),
		.commit = buf_text(&cells[COMMIT]),
		.link = "",
		.at = reader->row,
	};

	if (!history_time(buf_text(&cells[TIME]), &value.started))
		return refuse_table(
			reader, TIME, "a time such as 2026-01-31T12:00:00Z, or seconds since 1970");
	if (cells[SERIES].len == 0)
		return refuse_table(reader, SERIES, "the name of a series");
	if (read_number(reader, VALUE, &value.value) < 0 ||
		read_number(reader, ERROR, &value.error) < 0)
		return -1;
	import_add(reader->import, &value);
	return 0;
}

static int
read_rows(struct table_reader *reader)
{
	while (reader->at < reader->end) {
		bool found;

		if (read_row(reader, &found) < 0 || (found && add_row(reader) < 0))
			return -1;
	}
	return 0;
}

int
import_table(struct import *import, struct err *err)
{
	struct table_reader reader = {
		.import = import,
		.err = err,
		.at = import->text + text_mark_len(import->text, import->len),
		.end = import->text + import->len,
	};
	int result = read_names(&reader);

	if (result == 0)
		result = read_rows(&reader);
	for (size_t i = 0; i <= NCOLUMNS; i++)
		buf_release(&reader.cells[i]);
	return result;
}
