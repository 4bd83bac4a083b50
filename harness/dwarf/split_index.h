/*
 * The index of a package of .dwo files (.debug_cu_index): which parts of its sections a unit has.
 * Source: DWARF 5, section 7.3.5.3; version 2 is the extension of DWARF 4.
 */
#ifndef DWARF_SPLIT_INDEX_H
#define DWARF_SPLIT_INDEX_H

#include "dwarf/debug_data.h"

/*
 * Makes `part` the sections of `package` as the unit of `id` has them: slices of some, and the
 * whole of .debug_str. False where it is not there, or a slice lies outside of its section.
 */
bool split_index_find(const struct debug_data *package, uint64_t id, struct debug_data *part);

#endif
