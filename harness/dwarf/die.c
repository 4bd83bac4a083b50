#include "dwarf/die.h"

#include "dwarf/die_ranges.h"

#include <dwarf.h>

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

void
die_take_code(const struct debug_unit *unit, const struct die_value *value, struct die_code *code)
{
	uint64_t number = value->number;

	switch (value->attr) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
		if (value->class == DIE_INDEX && !die_ranges_address(unit, number, &number))
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
		if (die_ranges_read(unit, code->ranges, code->ranges_indexed, spans, item))
			return true;
		spans->count = had;
		return false;
	}
	if (code->has_low && code->has_high)
		span_list_add(spans, code->low, high, item);
	return true;
}
