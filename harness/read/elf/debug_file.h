/*
 * The separate file that holds a stripped module's symbols: among the files of the machine, and on
 * debuginfod servers.
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
/* Opens the debug file of a module that itself no longer exists. */
bool debug_file_open_by_id(
	struct elf_image *debug, const char *root, const struct build_id *build_id);

/*
 * Opens the file that `image` shares with other debug files (dwz): the one that .gnu_debugaltlink
 * names, from the folder of `image` where that is a file, or by its build-id. Where `image` is
 * below ROOT/usr/lib/debug, an absolute path is looked up below ROOT, too. It is taken only when
 * its build-id is the one in the link. Source: dwz(1).
 */
bool debug_file_open_alt(struct elf_image *alt, const struct elf_image *image);

/*
 * Debug files and programs from debuginfod servers, only if enabled: the queries tell the servers
 * in $DEBUGINFOD_URLS which programs are profiled.
 *
 * The library is loaded at run time, so that it is not needed to build or to start. Source:
 * debuginfod_find_debuginfo(3).
 */

enum debuginfod_state {
	DEBUGINFOD_OFF,     /* not enabled */
	DEBUGINFOD_ON,      /* not tried yet */
	DEBUGINFOD_READY,   /* the library is there, and a server is named */
	DEBUGINFOD_USELESS, /* it cannot be used: see `trouble` */
};

struct debuginfod {
	enum debuginfod_state state;
	const char *trouble; /* why it cannot be used; NULL if it can, or was not tried */
	void *library;
	void *client;
};

/* Ends the client, if there is one. */
void debuginfod_release(struct debuginfod *servers);

/*
 * Fetches the debug file of a build or, if `executable`, its program. Returns the path of the copy
 * in the client's cache, free() it; NULL where there is none. It may take as long as
 * $DEBUGINFOD_TIMEOUT says; once no server answers, no more queries are sent.
 */
char *debuginfod_fetch(
	struct debuginfod *servers, const struct build_id *build_id, bool executable);

#endif
