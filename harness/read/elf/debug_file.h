/*
 * Finding the separate file that holds a stripped module's symbols.
 */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include "elf/elf_image.h"

#include <stdbool.h>

/*
 * Opens the debug file of `image`, which was read from `path` below the folder `root` ("": as the
 * system has it): by build-id below ROOT/usr/lib/debug/.build-id, then by the name in
 * .gnu_debuglink beside the file, in .debug/ and below ROOT/usr/lib/debug. A file is taken only
 * when its build-id, or without one its checksum, matches. Each may be packed, also as NAME.xz, .gz
 * or .zst. Source: GDB manual, "Debugging Information in Separate Files".
 */
bool debug_file_open(
	struct elf_image *debug, const struct elf_image *image, const char *root, const char *path);
/* The same for a module that is itself no longer there. */
bool debug_file_open_by_id(
	struct elf_image *debug, const char *root, const struct build_id *build_id);

/*
 * Opens the file that `image` shares with other debug files (dwz): the one that .gnu_debugaltlink
 * names, from the folder of `image` where that is a file, or by its build-id. Where `image` is
 * below ROOT/usr/lib/debug, an absolute path is looked up below ROOT, too. It is taken only when
 * its build-id is the one in the link. Source: dwz(1).
 */
bool debug_file_open_alt(struct elf_image *alt, const struct elf_image *image);

#endif
