/*
 * The modules of all captures, each loaded once, and notes on those that could not be used.
 */
#ifndef SYMBOLS_MODULE_TABLE_H
#define SYMBOLS_MODULE_TABLE_H

#include "base/arena.h"
#include "elf/debuginfod.h"
#include "symbols/module.h"

#include <stdbool.h>
#include <stddef.h>

struct module_table {
	struct arena arena;
	struct module **buckets;
	size_t nbuckets; /* a power of two */
	size_t count;
	unsigned epoch; /* files are checked once in each */
	char **notes;   /* owned, distinct */
	size_t nnotes;
	size_t notes_capacity;
	struct debuginfod servers;
	const char *root; /* the folder that all files are looked for below; "": this system */
};

void module_table_init(struct module_table *table);
void module_table_release(struct module_table *table);

/* Looks for all files below `root`, as those of another system; call before the first look-up. */
void module_table_set_root(struct module_table *table, const char *root);

/*
 * The module, loaded if it is new or its file has changed since the last epoch. Never NULL: a
 * module without usable names has an empty table, and a note says why.
 */
struct module *module_find(struct module_table *table, const struct module_key *key);

/* Adds the notes on files that symbolizing found missing; not while it runs. */
void module_table_take_notes(struct module_table *table);

/* Adds a note unless it is there already. */
void module_note(struct module_table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
