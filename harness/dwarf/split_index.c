#include "dwarf/split_index.h"

#include <dwarf.h>

/* There are eight kinds of columns; more are not needed, whatever they are. */
#define COLUMNS_MAX 16

struct table {
	unsigned version; /* 2 or 5 */
	uint32_t ncolumns;
	uint32_t nunits;
	uint32_t nslots;
	struct cursor ids;     /* [nslots] of 8 bytes */
	struct cursor rows;    /* [nslots] of 4 bytes; from 1, 0: nothing */
	struct cursor columns; /* [ncolumns] of 4 bytes: which section */
	struct cursor offsets; /* [nunits][ncolumns] of 4 bytes */
	struct cursor sizes;   /* likewise */
};

static bool
read_table(struct table *table, const struct debug_data *package)
{
	struct cursor cursor = debug_data_at(package, DEBUG_CU_INDEX, 0);
	struct cursor number = cursor;

	*table = (struct table){.version = (unsigned)cursor_fixed(&number, 2)};
	if (table->version != 5)
		table->version = (unsigned)cursor_fixed(&cursor, 4);
	else
		cursor_skip(&cursor, 4);
	table->ncolumns = (uint32_t)cursor_fixed(&cursor, 4);
	table->nunits = (uint32_t)cursor_fixed(&cursor, 4);
	table->nslots = (uint32_t)cursor_fixed(&cursor, 4);
	/* A power of two, or the way from slot to slot does not reach all of them. */
	if (cursor.failed || (table->version != 2 && table->version != 5) ||
		table->ncolumns > COLUMNS_MAX || table->nslots == 0 ||
		(table->nslots & (table->nslots - 1)) != 0)
		return false;
	uint64_t cells = 4 * (uint64_t)table->nunits * table->ncolumns;

	table->ids = cursor;
	cursor_skip(&cursor, 8 * (uint64_t)table->nslots);
	table->rows = cursor;
	cursor_skip(&cursor, 4 * (uint64_t)table->nslots);
	table->columns = cursor;
	cursor_skip(&cursor, 4 * (uint64_t)table->ncolumns);
	table->offsets = cursor;
	cursor_skip(&cursor, cells);
	table->sizes = cursor;
	cursor_skip(&cursor, cells);
	return !cursor.failed;
}

/* Number `index` of those of `bytes` bytes that start at `cursor` and are all there. */
static uint64_t
element(struct cursor cursor, uint64_t index, size_t bytes)
{
	cursor_skip(&cursor, index * bytes);
	return cursor_fixed(&cursor, bytes);
}

/* The row of the unit, from 0; false where there is none. */
static bool
find_row(const struct table *table, uint64_t id, uint32_t *row)
{
	uint64_t mask = table->nslots - 1;
	uint64_t slot = id & mask;
	uint64_t step = (id >> 32 & mask) | 1;

	for (uint32_t tries = 0; tries < table->nslots; tries++) {
		uint64_t found = element(table->rows, slot, 4);

		if (found == 0 || found > table->nunits)
			return false;
		*row = (uint32_t)found - 1;
		if (element(table->ids, slot, 8) == id)
			return true;
		slot = (slot + step) & mask;
	}
	return false;
}

/* Which section a column is about; DEBUG_NSECTIONS for those that are of no use here. */
static enum debug_section
section_of(unsigned version, uint64_t column)
{
	switch (column) {
	case DW_SECT_INFO:
		return DEBUG_INFO;
	case DW_SECT_ABBREV:
		return DEBUG_ABBREV;
	case DW_SECT_STR_OFFSETS:
		return DEBUG_STR_OFFSETS;
	case DW_SECT_RNGLISTS: /* in version 2 it is .debug_macro */
		return version == 5 ? DEBUG_RNGLISTS : DEBUG_NSECTIONS;
	default:
		return DEBUG_NSECTIONS;
	}
}

bool
split_index_find(const struct debug_data *package, uint64_t id, struct debug_data *part)
{
	struct table table;
	uint32_t row;

	*part = (struct debug_data){0};
	if (!read_table(&table, package) || !find_row(&table, id, &row))
		return false;
	part->sections[DEBUG_STR] = package->sections[DEBUG_STR];
	for (uint32_t i = 0; i < table.ncolumns; i++) {
		uint64_t cell = (uint64_t)row * table.ncolumns + i;
		enum debug_section section =
			section_of(table.version, element(table.columns, i, 4));
		uint64_t offset = element(table.offsets, cell, 4);
		uint64_t size = element(table.sizes, cell, 4);

		if (section == DEBUG_NSECTIONS || size == 0)
			continue;
		const struct debug_bytes *whole = &package->sections[section];

		if (offset > whole->len || size > whole->len - offset)
			return false;
		part->sections[section] = (struct debug_bytes){whole->start + offset, size};
	}
	return part->sections[DEBUG_INFO].len > 0 && part->sections[DEBUG_ABBREV].len > 0;
}
