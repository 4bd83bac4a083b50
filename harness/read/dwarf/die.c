/*
 * The entries of .debug_info: tables of abbreviations, the values of attributes, ranges of
 * addresses, and the root entry of a unit.
 */
#include "dwarf/dwarf_internal.h"

#include "base/mem.h"
#include "base/sort.h"

#include <dwarf.h>
#include <stdlib.h>

/* For one table. Tools that merge those of all units write some ten thousand entries. */
#define ENTRIES_MAX ((size_t)1 << 18)
#define ATTRS_MAX ((size_t)1 << 21)

/* In place of a number of bytes: as many as the unit's addresses, or offsets, have. */
#define BYTES_ADDRESS 254
#define BYTES_OFFSET 255

static const struct abbrev_form forms[] = {
	[DW_FORM_addr] = {BYTES_ADDRESS, LAYOUT_FIXED, DIE_ADDRESS},
	[DW_FORM_block2] = {2, LAYOUT_BLOCK, DIE_OTHER},
	[DW_FORM_block4] = {4, LAYOUT_BLOCK, DIE_OTHER},
	[DW_FORM_data2] = {2, LAYOUT_FIXED, DIE_CONSTANT},
	[DW_FORM_data4] = {4, LAYOUT_FIXED, DIE_CONSTANT},
	[DW_FORM_data8] = {8, LAYOUT_FIXED, DIE_CONSTANT},
	[DW_FORM_string] = {0, LAYOUT_STRING, DIE_TEXT},
	[DW_FORM_block] = {0, LAYOUT_BLOCK_ULEB, DIE_OTHER},
	[DW_FORM_block1] = {1, LAYOUT_BLOCK, DIE_OTHER},
	[DW_FORM_data1] = {1, LAYOUT_FIXED, DIE_CONSTANT},
	[DW_FORM_flag] = {1, LAYOUT_FIXED, DIE_CONSTANT},
	[DW_FORM_sdata] = {0, LAYOUT_SLEB, DIE_CONSTANT},
	[DW_FORM_strp] = {BYTES_OFFSET, LAYOUT_FIXED, DIE_STR},
	[DW_FORM_udata] = {0, LAYOUT_ULEB, DIE_CONSTANT},
	[DW_FORM_ref_addr] = {BYTES_OFFSET, LAYOUT_FIXED, DIE_REFERENCE},
	[DW_FORM_ref1] = {1, LAYOUT_FIXED, DIE_UNIT_REF},
	[DW_FORM_ref2] = {2, LAYOUT_FIXED, DIE_UNIT_REF},
	[DW_FORM_ref4] = {4, LAYOUT_FIXED, DIE_UNIT_REF},
	[DW_FORM_ref8] = {8, LAYOUT_FIXED, DIE_UNIT_REF},
	[DW_FORM_ref_udata] = {0, LAYOUT_ULEB, DIE_UNIT_REF},
	[DW_FORM_indirect] = {0, LAYOUT_INDIRECT, DIE_OTHER},
	[DW_FORM_sec_offset] = {BYTES_OFFSET, LAYOUT_FIXED, DIE_OFFSET},
	[DW_FORM_exprloc] = {0, LAYOUT_BLOCK_ULEB, DIE_OTHER},
	[DW_FORM_flag_present] = {0, LAYOUT_FIXED, DIE_CONSTANT},
	[DW_FORM_strx] = {0, LAYOUT_ULEB, DIE_INDEXED_STR},
	[DW_FORM_addrx] = {0, LAYOUT_ULEB, DIE_INDEX},
	[DW_FORM_ref_sup4] = {4, LAYOUT_FIXED, DIE_SHARED_REF},
	[DW_FORM_strp_sup] = {BYTES_OFFSET, LAYOUT_FIXED, DIE_SHARED_STR},
	[DW_FORM_data16] = {16, LAYOUT_FIXED, DIE_OTHER},
	[DW_FORM_line_strp] = {BYTES_OFFSET, LAYOUT_FIXED, DIE_LINE_STR},
	[DW_FORM_ref_sig8] = {8, LAYOUT_FIXED, DIE_OTHER},
	[DW_FORM_implicit_const] = {0, LAYOUT_FIXED, DIE_IN_TABLE},
	[DW_FORM_loclistx] = {0, LAYOUT_ULEB, DIE_OTHER},
	[DW_FORM_rnglistx] = {0, LAYOUT_ULEB, DIE_INDEX},
	[DW_FORM_ref_sup8] = {8, LAYOUT_FIXED, DIE_SHARED_REF},
	[DW_FORM_strx1] = {1, LAYOUT_FIXED, DIE_INDEXED_STR},
	[DW_FORM_strx2] = {2, LAYOUT_FIXED, DIE_INDEXED_STR},
	[DW_FORM_strx3] = {3, LAYOUT_FIXED, DIE_INDEXED_STR},
	[DW_FORM_strx4] = {4, LAYOUT_FIXED, DIE_INDEXED_STR},
	[DW_FORM_addrx1] = {1, LAYOUT_FIXED, DIE_INDEX},
	[DW_FORM_addrx2] = {2, LAYOUT_FIXED, DIE_INDEX},
	[DW_FORM_addrx3] = {3, LAYOUT_FIXED, DIE_INDEX},
	[DW_FORM_addrx4] = {4, LAYOUT_FIXED, DIE_INDEX},
};

