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
#include <stddef.h>
#include <stdint.h>

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

/*
 * How much a stream of xz becomes, by the heads of its pieces: without unpacking it, and without
 * believing the index at its end, which the library compares only once all is unpacked.
 */

/* Whether these bytes begin with a stream of xz, which becomes *size bytes. */
bool xz_size(const unsigned char *bytes, size_t len, uint64_t *size);

#endif
