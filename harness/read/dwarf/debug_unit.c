#include "dwarf/debug_unit.h"

#include "base/mem.h"
#include "base/search.h"
#include "dwarf/abbrevs.h"
#include "dwarf/debug_data.h"

#include <dwarf.h>
#include <stdlib.h>

/* Positions in units are kept in 32 bits. */
#define UNIT_BYTES_MAX UINT32_MAX

/* Reads one header; false where the rest of the section cannot be read. */
static bool
read_header(struct debug_unit *unit, struct cursor *cursor, const unsigned char *start)
{
	uint64_t length = cursor_fixed(cursor, 4);

	unit->offset = (uint64_t)(cursor->at - start) - 4;
	unit->format.offset_bytes = 4;
	if (length == UINT32_MAX) {
		unit->format.offset_bytes = 8;
		length = cursor_fixed(cursor, 8);
	}
	if (cursor->failed || length > (uint64_t)(cursor->end - cursor->at) ||
		length > UNIT_BYTES_MAX - 12)
		return false;
	struct cursor unit_bytes = {cursor->at, cursor->at + length, false};
	uint64_t version = cursor_fixed(&unit_bytes, 2);
	uint64_t type = DW_UT_compile;

	if (version >= 5) {
		type = cursor_fixed(&unit_bytes, 1);
		unit->format.address_bytes = (uint8_t)cursor_fixed(&unit_bytes, 1);
	}
	unit->abbrev_offset = cursor_fixed(&unit_bytes, unit->format.offset_bytes);
	if (version < 5)
		unit->format.address_bytes = (uint8_t)cursor_fixed(&unit_bytes, 1);
	if (type == DW_UT_skeleton || type == DW_UT_split_compile) {
		unit->dwo_id = cursor_fixed(&unit_bytes, 8);
		unit->has_dwo_id = true;
	}
	if (type == DW_UT_type || type == DW_UT_split_type)
		cursor_skip(&unit_bytes, 8 + (uint64_t)unit->format.offset_bytes);
	unit->format.version =
		version >= 2 && version <= 5 && !unit_bytes.failed ? (uint8_t)version : 0;
	if (unit->format.address_bytes != 4 && unit->format.address_bytes != 8)
		unit->format.version = 0;
	unit->first_die = (uint64_t)(unit_bytes.at - start);
	cursor->at += length;
	unit->end = (uint64_t)(cursor->at - start);
	return true;
}

void
debug_units_read(struct debug_units *units, struct debug_data *data)
{
	struct cursor cursor = debug_data_at(data, DEBUG_INFO, 0);
	const unsigned char *start = cursor.at;
	size_t capacity = 0;

	*units = (struct debug_units){0};
	while (cursor.at < cursor.end && units->count < UINT32_MAX - 1) {
		struct debug_unit unit = {.data = data, .of = units};

		if (!read_header(&unit, &cursor, start))
			break;
		if (unit.format.version == 0)
			continue;
		/* The first entry of each table follows its header. */
		unit.str_offsets_base = unit.format.offset_bytes == 8 ? 16 : 8;
		unit.addr_base = unit.str_offsets_base;
		if (!debug_data_memory(data, sizeof(unit)))
			break;
		if (units->count == capacity)
			units->units = mem_grow(
				units->units, &capacity, units->count + 1, sizeof(*units->units));
		units->units[units->count++] = unit;
	}
}

void
debug_units_release(struct debug_units *units)
{
	for (size_t i = 0; i < units->count; i++)
		abbrevs_release(&units->units[i].abbrevs);
	free(units->units);
	*units = (struct debug_units){0};
}

struct debug_unit *
debug_units_find(const struct debug_units *units, uint64_t offset)
{
	size_t until = search_until(
		units->units, units->count, SEARCH_BY(struct debug_unit, offset), offset);

	if (until == 0)
		return NULL;
	struct debug_unit *unit = &units->units[until - 1];

	return offset >= unit->first_die && offset < unit->end ? unit : NULL;
}
