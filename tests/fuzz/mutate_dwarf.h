/*
 * Sections of DWARF are units with their length ahead. A change within one keeps the lengths right,
 * also where it makes the unit longer or shorter.
 */
#ifndef FUZZ_MUTATE_DWARF_H
#define FUZZ_MUTATE_DWARF_H

#include "mutate.h"

#define UNITS_MAX 256

/*
 * Changes the content of one unit of a section; returns the section's new size. One that is no row
 * of units with lengths of 32 bits is changed as it is.
 */
static inline size_t
mutate_units(uint8_t *section, size_t size, size_t max_size, struct chance *chance)
{
	size_t starts[UNITS_MAX];
	size_t nunits = 0;
	size_t at = 0;

	while (at + 4 <= size && nunits < UNITS_MAX) {
		size_t len = get_u32(section + at);

		if (len < 4 || len > size - at - 4)
			break;
		starts[nunits++] = at;
		at += 4 + len;
	}
	if (nunits == 0 || max_size < size)
		return LLVMFuzzerMutate(section, size, max_size);
	at = starts[chance_below(chance, nunits)];
	size_t len = get_u32(section + at);
	size_t end = at + 4 + len;
	size_t room = max_size - size < 64 ? max_size - size : 64;

	/* The rest moves back by what the unit could grow by, and then up to its end. */
	size = move_tail(section, size, end, (ptrdiff_t)room);
	size_t now = LLVMFuzzerMutate(section + at + 4, len, len + room);

	if (now < 4)
		now = 4;
	put_u32(section + at, (uint32_t)now);
	return move_tail(
		section, size, end + room, (ptrdiff_t)(at + 4 + now) - (ptrdiff_t)(end + room));
}

#endif
