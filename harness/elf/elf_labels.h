/*
 * Labels of assembler code that are hidden and have no size, where no function is.
 *
 * perf leaves them out. Hand-written loops, such as zstd's, are often under no other name.
 */
#ifndef ELF_ELF_LABELS_H
#define ELF_ELF_LABELS_H

#include "elf/elf_image.h"

/*
 * Adds to `tab`, which is settled, those of `image`'s hidden labels that no symbol of it covers, at
 * their offsets in `runtime`. Each reaches to the next symbol of `tab`, or to the end of its
 * section. symtab_index() must follow.
 */
void elf_labels_add(
	const struct elf_image *image, const struct elf_image *runtime, struct symtab *tab);

#endif
