/*
 * Modules: the files that hold code, each with its table of symbols, loaded once for all captures.
 */
#ifndef SYMBOLS_MODULE_H
#define SYMBOLS_MODULE_H

#include "base/arena.h"
#include "elf/debuginfod.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct module_inlines;

struct module {
	const char *path;                     /* as mapped, without " (deleted)" */
	const char *root;                     /* the folder that it is below: the table's */
	unsigned char build_id[BUILD_ID_MAX]; /* as recorded; may be unknown */
	size_t build_id_len;
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

struct module_table {
	struct arena arena;
	struct module **buckets;
	size_t nbuckets; /* a power of two */
	size_t count;
	unsigned epoch; /* files are looked at once in each */
	char **notes;   /* owned, distinct */
	size_t nnotes;
	size_t notes_capacity;
	struct debuginfod servers;
	const char *root; /* the folder that all files are looked for below; "": this system */
};

/* What is known of a module from the capture. */
struct module_key {
	const char *path;
	const unsigned char *build_id; /* NULL if not known */
	size_t build_id_len;
	uint64_t inode;      /* 0 if not known */
	uint32_t pid;        /* of a process that mapped it; 0 if not known */
	uint64_t map_offset; /* of its code in the file, and how much was mapped; 0 if not known */
	uint64_t map_bytes;
};

void module_table_init(struct module_table *table);
void module_table_release(struct module_table *table);

/* Has all files looked for below `root`, as those of another system; before the first is. */
void module_table_set_root(struct module_table *table, const char *root);

/*
 * The module, loaded if it is new or its file has changed since the last epoch. Never NULL: a
 * module without usable names has an empty table, and a note says why.
 */
struct module *module_find(struct module_table *table, const struct module_key *key);

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

/* Adds the notes on what naming has found missing; not while names are looked for. */
void module_table_take_notes(struct module_table *table);

/* Adds a note unless it is there already. */
void module_note(struct module_table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
