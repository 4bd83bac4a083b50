/*
 * A module: a file that holds code, with its table of symbols.
 */
#ifndef SYMBOLS_MODULE_H
#define SYMBOLS_MODULE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"

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

/*
 * Finding the file that was mapped: at its path or, where that file is gone or replaced, through a
 * process that still has it, among the copies beside the capture, or in perf's cache of files by
 * build-id. Below a root of another system there are no processes, and no cache of ours.
 */
enum module_file {
	MODULE_FILE_SAME,     /* by its build-id or inode, or as nothing contradicts it */
	MODULE_FILE_UNSURE,   /* no build-id was recorded, and the inode is another one */
	MODULE_FILE_GONE,     /* there is none, or it is no program */
	MODULE_FILE_CHANGED,  /* it has another build-id */
	MODULE_FILE_REPLACED, /* it was deleted while it was mapped, and no build-id was recorded */
};

/* Whether the path of a mapping says that its file has been deleted: "... (deleted)". */
bool module_file_is_deleted(const char *path);
/* The length of the path without " (deleted)". */
size_t module_file_path_len(const char *path);

/* Whether a file of this path is a just-in-time compiler's dump (jitdump), by its name. */
bool jit_dump_is_path(const char *path);
/* Whether it is a program that perf inject made of a function in one: jitted-PID-NUMBER.so. */
bool jit_dump_is_program(const char *path);

/*
 * The modules of all captures, each loaded once, and notes on those that could not be used.
 */

struct module_table {
	struct arena arena;
	struct module *
		*modules; /* in the order they were met; the newest of each path and build-id */
	size_t nmodules;
	size_t capacity;
	struct map by_key;   /* indexes into modules */
	struct strtab paths; /* of them */
	unsigned *builds;    /* owned; by path: its modules that were looked for */
	size_t builds_capacity;
	unsigned epoch;      /* files are checked once in each */
	struct strtab notes; /* from id 1, in the order they were made */
	struct debuginfod servers;
	const char *root;   /* the folder that all files are looked for below; "": this system */
	const char *beside; /* the folder of the capture that is read; NULL: not known */
};

void module_table_init(struct module_table *table);
void module_table_release(struct module_table *table);

/* Looks for all files below `root`, as those of another system; call before the first look-up. */
void module_table_set_root(struct module_table *table, const char *root);

/* Looks for copies of files beside the capture at `path`, from now on; NULL: for none. */
void module_table_set_capture(struct module_table *table, const char *path);

/*
 * Appends a line "PATH TAB CAUSE" for each module of this epoch whose file could not be read; CAUSE
 * is a clause.
 */
void module_table_put_missing(const struct module_table *table, struct buf *out);

/*
 * The module, loaded if it is new or its file has changed since the last epoch. Never NULL: a
 * module without usable names has an empty table, and a note says why.
 */
struct module *module_find(struct module_table *table, const struct module_key *key);

/* Adds the notes on files that symbolizing found missing; not while it runs. */
void module_table_take_notes(struct module_table *table);

static inline size_t
module_table_nnotes(const struct module_table *table)
{
	return table->notes.nentries - 1;
}

static inline const char *
module_table_note(const struct module_table *table, size_t note)
{
	return strtab_str(&table->notes, (str_id)note + 1);
}

/* Adds a note unless it is there already. */
void module_note(struct module_table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
