#include "format/table.h"

#include "base/mem.h"
#include "format/name.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

	table->starts =
		mem_grow(table->starts, &table->starts_capacity, table->ncells + 1, sizeof(size_t));
	table->starts[table->ncells++] = table->text.len;
	name_fit(&table->text, buf_text(&table->cell), table->cell.len, limit ? limit : SIZE_MAX);
	buf_put_zeros(&table->text, 1);
	buf_clear(&table->cell);
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

void
table_write(const struct table *table, size_t indent, struct buf *out)
{
	size_t widths[TABLE_MAX_COLUMNS] = {0};
	const char *cells[TABLE_MAX_COLUMNS];
	bool headings = table->columns[0].heading != NULL;

	assert(table->ncolumns > 0);

	for (size_t i = 0; headings && i < table->ncolumns; i++) {
		cells[i] = table->columns[i].heading;
		widths[i] = strlen(cells[i]);
	}
	for (size_t i = 0; i < table->ncells; i++) {
		const char *text = buf_text(&table->text) + table->starts[i];
		size_t width = name_columns(text, strlen(text));

		if (width > widths[i % table->ncolumns])
			widths[i % table->ncolumns] = width;
	}
	if (headings)
		write_row(table, cells, widths, indent, out);
	for (size_t row = 0; row + table->ncolumns <= table->ncells; row += table->ncolumns) {
		for (size_t i = 0; i < table->ncolumns; i++)
			cells[i] = buf_text(&table->text) + table->starts[row + i];
		write_row(table, cells, widths, indent, out);
	}
}
