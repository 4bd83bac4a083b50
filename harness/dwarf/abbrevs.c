#include "dwarf/abbrevs.h"

#include "base/mem.h"
#include "base/search.h"

#include <dwarf.h>
#include <stdlib.h>

enum abbrev_then
abbrev_form_size(const struct abbrev_format *format, unsigned form, unsigned *bytes)
{
	*bytes = 0;
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return THEN_END;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		*bytes = 1;
		return THEN_END;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		*bytes = 2;
		return THEN_END;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		*bytes = 3;
		return THEN_END;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		*bytes = 4;
		return THEN_END;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		*bytes = 8;
		return THEN_END;
	case DW_FORM_data16:
		*bytes = 16;
		return THEN_END;
	case DW_FORM_addr:
		*bytes = format->address_bytes;
		return THEN_END;
	case DW_FORM_ref_addr:
		/* DWARF 2 gave it the size of an address. */
		*bytes = format->version <= 2 ? format->address_bytes : format->offset_bytes;
		return THEN_END;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		*bytes = format->offset_bytes;
		return THEN_END;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return THEN_ULEB;
	case DW_FORM_string:
		return THEN_STRING;
	case DW_FORM_block1:
		return THEN_BLOCK1;
	case DW_FORM_block2:
		return THEN_BLOCK2;
	case DW_FORM_block4:
		return THEN_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return THEN_BLOCK_ULEB;
	case DW_FORM_indirect:
		return THEN_INDIRECT;
	default:
		return THEN_INVALID;
	}
}

void
abbrev_skip_value(
	struct cursor *cursor, const struct abbrev_format *format, unsigned bytes, unsigned then)
{
	cursor_skip(cursor, bytes);
	switch ((enum abbrev_then)then) {
	case THEN_END:
		break;
	case THEN_ULEB:
		cursor_uleb(cursor);
		break;
	case THEN_STRING:
		cursor_string(cursor);
		break;
	case THEN_BLOCK1:
		cursor_skip(cursor, cursor_fixed(cursor, 1));
		break;
	case THEN_BLOCK2:
		cursor_skip(cursor, cursor_fixed(cursor, 2));
		break;
	case THEN_BLOCK4:
		cursor_skip(cursor, cursor_fixed(cursor, 4));
		break;
	case THEN_BLOCK_ULEB:
		cursor_skip(cursor, cursor_uleb(cursor));
		break;
	case THEN_INDIRECT:
		/* Indirect once more, or a constant that would stand in the table: not valid. */
		then = abbrev_form_size(format, (unsigned)cursor_uleb(cursor), &bytes);
		if (then == THEN_INDIRECT)
			then = THEN_INVALID;
		abbrev_skip_value(cursor, format, bytes, then);
		break;
	case THEN_INVALID:
		cursor->at = cursor->end;
		cursor->failed = true;
		break;
	}
}

static void
add_step(struct abbrevs *abbrevs, unsigned bytes, unsigned then)
{
	if (abbrevs->nsteps == abbrevs->steps_capacity)
		abbrevs->steps = mem_grow(abbrevs->steps, &abbrevs->steps_capacity,
			abbrevs->nsteps + 1, sizeof(*abbrevs->steps));
	abbrevs->steps[abbrevs->nsteps++] = (struct abbrev_step){(uint16_t)bytes, (uint16_t)then};
}

static uint8_t
uses_of(uint64_t name)
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

