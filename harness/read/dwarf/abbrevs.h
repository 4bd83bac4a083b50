/*
 * A unit's table of abbreviations: what entries of each kind hold, and how to step over them.
 * Source: DWARF 5, sections 7.5.3 and 7.5.6.
 */
#ifndef DWARF_ABBREVS_H
#define DWARF_ABBREVS_H

#include "dwarf/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the bytes of a value are to be read. */
enum abbrev_layout {
	LAYOUT_INVALID, /* the form is not known */
	LAYOUT_FIXED,   /* so many bytes */
	LAYOUT_ULEB,
	LAYOUT_SLEB,
	LAYOUT_STRING,
	LAYOUT_BLOCK, /* a length of so many bytes, then as many bytes as it says */
	LAYOUT_BLOCK_ULEB,
	LAYOUT_INDIRECT, /* the form itself stands in the entry */
};

/* The class of a value. */
enum die_class {
	DIE_OTHER, /* blocks and what is not known */
	DIE_CONSTANT,
	DIE_OFFSET, /* in another section */
	DIE_ADDRESS,
	DIE_INDEX,       /* of an address in .debug_addr, or of a list of ranges */
	DIE_TEXT,        /* a string that stands in the entry; for all strings see die_string() */
	DIE_STR,         /* one in .debug_str */
	DIE_LINE_STR,    /* one in .debug_line_str */
	DIE_SHARED_STR,  /* one in the file of `data->alt` */
	DIE_INDEXED_STR, /* one by its index in .debug_str_offsets */
	DIE_REFERENCE,   /* to an entry by its offset in .debug_info */
	DIE_UNIT_REF,    /* the same by its offset in the unit; values that were read have none */
	DIE_SHARED_REF,  /* to an entry in the file of `data->alt` */
	DIE_IN_TABLE,    /* a constant that is not in the entry but in the abbreviation */
};

/* The properties of a form (DW_FORM_...). */
struct abbrev_form {
	uint8_t bytes;
	uint8_t layout; /* enum abbrev_layout */
	uint8_t class;  /* enum die_class */
};

/* The uses of attributes; a pass over entries reads those for some uses and skips the others. */
enum abbrev_use {
	USE_CODE = 1, /* where machine code is */
	USE_CALL = 2, /* what was inlined, and into which line */
	USE_NAME = 4, /* what a function is called, and where its source is */
	USE_ROOT = 8, /* all else, of a unit's root only */
	USE_ALL = 15,
};

struct abbrev_attr {
	uint16_t name; /* DW_AT_... */
	uint8_t uses;  /* enum abbrev_use, several */
	struct abbrev_form form;
	int64_t constant; /* of DIE_IN_TABLE */
};

/*
 * In `sibling_at` where the entry does not say where its next sibling is, or not at a fixed place.
 */
#define ABBREV_NO_SIBLING UINT16_MAX
/* In place of a number of bytes where it is not fixed, or the entry is no leaf. */
#define ABBREV_NO_SIZE UINT16_MAX

struct abbrev {
	uint64_t code;
	uint32_t first_attr;
	uint32_t nattrs;
	uint16_t tag;        /* DW_TAG_... */
	uint16_t sibling_at; /* bytes from the entry's first value to DW_AT_sibling (ref4) */
	uint16_t bytes;      /* of all values */
	bool has_children;
	bool has_code;    /* may say where its machine code is */
	bool declaration; /* of something that is defined elsewhere */
};

/* The sizes that some forms depend on. */
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
	/*
	 * Owned; by code: the bytes of all values of entries that have no children and that no pass
	 * over entries looks for; ABBREV_NO_SIZE for others. None where codes do not count from 1.
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

/* The form of this number, as units of `format` have it. */
struct abbrev_form abbrev_form_of(const struct abbrev_format *format, uint64_t number);
/* Steps over a value. */
void abbrev_skip_value(
	const struct abbrev_format *format, struct abbrev_form form, struct cursor *cursor);

/* Steps over the values of an entry. */
static inline void
abbrev_skip(const struct abbrevs *abbrevs, const struct abbrev *abbrev, struct cursor *cursor)
{
	if (abbrev->bytes != ABBREV_NO_SIZE) {
		cursor_skip(cursor, abbrev->bytes);
		return;
	}
	/* There are some: an entry without attributes has a fixed size. */
	const struct abbrev_attr *attrs = &abbrevs->attrs[abbrev->first_attr];

	for (uint32_t i = 0; i < abbrev->nattrs; i++) {
		if (attrs[i].form.layout == LAYOUT_FIXED)
			cursor_skip(cursor, attrs[i].form.bytes);
		else
			abbrev_skip_value(&abbrevs->format, attrs[i].form, cursor);
	}
}

/* The form of a value that stands before it in the entry (LAYOUT_INDIRECT). */
struct abbrev_form abbrev_read_form(const struct abbrev_format *format, struct cursor *cursor);
/* The memory that they take. */
size_t abbrevs_bytes(const struct abbrevs *abbrevs);

#endif
