/*
 * A unit's table of abbreviations: what entries of each kind hold, and how to step over them.
 *
 * Decoded once into two forms: the attributes, for entries that are read, and a few steps ("12
 * bytes, then a string, then 4 bytes"), for those that are only passed.
 * Source: DWARF 5, sections 7.5.3 and 7.5.6.
 */
#ifndef DWARF_ABBREVS_H
#define DWARF_ABBREVS_H

#include "dwarf/cursor.h"

/* What follows the bytes of a step. */
enum abbrev_then {
	THEN_END,
	THEN_ULEB,
	THEN_STRING,
	THEN_BLOCK1, /* a length of so many bytes, then as many bytes as it says */
	THEN_BLOCK2,
	THEN_BLOCK4,
	THEN_BLOCK_ULEB,
	THEN_INDIRECT, /* the form itself stands in the entry */
	THEN_INVALID,
};

/* What attributes are read for; a pass over entries asks for some and skips the rest. */
enum abbrev_use {
	USE_CODE = 1, /* where machine code is */
	USE_CALL = 2, /* what was inlined, and into which line */
	USE_NAME = 4, /* what a function is called, and where its source is */
	USE_ROOT = 8, /* all else, of a unit's root only */
	USE_ALL = 15,
};

struct abbrev_attr {
	uint16_t name; /* DW_AT_... */
	uint16_t form; /* DW_FORM_... */
	uint8_t uses;  /* enum abbrev_use, several */
	uint8_t bytes; /* how it is stepped over: see abbrev_form_size() */
	uint8_t then;  /* enum abbrev_then */
};

struct abbrev_step {
	uint16_t bytes;
	uint16_t then; /* enum abbrev_then */
};

/* In `sibling_at` where the entry does not say where its next sibling is, or not simply. */
#define ABBREV_NO_SIBLING UINT16_MAX
/* In `leaf_bytes` where entries have children or values of no fixed size, or are functions. */
#define ABBREV_NO_LEAF UINT16_MAX

struct abbrev {
	uint64_t code;
	uint32_t first_attr;
	uint32_t nattrs;
	uint32_t first_step;
	uint16_t tag;        /* DW_TAG_... */
	uint16_t sibling_at; /* bytes from the entry's first value to DW_AT_sibling (ref4) */
	uint16_t leaf_bytes; /* of all values, where it is one that is only passed */
	bool has_children;
	bool has_code;    /* may say where its machine code is */
	bool declaration; /* of something that is defined elsewhere */
};

/* What the size of some forms depends on. */
struct abbrev_format {
	uint8_t version;
	uint8_t address_bytes; /* 4 or 8 */
	uint8_t offset_bytes;  /* 4 or 8 */
};

struct abbrevs {
	struct abbrev_format format;
	struct abbrev *entries; /* owned; sorted by code */
	size_t count;
	size_t capacity;
	struct abbrev_attr *attrs; /* owned */
	size_t nattrs;
	size_t attrs_capacity;
	int64_t *constants; /* owned; by attribute: the value of DW_FORM_implicit_const */
	size_t constants_capacity;
	struct abbrev_step *steps; /* owned */
	size_t nsteps;
	size_t steps_capacity;
	/*
	 * Owned; by code: the bytes of all values of entries that have no children and that no pass
	 * over entries looks for; ABBREV_NO_LEAF for others. None where codes do not count from 1.
	 */
	uint16_t *leaf_bytes;
	size_t nleaves;
};

/*
 * Decodes the table that starts at `cursor`; with `only`, no further than the abbreviation of that
 * code. False where it is damaged: forms that are not known make only those entries unreadable.
 * abbrevs_release() either way. The cursor is left behind what was read.
 */
bool abbrevs_read(struct abbrevs *abbrevs, const struct abbrev_format *format,
	struct cursor *cursor, uint64_t only);
void abbrevs_release(struct abbrevs *abbrevs);

/* NULL if there is none of this code. */
const struct abbrev *abbrevs_find_sparse(const struct abbrevs *abbrevs, uint64_t code);

/* Codes nearly always count from 1. */
static inline const struct abbrev *
abbrevs_find(const struct abbrevs *abbrevs, uint64_t code)
{
	if (code - 1 < abbrevs->count && abbrevs->entries[code - 1].code == code)
		return &abbrevs->entries[code - 1];
	return abbrevs_find_sparse(abbrevs, code);
}

/* How a value of `form` is stepped over: *bytes, then what is returned. */
enum abbrev_then abbrev_form_size(
	const struct abbrev_format *format, unsigned form, unsigned *bytes);
/* Steps over a value whose size abbrev_form_size() gave. */
void abbrev_skip_value(
	struct cursor *cursor, const struct abbrev_format *format, unsigned bytes, unsigned then);

/* Steps over the values of an entry. */
static inline void
abbrev_skip(const struct abbrevs *abbrevs, const struct abbrev *abbrev, struct cursor *cursor)
{
	const struct abbrev_step *step = &abbrevs->steps[abbrev->first_step];

	for (; step->then != THEN_END; step++) {
		if (step->then == THEN_BLOCK_ULEB) {
			cursor_skip(cursor, step->bytes);
			cursor_skip(cursor, cursor_uleb(cursor));
		} else {
			abbrev_skip_value(cursor, &abbrevs->format, step->bytes, step->then);
		}
	}
	cursor_skip(cursor, step->bytes);
}

#endif
