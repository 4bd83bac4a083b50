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

static void
read_reference(const struct debug_unit *unit, struct cursor *cursor, struct die_value *value,
	unsigned bytes)
{
	value->class = DIE_REFERENCE;
	switch (value->form) {
	case DW_FORM_ref_udata:
		value->number = unit->offset + cursor_uleb(cursor);
		break;
	case DW_FORM_ref_addr:
		value->number = cursor_fixed(cursor, bytes);
		break;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		value->class = DIE_SHARED_REF;
		value->number = cursor_fixed(cursor, bytes);
		break;
	default:
		value->number = unit->offset + cursor_fixed(cursor, bytes);
		break;
	}
}

/* Reads a value whose size may vary, or whose size says nothing of its meaning. */
static void
read_varying(const struct debug_unit *unit, struct cursor *cursor, struct die_value *value,
	unsigned bytes, unsigned then)
{
	switch (value->form) {
	case DW_FORM_sdata:
		value->class = DIE_CONSTANT;
		value->number = (uint64_t)cursor_sleb(cursor);
		break;
	case DW_FORM_udata:
		value->class = DIE_CONSTANT;
		value->number = cursor_uleb(cursor);
		break;
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
		value->class = DIE_INDEX;
		value->number = cursor_uleb(cursor);
		break;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		value->class = DIE_STRING;
		value->number = cursor_uleb(cursor);
		break;
	case DW_FORM_string:
		value->class = DIE_STRING;
		value->text = cursor_string(cursor);
		break;
	default:
		abbrev_skip_value(cursor, &unit->format, bytes, then);
		break;
	}
}

/* Reads a value that is stepped over by `bytes` and `then`. */
static inline void
read_value(const struct debug_unit *unit, struct cursor *cursor, struct die_value *value,
	unsigned bytes, unsigned then)
{
	switch (value->form) {
	case DW_FORM_flag_present:
		value->class = DIE_CONSTANT;
		value->number = 1;
		break;
	case DW_FORM_flag:
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		value->class = DIE_CONSTANT;
		value->number = cursor_fixed(cursor, bytes);
		break;
	case DW_FORM_sec_offset:
		value->class = DIE_OFFSET;
		value->number = cursor_fixed(cursor, bytes);
		break;
	case DW_FORM_addr:
		value->class = DIE_ADDRESS;
		value->number = cursor_fixed(cursor, bytes);
		break;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		value->class = DIE_INDEX;
		value->number = cursor_fixed(cursor, bytes);
		break;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		value->class = DIE_STRING;
		value->number = cursor_fixed(cursor, bytes);
		break;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		read_reference(unit, cursor, value, bytes);
		break;
	default:
		read_varying(unit, cursor, value, bytes, then);
		break;
	}
}

void
die_read_value(const struct debug_unit *unit, struct cursor *cursor, struct die_value *value)
{
	unsigned bytes;
	unsigned then = abbrev_form_size(&unit->format, value->form, &bytes);

	read_value(unit, cursor, value, bytes, then);
}

/* A value whose form stands in the entry. */
static void
read_indirect(struct die *die, struct die_value *value)
{
	uint64_t form = cursor_uleb(&die->cursor);

	/* Neither may stand here: see abbrev_skip_value(). */
	if (form > UINT16_MAX || form == DW_FORM_indirect)
		form = 0;
	value->form = (uint16_t)form;
	die_read_value(die->unit, &die->cursor, value);
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
		if (attrs[at].then == THEN_END)
			cursor_skip(&die->cursor, attrs[at].bytes);
		else
			abbrev_skip_value(
				&die->cursor, &abbrevs->format, attrs[at].bytes, attrs[at].then);
	}
	die->next_attr = at < die->abbrev->nattrs ? at + 1 : at;
	if (at == die->abbrev->nattrs)
		return false;
	*value = (struct die_value){.attr = attrs[at].name, .form = attrs[at].form};
	if (value->form == DW_FORM_implicit_const) {
		at += die->abbrev->first_attr;
		value->class = DIE_CONSTANT;
		value->number =
			at < abbrevs->constants_capacity ? (uint64_t)abbrevs->constants[at] : 0;
	} else if (value->form == DW_FORM_indirect) {
		read_indirect(die, value);
	} else {
		read_value(die->unit, &die->cursor, value, attrs[at].bytes, attrs[at].then);
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
	if (value->class != DIE_STRING)
		return NULL;
	switch (value->form) {
	case DW_FORM_string:
		return value->text;
	case DW_FORM_strp:
		return debug_data_string(unit->data, DEBUG_STR, value->number);
	case DW_FORM_line_strp:
		return debug_data_string(unit->data, DEBUG_LINE_STR, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return unit->data->alt
			       ? debug_data_string(unit->data->alt, DEBUG_STR, value->number)
			       : NULL;
	default:
		return indexed_string(unit, value->number);
	}
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
