#include "dwarf/abbrevs.h"

#include "base/mem.h"
#include "base/search.h"

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

struct abbrev_form
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

size_t
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
