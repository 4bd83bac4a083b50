/*
 * The modules of all captures, each loaded once, and notes on those that could not be used.
 */
#ifndef SYMBOLS_MODULE_TABLE_H
#define SYMBOLS_MODULE_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "elf/debug_file.h"
#include "symbols/module.h"

#include <stddef.h>

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
