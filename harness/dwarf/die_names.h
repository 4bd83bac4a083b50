/*
 * The names of functions, and where their source is, out of their entries.
 *
 * A function that was inlined or that is defined apart from its declaration is described by several
 * entries that refer to each other, across units and into the file that dwz made.
 */
#ifndef DWARF_DIE_NAMES_H
#define DWARF_DIE_NAMES_H

#include "base/strtab.h"
#include "dwarf/debug_unit.h"

struct die_name {
	const char *name; /* demangled, or with its scopes; NULL if not known */
	const char *file; /* path of the source file; NULL if not known */
	uint32_t line;    /* of its declaration; 0 if not known */
};

struct name_unit;

/* The file itself, and what it shares with others. */
enum {
	NAMES_OWN,
	NAMES_SHARED,
	NAMES_NFILES,
};

struct die_names {
	struct debug_units *files[NAMES_NFILES]; /* borrowed */
	struct name_unit **units[NAMES_NFILES];  /* owned arrays; on first use */
	struct strtab keys;                      /* which entry -> index of `found` */
	struct die_name *found;                  /* owned */
	size_t capacity;
	struct strtab mangled; /* which name in the data -> index of `readable` */
	const char **readable; /* owned array; NULL: not a mangled name */
	size_t readable_capacity;
	struct strtab texts; /* names and paths */
	struct arena arena;
	unsigned depth; /* of functions within functions */
};

/* `units` and `shared`, which may have none, must live as long as `names`. */
void die_names_init(struct die_names *names, struct debug_units *units, struct debug_units *shared);
void die_names_release(struct die_names *names);

/*
 * What is known of the function of the entry at `offset` of the .debug_info of `file`, and of those
 * that it refers to: a number, never 0, for die_names_get(). The same for the same entry.
 */
uint32_t die_names_find(struct die_names *names, int file, uint64_t offset);
/* Valid until the next die_names_find(); its strings live as long as `names`. */
const struct die_name *die_names_get(const struct die_names *names, uint32_t number);

#endif