#define NFORMS (sizeof(forms) / sizeof(forms[0]))

/* The standard's form that an extension is another name of. */
static uint64_t
standard_form(const struct abbrev_format *format, uint64_t number)
{
	switch (number) {
	case DW_FORM_GNU_addr_index:
		return DW_FORM_addrx;
	case DW_FORM_GNU_str_index:
		return DW_FORM_strx;
	case DW_FORM_GNU_strp_alt:
		return DW_FORM_strp_sup;
	case DW_FORM_GNU_ref_alt:
		return format->offset_bytes == 8 ? DW_FORM_ref_sup8 : DW_FORM_ref_sup4;
	default:
		return number;
	}
}

struct abbrev_form
abbrev_form_of(const struct abbrev_format *format, uint64_t number)
{
	if (number >= NFORMS)
		number = standard_form(format, number);
	if (number >= NFORMS)
		return (struct abbrev_form){0};
	struct abbrev_form form = forms[number];

	/* DWARF 2 gave it the size of an address. */
	if (form.bytes == BYTES_ADDRESS || (number == DW_FORM_ref_addr && format->version <= 2))
		form.bytes = format->address_bytes;
	else if (form.bytes == BYTES_OFFSET)
		form.bytes = format->offset_bytes;
	return form;
}

/* The form of a value that stands before it in the entry (LAYOUT_INDIRECT). */
static struct abbrev_form
abbrev_read_form(const struct abbrev_format *format, struct cursor *cursor)
{
	struct abbrev_form form = abbrev_form_of(format, cursor_uleb(cursor));

	/* Indirect again, or a constant that would be in the table: not valid. */
	if (form.layout == LAYOUT_INDIRECT || form.class == DIE_IN_TABLE)
		return (struct abbrev_form){0};
	return form;
}

void
abbrev_skip_value(
	const struct abbrev_format *format, struct abbrev_form form, struct cursor *cursor)
{
	switch ((enum abbrev_layout)form.layout) {
	case LAYOUT_FIXED:
		cursor_skip(cursor, form.bytes);
		break;
	case LAYOUT_ULEB:
	case LAYOUT_SLEB:
		cursor_uleb(cursor);
		break;
	case LAYOUT_STRING:
		cursor_string(cursor);
		break;
	case LAYOUT_BLOCK:
		cursor_skip(cursor, cursor_fixed(cursor, form.bytes));
		break;
	case LAYOUT_BLOCK_ULEB:
		cursor_skip(cursor, cursor_uleb(cursor));
		break;
	case LAYOUT_INDIRECT:
		abbrev_skip_value(format, abbrev_read_form(format, cursor), cursor);
		break;
	case LAYOUT_INVALID:
		/* Makes the cursor fail. */
		cursor_skip(cursor, UINT64_MAX);
		break;
	}
}

static uint8_t
abbrev_uses(uint64_t name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
		return USE_CODE;
	case DW_AT_call_line:
		return USE_CALL;
	case DW_AT_abstract_origin:
		return USE_CALL | USE_NAME;
	case DW_AT_specification:
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_decl_file:
	case DW_AT_decl_line:
		return USE_NAME;
	default:
		return USE_ROOT;
	}
}

/* Reads the attributes of `abbrev`. */
static void
read_attrs(struct abbrevs *abbrevs, struct abbrev *abbrev, struct cursor *cursor)
{
	unsigned bytes = 0; /* of the values so far */
	bool fixed = true;  /* all of these are of fixed size */

	while (!cursor->failed && abbrevs->nattrs <= ATTRS_MAX) {
		uint64_t name = cursor_uleb(cursor);
		uint64_t number = cursor_uleb(cursor);
		struct abbrev_form form = abbrev_form_of(&abbrevs->format, number);

		if (name == 0 && number == 0)
			break;
		abbrevs->attrs = mem_grow(abbrevs->attrs, &abbrevs->attrs_capacity,
			abbrevs->nattrs + 1, sizeof(*abbrevs->attrs));
		abbrevs->attrs[abbrevs->nattrs++] = (struct abbrev_attr){
			.name = (uint16_t)(name > UINT16_MAX ? 0 : name),
			.uses = abbrev_uses(name),
			.form = form,
			.constant = form.class == DIE_IN_TABLE ? cursor_sleb(cursor) : 0,
		};
		abbrev->has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
		abbrev->declaration |= name == DW_AT_declaration;
		if (name == DW_AT_sibling && number == DW_FORM_ref4 && fixed)
			abbrev->sibling_at = (uint16_t)bytes;
		bytes += form.bytes;
		/* No compiler writes entries of 64 KiB. */
		fixed = fixed && form.layout == LAYOUT_FIXED && bytes < UINT16_MAX - 16;
	}
	if (fixed)
		abbrev->bytes = (uint16_t)bytes;
}

