/*
 * Lists of address ranges: .debug_ranges (DWARF 3 and 4) and .debug_rnglists (DWARF 5).
 * Source: DWARF 4, section 2.17.3; DWARF 5, sections 2.17.3, 7.25 and 7.28.
 */
#ifndef DWARF_DIE_RANGES_H
#define DWARF_DIE_RANGES_H

#include "dwarf/debug_unit.h"

/*
 * Appends the ranges of the list at `offset`, or of number `offset` where it is `indexed`, to
 * `spans`, with `item`. False where the list is damaged; what came before is then in.
 */
bool die_ranges_read(const struct debug_unit *unit, uint64_t offset, bool indexed,
	struct span_list *spans, uint32_t item);

/* The address of this index in .debug_addr. */
bool die_ranges_address(const struct debug_unit *unit, uint64_t index, uint64_t *address);

#endif
