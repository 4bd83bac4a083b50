#include "dwarf/die_ranges.h"

#include <dwarf.h>

bool
die_ranges_address(const struct debug_unit *unit, uint64_t index, uint64_t *address)
{
	if (index > UINT32_MAX)
		return false;
	struct cursor cursor = debug_data_at(
		unit->data, DEBUG_ADDR, unit->addr_base + index * unit->format.address_bytes);

	*address = cursor_fixed(&cursor, unit->format.address_bytes);
	return !cursor.failed;
}

static bool
read_old_list(
	const struct debug_unit *unit, uint64_t offset, struct span_list *spans, uint32_t item)
{
	unsigned bytes = unit->format.address_bytes;
	uint64_t highest = bytes == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t base = unit->low_pc;
	struct cursor cursor = debug_data_at(unit->data, DEBUG_RANGES, offset);

	while (!cursor.failed && debug_data_work(unit->data, 2 * (uint64_t)bytes)) {
		uint64_t low = cursor_fixed(&cursor, bytes);
		uint64_t high = cursor_fixed(&cursor, bytes);

		if (low == 0 && high == 0)
			return !cursor.failed;
		if (low == highest)
			base = high;
		else
			span_list_add(spans, base + low, base + high, item);
	}
	return false;
}

/* An address by its index; the cursor fails where there is none of it. */
static uint64_t
read_indexed(const struct debug_unit *unit, struct cursor *cursor)
{
	uint64_t address = 0;

	if (!die_ranges_address(unit, cursor_uleb(cursor), &address))
		cursor->failed = true;
	return address;
}

/* One entry of a list; false at its end and where it is damaged. */
static bool
read_entry(const struct debug_unit *unit, struct cursor *cursor, uint64_t *base, struct span *span)
{
	unsigned bytes = unit->format.address_bytes;
	uint64_t first = 0;

	*span = (struct span){0};
	switch (cursor_fixed(cursor, 1)) {
	case DW_RLE_base_addressx:
		*base = read_indexed(unit, cursor);
		return true;
	case DW_RLE_startx_endx:
		span->low = read_indexed(unit, cursor);
		span->high = read_indexed(unit, cursor);
		return true;
	case DW_RLE_startx_length:
		span->low = read_indexed(unit, cursor);
		span->high = span->low + cursor_uleb(cursor);
		return true;
	case DW_RLE_offset_pair:
		first = cursor_uleb(cursor);
		span->low = *base + first;
		span->high = *base + cursor_uleb(cursor);
		return true;
	case DW_RLE_base_address:
		*base = cursor_fixed(cursor, bytes);
		return true;
	case DW_RLE_start_end:
		span->low = cursor_fixed(cursor, bytes);
		span->high = cursor_fixed(cursor, bytes);
		return true;
	case DW_RLE_start_length:
		span->low = cursor_fixed(cursor, bytes);
		span->high = span->low + cursor_uleb(cursor);
		return true;
	case DW_RLE_end_of_list:
		return false;
	default:
		cursor->failed = true;
		return false;
	}
}

bool
die_ranges_read(const struct debug_unit *unit, uint64_t offset, bool indexed,
	struct span_list *spans, uint32_t item)
{
	uint64_t base = unit->low_pc;
	struct span span;

	if (unit->format.version < 5) {
		/* A skeleton's own list is not one of those. */
		if (unit->skeleton)
			offset += unit->skeleton->split_ranges_base;
		return read_old_list(unit, offset, spans, item);
	}
	if (indexed) {
		unsigned bytes = unit->format.offset_bytes;

		if (offset > UINT32_MAX)
			return false;
		struct cursor entry = debug_data_at(
			unit->data, DEBUG_RNGLISTS, unit->rnglists_base + offset * bytes);

		offset = unit->rnglists_base + cursor_fixed(&entry, bytes);
		if (entry.failed)
			return false;
	}
	struct cursor cursor = debug_data_at(unit->data, DEBUG_RNGLISTS, offset);

	while (debug_data_work(unit->data, 2) && read_entry(unit, &cursor, &base, &span) &&
		!cursor.failed)
		span_list_add(spans, span.low, span.high, item);
	return !cursor.failed && unit->data->work_left > 0;
}
