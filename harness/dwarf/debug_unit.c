#include "dwarf/debug_unit.h"

#include "base/mem.h"
#include "base/search.h"
#include "dwarf/die.h"

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

/* Reads the abbreviations, all or no further than `only`. */
static bool
read_abbrevs(struct debug_unit *unit, uint64_t only)
{
	struct cursor cursor = debug_data_at(unit->data, DEBUG_ABBREV, unit->abbrev_offset);
	const unsigned char *start = cursor.at;
	bool read = abbrevs_read(&unit->abbrevs, &unit->format, &cursor, only);

	if (start && !debug_data_work(unit->data, (uint64_t)(cursor.at - start)))
		read = false;
	if (!read)
		abbrevs_release(&unit->abbrevs);
	return read;
}

bool
debug_unit_use(struct debug_unit *unit)
{
	if (!unit->root_read && !debug_unit_open(unit, NULL, 0))
		return false;
	if (!unit->abbrevs_tried) {
		unit->abbrevs_tried = true;
		read_abbrevs(unit, 0);
	}
	return unit->abbrevs.count > 0;
}

/* What the meaning of other attributes depends on, whichever comes first. */
static void
read_bases(struct debug_unit *unit, struct die die)
{
	struct die_value value;

	while (die_next(&die, &value)) {
		switch (value.attr) {
		case DW_AT_str_offsets_base:
			unit->str_offsets_base = value.number;
			break;
		case DW_AT_addr_base:
		case DW_AT_GNU_addr_base:
			unit->addr_base = value.number;
			break;
		case DW_AT_rnglists_base:
			unit->rnglists_base = value.number;
			break;
		case DW_AT_GNU_ranges_base:
			unit->split_ranges_base = value.number;
			break;
		case DW_AT_GNU_dwo_id:
			unit->dwo_id = value.number;
			unit->has_dwo_id = true;
			break;
		case DW_AT_stmt_list:
			unit->lines = value.number;
			unit->has_lines = true;
			break;
		case DW_AT_language:
			unit->language = (uint16_t)value.number;
			break;
		default:
			break;
		}
	}
}

/* What a unit of a .dwo file has from its skeleton, or by the form of such files. */
static void
inherit(struct debug_unit *unit)
{
	const struct debug_unit *skeleton = unit->skeleton;
	bool wide = unit->format.offset_bytes == 8;

	unit->low_pc = skeleton->low_pc;
	unit->addr_base = skeleton->addr_base;
	unit->folder = skeleton->folder;
	unit->dwo_name = NULL;
	unit->has_lines = false;
	/* Behind the headers of their only tables, which DWARF 4 did without. */
	unit->str_offsets_base = unit->format.version < 5 ? 0 : wide ? 16 : 8;
	unit->rnglists_base = wide ? 20 : 12;
}

static void
read_root(struct debug_unit *unit, const struct die *root, struct span_list *spans, uint32_t item)
{
	struct die die = *root;
	struct die_code code = {0};
	struct die_value value;

	read_bases(unit, die);
	while (die_next(&die, &value)) {
		if (value.attr == DW_AT_comp_dir)
			unit->folder = die_string(unit, &value);
		if (value.attr == DW_AT_dwo_name || value.attr == DW_AT_GNU_dwo_name)
			unit->dwo_name = die_string(unit, &value);
		die_take_code(unit, &value, &code);
	}
	unit->low_pc = code.low;
	if (unit->skeleton)
		inherit(unit);
	if (spans)
		unit->code_lost = !die_code_spans(unit, &code, spans, item);
}

bool
debug_unit_open(struct debug_unit *unit, struct span_list *spans, uint32_t item)
{
	struct cursor cursor = debug_data_at(unit->data, DEBUG_INFO, unit->first_die);
	struct die root;

	if (unit->root_read)
		return true;
	/* The whole table is left for later: the first abbreviation is most often the root's. */
	if (cursor.failed || !read_abbrevs(unit, cursor_uleb(&cursor)))
		return false;
	if (die_open(&root, unit, unit->first_die)) {
		unit->root_read = true;
		read_root(unit, &root, spans, item);
	}
	abbrevs_release(&unit->abbrevs);
	return unit->root_read;
}
