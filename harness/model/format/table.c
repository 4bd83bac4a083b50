#include "format/table.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/name_fit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The least width of a column that can show the middle of names, where they differ. */
#define LEAST_AROUND 16
/* Longer headings are shortened. */
#define HEADING_COLUMNS 80

void
table_init(struct table *table, const struct table_column *columns, size_t ncolumns)
{
	assert(ncolumns > 0 && ncolumns <= TABLE_MAX_COLUMNS);
	*table = (struct table){.columns = columns, .ncolumns = ncolumns};
}

void
table_release(struct table *table)
{
	buf_release(&table->text);
	buf_release(&table->cell);
	buf_release(&table->whole);
	free(table->starts);
}

struct buf *
table_cell(struct table *table)
{
	return &table->cell;
}

void
table_end_cell(struct table *table)
{
	assert(table->ncolumns > 0);
	size_t limit = table->columns[table->ncells % table->ncolumns].max_columns;

	table->starts = mem_grow(
		table->starts, &table->starts_capacity, table->ncells + 1, sizeof(*table->starts));
	table->starts[table->ncells++] =
		(struct table_start){table->text.len, limit ? table->whole.len : 0};
	name_fit(&table->text, buf_text(&table->cell), table->cell.len, limit ? limit : SIZE_MAX);
	buf_put_zeros(&table->text, 1);
	if (limit) {
		escape_utf8(&table->whole, buf_text(&table->cell), table->cell.len);
		buf_put_zeros(&table->whole, 1);
	}
	buf_clear(&table->cell);
}

static const char *
text_of(const struct table *table, size_t cell)
{
	return buf_text(&table->text) + table->starts[cell].text;
}

static const char *
whole_text_of(const struct table *table, size_t cell)
{
	return buf_text(&table->whole) + table->starts[cell].whole;
}

/*
 * The length of the longest beginning that the cell's whole text has in common with that of another
 * cell of its column, of those that differ from it but are shown alike. 0: there is no such cell.
 */
static size_t
common_length(const struct table *table, size_t cell)
{
	const char *whole = whole_text_of(table, cell);
	size_t longest = 0;

	for (size_t i = cell % table->ncolumns; i < table->ncells; i += table->ncolumns) {
		const char *other = whole_text_of(table, i);
		size_t at = 0;

		if (i == cell || strcmp(text_of(table, i), text_of(table, cell)) != 0)
			continue;
		while (whole[at] && whole[at] == other[at])
			at++;
		if ((whole[at] || other[at]) && at > longest)
			longest = at;
	}
	return longest;
}

/*
 * Appends a cell as it is shown: if two different texts of a column are the same when shortened,
 * they are shortened around the place where they differ.
 */
static void
put_cell(const struct table *table, size_t cell, struct buf *out)
{
	const size_t limit = table->columns[cell % table->ncolumns].max_columns;
	size_t differs_at = 0;

	if (limit >= LEAST_AROUND) {
		const char *whole = whole_text_of(table, cell);

		differs_at = common_length(table, cell);
		while (differs_at > 0 && ((unsigned char)whole[differs_at] & 0xc0) == 0x80)
			differs_at--;
		if (differs_at > 0)
			name_fit_around(out, whole, strlen(whole), differs_at, limit);
	}
	if (differs_at == 0)
		buf_puts(out, text_of(table, cell));
	buf_put_zeros(out, 1);
}

void
table_put(struct table *table, const char *text)
{
	buf_puts(table_cell(table), text);
	table_end_cell(table);
}

static void
pad(struct buf *out, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		buf_putc(out, ' ');
}

static void
write_row(const struct table *table, const char *const *cells, const size_t *widths, size_t indent,
	struct buf *out)
{
	size_t owed = indent; /* spaces are written only when something follows them */

	for (size_t i = 0; i < table->ncolumns; i++) {
		size_t width = name_columns(cells[i], strlen(cells[i]));
		size_t rest = widths[i] - width;

		if (table->columns[i].right)
			owed += rest;
		if (width > 0) {
			pad(out, owed);
			owed = 0;
			buf_puts(out, cells[i]);
		} else {
			owed += width;
		}
		owed += (table->columns[i].right ? 0 : rest) + 2;
	}
	buf_putc(out, '\n');
}

/* A heading can be a name of a file, such as a unit. */
static void
put_heading(const char *heading, struct buf *out)
{
	name_fit(out, heading, strlen(heading), HEADING_COLUMNS);
	buf_put_zeros(out, 1);
}

void
table_write(const struct table *table, size_t indent, struct buf *out)
{
	size_t widths[TABLE_MAX_COLUMNS] = {0};
	const char *cells[TABLE_MAX_COLUMNS];
	/* A table without cells has no headings. */
	bool headings = table->columns[0].heading != NULL && table->ncells > 0;
	struct buf headings_shown = {0};
	struct buf shown = {0};

	assert(table->ncolumns > 0);

	for (size_t i = 0; headings && i < table->ncolumns; i++)
		put_heading(table->columns[i].heading, &headings_shown);
	for (size_t i = 0; headings && i < table->ncolumns; i++) {
		cells[i] =
			i > 0 ? cells[i - 1] + strlen(cells[i - 1]) + 1 : buf_text(&headings_shown);
		widths[i] = name_columns(cells[i], strlen(cells[i]));
	}
	for (size_t i = 0; i < table->ncells; i++) {
		size_t start = shown.len;

		put_cell(table, i, &shown);
		size_t width = name_columns(buf_text(&shown) + start, shown.len - start - 1);

		if (width > widths[i % table->ncolumns])
			widths[i % table->ncolumns] = width;
	}
	if (headings)
		write_row(table, cells, widths, indent, out);
	const char *at = buf_text(&shown);

	for (size_t row = 0; row + table->ncolumns <= table->ncells; row += table->ncolumns) {
		for (size_t i = 0; i < table->ncolumns; i++) {
			cells[i] = at;
			at += strlen(at) + 1;
		}
		write_row(table, cells, widths, indent, out);
	}
	buf_release(&headings_shown);
	buf_release(&shown);
}
