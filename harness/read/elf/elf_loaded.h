/*
 * The loaded parts of a program file, which decide what it does. Debug information,
 * symbols and the build-id, which change with every comment, are not.
 */
#ifndef ELF_ELF_LOADED_H
#define ELF_ELF_LOADED_H

#include "base/buf.h"
#include "base/hash.h"
#include "elf/elf_image.h"

#include <stdbool.h>

/* A SHA-256 over the sections that are loaded. False where the file has none. */
bool elf_loaded_hash(const struct elf_image *image, char text[HASH_TEXT_SIZE]);

/* The dynamic linker that the file names; NULL if none. free() it. */
char *elf_interpreter(const struct elf_image *image);

/*
 * Appends the texts that the file has for the dynamic linker under this tag: DT_NEEDED, DT_RPATH or
 * DT_RUNPATH; a line each.
 */
void elf_put_dynamic(const struct elf_image *image, int64_t tag, struct buf *out);

#endif
