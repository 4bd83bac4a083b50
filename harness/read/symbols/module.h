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

/*
 * A record of what was mapped into an address space: the kernel's or a process's.
 */

struct symbol_map {
	uint32_t pid;
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
	const char *path;              /* "[vdso]", "//anon" and the like included */
	const unsigned char *build_id; /* NULL if not known */
	size_t build_id_len;
	uint64_t inode; /* 0 if not known */
	bool kernel;    /* a map of the kernel or of one of its modules */
	bool data;      /* it was not to be executed */
};

struct debuginfod;
struct inline_frame;
struct inlines;

struct module {
	const char *path; /* as mapped, without " (deleted)" */
	const char *root; /* the folder that it is below: the table's */
	const char
		*beside; /* the folder of the capture: copies of files may be in it; NULL: none */
	struct build_id build_id; /* as recorded; may be unknown */
	uint64_t inode;           /* likewise; of interest where the build-id is unknown */
	const char *missing;      /* why the file could not be read, a clause; NULL: it was */
	struct stat seen; /* the file at `path` when it was read; zero if it was not there */
	unsigned epoch;   /* when it was last compared with the file */
	bool dwarf;       /* names are out of debug information */
	bool jit;         /* perf inject made it of a JIT's function */
	const char *code; /* where the file that was mapped can be opened; NULL: nowhere */
	struct stat code_seen;
	const char *debug;       /* the path of a server's debug file; NULL if none */
	bool inlines_tried;      /* `inlines` and `places` are made */
	struct inlines *inlines; /* owned; NULL if there is no debug information */
	bool inlines_noted;      /* that files of it are missing */
	struct elf_image places; /* the file's segments, which a debug file does not say */
	struct symtab tab;       /* by offset in the file; empty where there are no names */
	struct module *older;    /* of the same path and build-id; NULL: none */
};

/* The identity of a module in the capture. */
struct module_key {
	const char *path;
	struct build_id build_id;
	uint64_t inode;      /* 0 if not known */
	uint32_t pid;        /* of a process that mapped it; 0 if not known */
	uint64_t map_offset; /* of its code in the file, and how much was mapped; 0 if not known */
	uint64_t map_bytes;
};

/*
 * Opens the file of `module`, if it still is the one that was mapped, and its debug file
 * (debug->elf is NULL where there is none); sections that zstd packed are plain. False where the
 * file is not available: then neither is open.
 */
bool module_open(const struct module *module, struct elf_image *image, struct elf_image *debug);

/*
 * Whether the code that ends before `offset` of the file ends with a call. False also where the
 * code is not available or its machine is not supported.
 */
bool module_call_ends_at(const struct module *module, uint64_t offset);

/*
 * The functions at `offset` of the file, with what was inlined there: see inlines_find(). The debug
 * information is opened on first use. 0 also where there is none, or the file is no longer what it
 * was when its names were read.
 */
size_t module_inlined(
	struct module *module, uint64_t offset, struct inline_frame *frames, size_t max);

/* For the table of modules. */

/* Opens the debug file of `image`, which is the module's: an installed one or a server's. */
bool module_open_debug(
	const struct module *module, const struct elf_image *image, struct elf_image *debug);
void module_release(struct module *module);
/*
 * A note on debug information that was missing so far, free() it; NULL if none was, or it was taken
 * before.
 */
char *module_take_note(struct module *module);

#endif
