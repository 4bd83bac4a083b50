/*
 * One entry of debug information (DIE): its attributes and their values.
 */
#ifndef DWARF_DIE_H
#define DWARF_DIE_H

#include "dwarf/debug_unit.h"

struct die_value {
	uint16_t attr; /* DW_AT_... */
	enum die_class class;
	uint64_t number;
	const char *text; /* of DIE_TEXT; NULL otherwise */
};

struct die {
	const struct debug_unit *unit;
	const struct abbrev *abbrev;
	struct cursor cursor; /* at the next value */
	uint32_t next_attr;
};

/* The entry at `offset` of .debug_info, in a unit in use; false where there is none. */
bool die_open(struct die *die, const struct debug_unit *unit, uint64_t offset);
/* Reads the next attribute; false behind the last one and where the entry is damaged. */
bool die_next(struct die *die, struct die_value *value);
/* Reads the next one that has one of `uses` (enum abbrev_use); likewise. */
bool die_next_of(struct die *die, unsigned uses, struct die_value *value);
/* Reads a value of this form as `unit` writes them; a cursor that fails leaves it undefined. */
void die_read_value(const struct debug_unit *unit, struct cursor *cursor, struct abbrev_form form,
	struct die_value *value);

/* The string that `value` stands for, borrowed from the data; NULL where there is none. */
const char *die_string(const struct debug_unit *unit, const struct die_value *value);

/* Where an entry's machine code is, gathered from its attributes. Zero it first. */
struct die_code {
	bool has_low;
	bool has_high;
	bool has_ranges;
	bool ranges_indexed;
	uint64_t low;
	uint64_t high; /* behind the last byte */
	uint64_t ranges;
	bool high_is_size;
};

/* Takes `value` into account if it is about code. */
void die_take_code(
	const struct debug_unit *unit, const struct die_value *value, struct die_code *code);
/*
 * Appends the ranges of the list at `offset`, or of number `offset` where it is `indexed`, to
 * `spans`, with `item`. False where the list is damaged; what came before is then in. Source: DWARF
 * 4, section 2.17.3 (.debug_ranges); DWARF 5, sections 2.17.3, 7.25 and 7.28 (.debug_rnglists).
 */
bool die_ranges(const struct debug_unit *unit, uint64_t offset, bool indexed,
	struct span_list *spans, uint32_t item);
/* Appends the ranges to `spans`, with `item`; none and false where they cannot all be read. */
bool die_code_spans(const struct debug_unit *unit, const struct die_code *code,
	struct span_list *spans, uint32_t item);

#endif
