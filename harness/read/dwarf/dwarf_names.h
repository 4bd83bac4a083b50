/*
 * Function names out of debug information, for modules whose symbol table was stripped.
 */
#ifndef DWARF_DWARF_NAMES_H
#define DWARF_DWARF_NAMES_H

#include "elf/elf_image.h"
#include "elf/symtab.h"

#include <stddef.h>

/*
 * Adds the functions (DW_TAG_subprogram with its own code) that `debug` describes to `tab`, at
 * their offsets in `runtime`, as people write their names; returns how many. 0 where there is no
 * .debug_info.
 */
size_t dwarf_names_read(
	struct elf_image *debug, const struct elf_image *runtime, struct symtab *tab);

#endif
