/*
 * Reads the entries of .debug_info: the values of their attributes, and the ranges of their code.
 */
#include "base/mem.h"
#include "dwarf/abbrevs.h"
#include "dwarf/debug_data.h"
#include "dwarf/dwarf_internal.h"
#include "dwarf/span_index.h"

#include <dwarf.h>

/* For an entry of a list of ranges: two bytes become a span, and many functions can have one list.
 */
#define RANGE_WORK 16

bool
die_open(struct die *die, const struct debug_unit *unit, uint64_t offset)
{
	const unsigned char *info = unit->data->sections[DEBUG_INFO].start;

	*die = (struct die){.unit = unit};
	if (offset < unit->first_die || offset >= unit->end)
		return false;
	die->cursor = (struct cursor){info + offset, info + unit->end, false};
	die->abbrev = abbrevs_find(&unit->abbrevs, cursor_uleb(&die->cursor));
	return die->abbrev != NULL;
}

void
die_read_value(const struct debug_unit *unit, struct cursor *cursor, struct abbrev_form form,
	struct die_value *value)
{
	value->class = form.class;
	/* A flag may be there without any byte. */
	if (form.layout == LAYOUT_INDIRECT)
		die_read_value(unit, cursor, abbrev_read_form(&unit->format, cursor), value);
	else if (form.class == DIE_OTHER)
		abbrev_skip_value(&unit->format, form, cursor);
	else if (form.layout == LAYOUT_FIXED)
		value->number = form.bytes > 0 ? cursor_fixed(cursor, form.bytes) : 1;
	else if (form.layout == LAYOUT_ULEB)
		value->number = cursor_uleb(cursor);
	else if (form.layout == LAYOUT_SLEB)
		value->number = (uint64_t)cursor_sleb(cursor);
	else
		value->text = cursor_string(cursor);
	if (form.class == DIE_UNIT_REF) {
		value->class = DIE_REFERENCE;
		value->number += unit->offset;
	}
}

bool
die_next_of(struct die *die, unsigned uses, struct die_value *value)
{
	const struct abbrevs *abbrevs = &die->unit->abbrevs;
	uint32_t at = die->next_attr;

	if (at >= die->abbrev->nattrs)
		return false;
	const struct abbrev_attr *attrs = &abbrevs->attrs[die->abbrev->first_attr];

	for (; at < die->abbrev->nattrs && !(attrs[at].uses & uses); at++) {
		if (attrs[at].form.layout == LAYOUT_FIXED)
			cursor_skip(&die->cursor, attrs[at].form.bytes);
		else
			abbrev_skip_value(&abbrevs->format, attrs[at].form, &die->cursor);
	}
	die->next_attr = at < die->abbrev->nattrs ? at + 1 : at;
	if (at == die->abbrev->nattrs)
		return false;
	*value = (struct die_value){.attr = attrs[at].name};
	if (attrs[at].form.class == DIE_IN_TABLE) {
		value->class = DIE_CONSTANT;
		value->number = (uint64_t)attrs[at].constant;
	} else {
		die_read_value(die->unit, &die->cursor, attrs[at].form, value);
	}
	return !die->cursor.failed;
}

bool
die_next(struct die *die, struct die_value *value)
{
	return die_next_of(die, USE_ALL, value);
}

/* Longer than any name; a string can be referred to from everywhere. */
#define STRING_BYTES_MAX (1 << 16)

/* The terminated string at `offset`, of at most 64 KiB; NULL where there is none. */
static const char *
debug_data_string(const struct debug_data *data, enum debug_section section, uint64_t offset)
{
	struct cursor cursor = debug_data_at(data, section, offset);

	if (cursor.end - cursor.at > STRING_BYTES_MAX)
		cursor.end = cursor.at + STRING_BYTES_MAX;
	return cursor.failed ? NULL : cursor_string(&cursor);
}