static int
compare_code(const void *a, const void *b)
{
	const struct abbrev *one = a;
	const struct abbrev *other = b;

	return (one->code > other->code) - (one->code < other->code);
}

/* Makes the table by code; `abbrevs` are sorted. */
static void
index_leaves(struct abbrevs *abbrevs)
{
	if (abbrevs->count == 0 || abbrevs->entries[0].code != 1 ||
		abbrevs->entries[abbrevs->count - 1].code != abbrevs->count)
		return;
	abbrevs->leaf_bytes = mem_zalloc(abbrevs->count + 1, sizeof(*abbrevs->leaf_bytes));
	abbrevs->nleaves = abbrevs->count + 1;
	abbrevs->leaf_bytes[0] = ABBREV_NO_SIZE;
	for (size_t i = 0; i < abbrevs->count; i++) {
		const struct abbrev *abbrev = &abbrevs->entries[i];
		bool is_leaf = !abbrev->has_children && abbrev->tag != DW_TAG_subprogram &&
			       abbrev->tag != DW_TAG_inlined_subroutine;

		abbrevs->leaf_bytes[i + 1] = is_leaf ? abbrev->bytes : ABBREV_NO_SIZE;
	}
}

bool
abbrevs_read(struct abbrevs *abbrevs, const struct abbrev_format *format, struct cursor *cursor,
	uint64_t only)
{
	uint64_t last = 0;
	bool sorted = true;

	*abbrevs = (struct abbrevs){.format = *format};
	while (!cursor->failed) {
		struct abbrev abbrev = {.sibling_at = ABBREV_NO_SIBLING, .bytes = ABBREV_NO_SIZE};

		abbrev.code = cursor_uleb(cursor);
		if (abbrev.code == 0)
			break;
		if (abbrevs->count == ENTRIES_MAX || abbrevs->nattrs > ATTRS_MAX) {
			cursor->failed = true;
			break;
		}
		abbrev.tag = (uint16_t)cursor_uleb(cursor);
		abbrev.has_children = cursor_fixed(cursor, 1) != 0;
		abbrev.first_attr = (uint32_t)abbrevs->nattrs;
		read_attrs(abbrevs, &abbrev, cursor);
		abbrev.nattrs = (uint32_t)abbrevs->nattrs - abbrev.first_attr;
		abbrevs->entries = mem_grow(abbrevs->entries, &abbrevs->capacity,
			abbrevs->count + 1, sizeof(*abbrevs->entries));
		abbrevs->entries[abbrevs->count++] = abbrev;
		sorted &= abbrev.code > last;
		last = abbrev.code;
		if (abbrev.code == only)
			break;
	}
	if (!sorted)
		qsort(abbrevs->entries, abbrevs->count, sizeof(*abbrevs->entries), compare_code);
	index_leaves(abbrevs);
	return !cursor->failed;
}

/* The memory that they take. */
static size_t
abbrevs_bytes(const struct abbrevs *abbrevs)
{
	return abbrevs->count * sizeof(*abbrevs->entries) +
	       abbrevs->nattrs * sizeof(*abbrevs->attrs);
}

void
abbrevs_release(struct abbrevs *abbrevs)
{
	free(abbrevs->entries);
	free(abbrevs->attrs);
	free(abbrevs->leaf_bytes);
	*abbrevs = (struct abbrevs){0};
}

const struct abbrev *
abbrevs_find_sparse(const struct abbrevs *abbrevs, uint64_t code)
{
	size_t at = search_before(
		abbrevs->entries, abbrevs->count, SEARCH_BY(struct abbrev, code), code);

	return at < abbrevs->count && abbrevs->entries[at].code == code ? &abbrevs->entries[at]
									: NULL;
}

/* Entries, and the values of their attributes. */

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

/* Reads the next attribute; false behind the last one and where the entry is damaged. */
static bool
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

/* The root entry of a unit, with the values that other entries need. */

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