static const struct abbrev_attr *
add_attr(struct abbrevs *abbrevs, uint64_t name, uint64_t form, int64_t constant)
{
	size_t at = abbrevs->nattrs++;
	unsigned bytes;

	if (at == abbrevs->attrs_capacity)
		abbrevs->attrs = mem_grow(
			abbrevs->attrs, &abbrevs->attrs_capacity, at + 1, sizeof(*abbrevs->attrs));
	/* Numbers beyond 16 bits name nothing. */
	if (form > UINT16_MAX)
		form = 0;
	unsigned then = abbrev_form_size(&abbrevs->format, (unsigned)form, &bytes);

	abbrevs->attrs[at] = (struct abbrev_attr){
		.name = (uint16_t)(name > UINT16_MAX ? 0 : name),
		.form = (uint16_t)form,
		.uses = uses_of(name),
		.bytes = (uint8_t)bytes,
		.then = (uint8_t)then,
	};
	if (form != DW_FORM_implicit_const)
		return &abbrevs->attrs[at];
	if (at >= abbrevs->constants_capacity)
		abbrevs->constants = mem_grow(abbrevs->constants, &abbrevs->constants_capacity,
			at + 1, sizeof(*abbrevs->constants));
	abbrevs->constants[at] = constant;
	return &abbrevs->attrs[at];
}

/* Reads the attributes of `abbrev` and makes its steps. */
static void
read_attrs(struct abbrevs *abbrevs, struct abbrev *abbrev, struct cursor *cursor)
{
	unsigned pending = 0; /* bytes not yet in a step */
	bool simple = true;   /* all before are of fixed size */

	while (!cursor->failed) {
		uint64_t name = cursor_uleb(cursor);
		uint64_t form = cursor_uleb(cursor);
		int64_t constant = form == DW_FORM_implicit_const ? cursor_sleb(cursor) : 0;

		if (name == 0 && form == 0)
			break;
		const struct abbrev_attr *attr = add_attr(abbrevs, name, form, constant);
		unsigned then = attr->then;

		abbrev->has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
		abbrev->declaration |= name == DW_AT_declaration;
		if (name == DW_AT_sibling && form == DW_FORM_ref4 && simple)
			abbrev->sibling_at = (uint16_t)pending;
		pending += attr->bytes;
		if (then == THEN_END && pending < UINT16_MAX - 16)
			continue;
		/* No compiler writes entries of 64 KiB. */
		if (then == THEN_END)
			then = THEN_INVALID;
		add_step(abbrevs, pending, then);
		pending = 0;
		simple = false;
	}
	add_step(abbrevs, pending, THEN_END);
	if (simple && !abbrev->has_children && abbrev->tag != DW_TAG_subprogram &&
		abbrev->tag != DW_TAG_inlined_subroutine)
		abbrev->leaf_bytes = (uint16_t)pending;
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
	for (size_t i = 0; i < abbrevs->nleaves; i++)
		abbrevs->leaf_bytes[i] = ABBREV_NO_LEAF;
	for (size_t i = 0; i < abbrevs->count; i++)
		abbrevs->leaf_bytes[abbrevs->entries[i].code] = abbrevs->entries[i].leaf_bytes;
}

bool
abbrevs_read(struct abbrevs *abbrevs, const struct abbrev_format *format, struct cursor *cursor,
	uint64_t only)
{
	uint64_t last = 0;
	bool sorted = true;

	*abbrevs = (struct abbrevs){.format = *format};
	while (!cursor->failed) {
		struct abbrev abbrev = {
			.sibling_at = ABBREV_NO_SIBLING, .leaf_bytes = ABBREV_NO_LEAF};

		abbrev.code = cursor_uleb(cursor);
		if (abbrev.code == 0 || abbrevs->nattrs > UINT32_MAX / 2)
			break;
		abbrev.tag = (uint16_t)cursor_uleb(cursor);
		abbrev.has_children = cursor_fixed(cursor, 1) != 0;
		abbrev.first_attr = (uint32_t)abbrevs->nattrs;
		abbrev.first_step = (uint32_t)abbrevs->nsteps;
		read_attrs(abbrevs, &abbrev, cursor);
		abbrev.nattrs = (uint32_t)abbrevs->nattrs - abbrev.first_attr;
		if (abbrevs->count == abbrevs->capacity)
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

void
abbrevs_release(struct abbrevs *abbrevs)
{
	free(abbrevs->entries);
	free(abbrevs->attrs);
	free(abbrevs->constants);
	free(abbrevs->steps);
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
