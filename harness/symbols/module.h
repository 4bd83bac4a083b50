/*
 * A module: a file that holds code, with its table of symbols.
 */
#ifndef SYMBOLS_MODULE_H
#define SYMBOLS_MODULE_H

#include "elf/elf_image.h"
#include "elf/symtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct module_inlines;

struct module {
	const char *path;         /* as mapped, without " (deleted)" */
	const char *root;         /* the folder that it is below: the table's */
	struct build_id build_id; /* as recorded; may be unknown */
	struct stat seen; /* the file at `path` when it was read; zero if it was not there */
	unsigned epoch;   /* when it was last compared with the file */
	bool dwarf;       /* names are out of debug information */
	const char *code; /* where the file that was mapped can be opened; NULL: nowhere */
	struct stat code_seen;
	const char *debug;              /* where a server's debug file is kept; NULL if none */
	struct module_inlines *inlines; /* owned; NULL until they are asked for */
	struct symtab tab;              /* by offset in the file; empty where names cannot be had */
	struct module *older;           /* the next one with the same hash */
};

/* What is known of a module from the capture. */
struct module_key {
	const char *path;
	struct build_id build_id;
	uint64_t inode;      /* 0 if not known */
	uint32_t pid;        /* of a process that mapped it; 0 if not known */
	uint64_t map_offset; /* of its code in the file, and how much was mapped; 0 if not known */
	uint64_t map_bytes;
};

/* Whether nothing says that the file has changed between the two looks at it. */
bool module_is_same_file(const struct stat *a, const struct stat *b);

/* Opens the debug file of `image`, which is the module's: one that is here or a server's. */
bool module_open_debug(
	const struct module *module, const struct elf_image *image, struct elf_image *debug);

/*
 * Opens the file of `module`, if it still is the one that was mapped, and its debug file
 * (debug->elf is NULL where there is none); sections that zstd packed are plain. False where the
 * file cannot be had: then neither is open.
 */
bool module_open(const struct module *module, struct elf_image *image, struct elf_image *debug);

/*
 * Whether the code that ends before `offset` of the file ends with a call. False as well where the
 * code cannot be had or is of a machine whose calls are not known here.
 */
bool module_call_ends_at(const struct module *module, uint64_t offset);

#endif
