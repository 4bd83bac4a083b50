/*
 * The names of functions, and where their source is, out of their entries.
 *
 * A function that was inlined or that is defined apart from its declaration is described by several
 * entries that refer to each other, across units and into the file that dwz made.
 */
#ifndef DWARF_DIE_NAMES_H
#define DWARF_DIE_NAMES_H

#include "base/key_map.h"
#include "base/strtab.h"
#include "dwarf/debug_unit.h"
#include "dwarf/die_scan.h"

struct die_name {
	const char *name; /* demangled, or with its scopes; NULL if not known */
	const char *file; /* path of the source file; NULL if not known */
	uint32_t line;    /* of its declaration; 0 if not known */
};

struct name_unit;

struct die_names {
	struct name_unit *units; /* the arena's; a list of those in use */
	struct key_map entries;  /* by address in memory: index of `found` */
	struct die_name *found;  /* owned */
	size_t found_capacity;
	struct key_map mangled; /* by address of the name in the data: index of `readable` */
	const char **readable;  /* owned array */
	size_t readable_capacity;
	struct strtab texts; /* names and paths */
	struct arena arena;
	unsigned depth; /* of functions within functions */
};

/* The units that are passed to the functions below must live as long as `names`. */
void die_names_init(struct die_names *names);
void die_names_release(struct die_names *names);

/*
 * Where a pass over the entries of a unit, made for other reasons, puts the unit's scopes; NULL
 * where they are not needed.
 */
struct scan_scopes *die_names_scopes(struct die_names *names, struct debug_unit *unit);

/*
 * Finds the name of the function described by the entry at `offset` of the .debug_info of `units`
 * and by the entries that it refers to: returns a number, never 0, for die_names_get(). The same
 * entry has the same number.
 */
uint32_t die_names_find(struct die_names *names, const struct debug_units *units, uint64_t offset);
/* Valid until the next die_names_find(); its strings live as long as `names`. */
const struct die_name *die_names_get(const struct die_names *names, uint32_t number);

#endif
