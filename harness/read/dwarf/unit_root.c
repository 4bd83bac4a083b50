/*
 * Reads the root entry of a unit, which has the values that its other entries need.
 */
#include "base/mem.h"
#include "dwarf/abbrevs.h"
#include "dwarf/debug_data.h"
#include "dwarf/dwarf_internal.h"
#include "dwarf/span_index.h"

#include <dwarf.h>

/* Reads the abbreviations, all or no further than `only`. */
static bool
read_abbrevs(struct debug_unit *unit, uint64_t only)
{
	struct cursor cursor = debug_data_at(unit->data, DEBUG_ABBREV, unit->abbrev_offset);
	const unsigned char *start = cursor.at;

	/* How long the table is, only reading it tells: many units can have one. */
	if (allowance_is_used(&unit->data->work))
		return false;
	bool read = abbrevs_read(&unit->abbrevs, &unit->format, &cursor, only);

	if (start && (!debug_data_work(unit->data, (uint64_t)(cursor.at - start)) ||
			     !debug_data_memory(unit->data, abbrevs_bytes(&unit->abbrevs))))
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

/* Reads the attributes on which the meaning of others depends, in whatever order they come. */
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

/* Fills in the values of a .dwo file's unit that its skeleton or the format of such files gives. */
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
	/* Behind the headers of the only tables; DWARF 4 has no headers. */
	unit->str_offsets_base = unit->format.version < 5 ? 0 : wide ? 16 : 8;
	unit->rnglists_base = wide ? 20 : 12;
}

static void
read_root_ranges(
	struct debug_unit *unit, const struct die *root, struct span_list *spans, uint32_t item)
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
		read_root_ranges(unit, &root, spans, item);
	}
	abbrevs_release(&unit->abbrevs);
	return unit->root_read;
}
