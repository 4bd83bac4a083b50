/*
 * A table of text: cells collected first, then written with every column as wide as it needs.
 */
#ifndef FORMAT_TABLE_H
#define FORMAT_TABLE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define TABLE_MAX_COLUMNS 12

struct table_column {
	const char *heading; /* made safe, as cells are; NULL in the first column: no headings */
	bool right;          /* numbers */
	size_t max_columns;  /* longer names are shortened, and stay distinct; 0: never */
};

struct table_start {
	size_t text;
	size_t whole;
};

struct table {
	const struct table_column *columns; /* borrowed */
	size_t ncolumns;
	struct buf text;            /* the cells, terminated each */
	struct buf whole;           /* cells of shortened columns, in full */
	struct buf cell;            /* being filled */
	struct table_start *starts; /* of each cell */
	size_t starts_capacity;
	size_t ncells;
};

void table_init(struct table *table, const struct table_column *columns, size_t ncolumns);
void table_release(struct table *table);

/* The current cell: append to it, then table_end_cell(). Rows follow one another. */
struct buf *table_cell(struct table *table);
void table_end_cell(struct table *table);
/* A whole cell. */
void table_put(struct table *table, const char *text);

/*
 * Appends the table, each line indented by `indent` spaces and without trailing ones; nothing where
 * it has no rows.
 */
void table_write(const struct table *table, size_t indent, struct buf *out);

#endif
