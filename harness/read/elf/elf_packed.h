/*
 * ELF files that are stored compressed: as a whole (.ko.xz, .debug.gz), within another one
 * (.gnu_debugdata), or section by section.
 *
 * The size of the result is limited to a multiple of the file's size, whatever it claims:
 * elf_image's `unpacking`, for all that is unpacked of it.
 */
#ifndef ELF_ELF_PACKED_H
#define ELF_ELF_PACKED_H

#include "elf/elf_image.h"

#include <stdbool.h>

/* As elf_image_open(), for files that may be compressed by gzip, xz or zstd too. */
bool elf_packed_open(struct elf_image *image, const char *path);

/*
 * Opens the small symbol table that distributions leave in stripped programs: an ELF file,
 * compressed by xz, in the section .gnu_debugdata. Source: GDB manual, "MiniDebugInfo".
 */
bool elf_packed_open_mini(struct elf_image *mini, struct elf_image *image);

/*
 * Makes sections that are compressed by zstd plain ones, in memory, since libdw reads those by zlib
 * only (which it does by itself). Nothing happens where there are none. False where one cannot be
 * unpacked: then all stay as they are.
 */
bool elf_packed_expand(struct elf_image *image);

#endif
