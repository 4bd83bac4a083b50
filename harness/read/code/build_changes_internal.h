/*
 * The parts of build_changes.h: both builds read and compared (build_changes.c), and what a run
 * reaches of the changes (build_reach.c).
 */
#ifndef CODE_BUILD_CHANGES_INTERNAL_H
#define CODE_BUILD_CHANGES_INTERNAL_H

#include "code/build_changes.h"
#include "code/data_objects.h"
#include "code/inventory.h"

/* A function of one build. */
struct side_function {
	uint64_t address;
	uint64_t size;
	const char *name;   /* as people read it, folded */
	const char *linker; /* the linker's name */
	str_id key;         /* of that, folded: what both builds are compared by */
	uint64_t hash;
	bool stub;
	bool read; /* its references are known */
	bool changed;
	size_t first; /* of its references */
	size_t count;
};

struct build_side_code {
	struct code_inventory inventory;
	struct data_objects objects;
	struct side_function *functions; /* by address */
	size_t nfunctions;
	struct code_reference *references;
	size_t nreferences;
	size_t capacity;
	uint64_t *marked; /* addresses of symbols of functions, rising */
	size_t nmarked;
	size_t marked_capacity;
};

enum { BUILD_BEFORE, BUILD_AFTER, BUILD_SIDES };

struct build_changes {
	struct build_side_code sides[BUILD_SIDES];
	struct strtab keys;
	struct build_function *functions; /* of the later build, by offset */
	size_t nchanged;
	size_t nobjects_changed;
};

/* The function that holds `address`; SIZE_MAX: none. */
size_t side_function_at(const struct build_side_code *side, uint64_t address);

#endif