/* The string of an index into the unit's table of strings. */
static const char *
indexed_string(const struct debug_unit *unit, uint64_t index)
{
	unsigned bytes = unit->format.offset_bytes;

	if (index > UINT32_MAX)
		return NULL;
	struct cursor cursor = debug_data_at(
		unit->data, DEBUG_STR_OFFSETS, unit->str_offsets_base + index * bytes);
	uint64_t offset = cursor_fixed(&cursor, bytes);

	return cursor.failed ? NULL : debug_data_string(unit->data, DEBUG_STR, offset);
}

const char *
die_string(const struct debug_unit *unit, const struct die_value *value)
{
	if (value->class == DIE_TEXT)
		return value->text;
	if (value->class == DIE_STR)
		return debug_data_string(unit->data, DEBUG_STR, value->number);
	if (value->class == DIE_LINE_STR)
		return debug_data_string(unit->data, DEBUG_LINE_STR, value->number);
	if (value->class == DIE_SHARED_STR && unit->data->alt)
		return debug_data_string(unit->data->alt, DEBUG_STR, value->number);
	return value->class == DIE_INDEXED_STR ? indexed_string(unit, value->number) : NULL;
}

static bool
read_address(const struct debug_unit *unit, uint64_t index, uint64_t *address)
{
	if (index > UINT32_MAX)
		return false;
	struct cursor cursor = debug_data_at(
		unit->data, DEBUG_ADDR, unit->addr_base + index * unit->format.address_bytes);

	*address = cursor_fixed(&cursor, unit->format.address_bytes);
	return !cursor.failed;
}

/* The bytes of a span and of its places in an index. */
#define SPAN_BYTES 64

/* False where there is no more memory for it. */
static bool
add_span(const struct debug_unit *unit, struct span_list *spans, uint64_t low, uint64_t high,
	uint32_t item)
{
	if (low < high && !debug_data_memory(unit->data, SPAN_BYTES))
		return false;
	span_list_add(spans, low, high, item);
	return true;
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
		else if (!add_span(unit, spans, base + low, base + high, item))
			return false;
	}
	return false;
}

/* An address by its index; the cursor fails where there is none of it. */
static uint64_t
read_indexed(const struct debug_unit *unit, struct cursor *cursor)
{
	uint64_t address = 0;

	if (!read_address(unit, cursor_uleb(cursor), &address))
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
die_ranges(const struct debug_unit *unit, uint64_t offset, bool indexed, struct span_list *spans,
	uint32_t item)
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

	while (debug_data_work(unit->data, RANGE_WORK) && read_entry(unit, &cursor, &base, &span) &&
		!cursor.failed)
		if (!add_span(unit, spans, span.low, span.high, item))
			return false;
	return !cursor.failed && !allowance_is_used(&unit->data->work);
}

void
die_take_code(const struct debug_unit *unit, const struct die_value *value, struct die_code *code)
{
	uint64_t number = value->number;

	switch (value->attr) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
		if (value->class == DIE_INDEX && !read_address(unit, number, &number))
			return;
		if (value->attr == DW_AT_low_pc) {
			code->has_low = true;
			code->low = number;
		} else {
			code->has_high = true;
			code->high = number;
			code->high_is_size = value->class == DIE_CONSTANT;
		}
		break;
	case DW_AT_ranges:
		/* DWARF 3 wrote offsets as plain numbers. */
		code->has_ranges = true;
		code->ranges_indexed = value->class == DIE_INDEX;
		code->ranges = number;
		break;
	default:
		break;
	}
}

bool
die_code_spans(const struct debug_unit *unit, const struct die_code *code, struct span_list *spans,
	uint32_t item)
{
	uint64_t high = code->high_is_size ? code->low + code->high : code->high;

	size_t had = spans->count;

	if (code->has_ranges) {
		if (die_ranges(unit, code->ranges, code->ranges_indexed, spans, item))
			return true;
		spans->count = had;
		return false;
	}
	if (code->has_low && code->has_high)
		return add_span(unit, spans, code->low, high, item);
	return true;
}
