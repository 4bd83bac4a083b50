/*
 * Passes over the entries of a unit: which functions have code in it, what was inlined into one of
 * them, and which scopes the entries stand in.
 *
 * Positions of entries are counted from the start of their unit.
 */
#ifndef DWARF_DIE_SCAN_H
#define DWARF_DIE_SCAN_H

#include "dwarf/debug_unit.h"

/* In place of an index. */
#define SITE_NONE UINT32_MAX

struct scan_function {
	uint32_t die;
	/* The caller's, zero at first: */
	uint32_t name;
	bool tried;
	struct scan_site *sites;
	struct span_index index; /* of `sites` */
};

struct scan_functions {
	struct scan_function *functions; /* owned */
	size_t count;
	size_t capacity;
	struct span_list spans; /* their code; items are indices of `functions` */
};

/* An entry that gives those within it a part of their names. */
struct scan_scope {
	uint32_t die;
	uint32_t end;    /* behind the last entry within */
	uint32_t parent; /* index; SITE_NONE at the top */
};

struct scan_scopes {
	struct scan_scope *scopes; /* owned; by `die` */
	size_t count;
	size_t capacity;
};

/*
 * Finds the functions of a unit that have code, and its scopes: namespaces, classes and functions.
 * Either may be NULL. False where the unit is damaged, too deep or refers to more than it can hold:
 * both are empty then.
 */
bool die_scan_unit(
	struct debug_unit *unit, struct scan_functions *functions, struct scan_scopes *scopes);
void scan_functions_release(struct scan_functions *found);
void scan_scopes_release(struct scan_scopes *found);
/* The innermost scope around the entry at `die`; SITE_NONE if it stands at the top. */
uint32_t scan_scopes_find(const struct scan_scopes *scopes, uint32_t die);

/* A call that was replaced by the code of its callee. */
struct scan_site {
	uint64_t origin;    /* the callee's entry in .debug_info; SITE_NO_ORIGIN: unknown */
	bool shared;        /* `origin` is in the file of `data->alt` */
	uint32_t parent;    /* the site whose code it is part of; SITE_NONE: the function's own */
	uint32_t call_line; /* 0 if not known */
	uint32_t name;      /* the caller's; 0 at first */
};

#define SITE_NO_ORIGIN UINT64_MAX

struct scan_sites {
	struct scan_site *sites; /* owned; parents before those inlined into them */
	size_t count;
	size_t capacity;
	struct span_list spans; /* their code; items are indices of `sites` */
};

/* The inlined calls in the function of the entry at `die`. False likewise; release either way. */
bool die_scan_sites(struct debug_unit *unit, uint32_t die, struct scan_sites *found);
void scan_sites_release(struct scan_sites *found);

#endif
