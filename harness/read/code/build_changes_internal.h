/*
 * The parts of build_changes.h: the data of a build (data_objects.c), both builds read and compared
 * (build_changes.c), the walk from functions to what they refer to (build_walk.c), and what a run
 * reaches of the changes (build_reach.c).
 */
#ifndef CODE_BUILD_CHANGES_INTERNAL_H
#define CODE_BUILD_CHANGES_INTERNAL_H

#include "code/inventory.h"
#include "code/meaning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_function;
struct build_use;

/*
 * The data of a program file, object by object, each with a hash of its contents that does not
 * depend on addresses: what the data of two builds is compared by.
 */

/* A variable, a constant, or what lies between those that have a symbol. */
struct data_object {
	uint64_t address;
	uint64_t size;
	const char *name; /* the linker's; of a gap the section's; the image's */
	size_t name_len;  /* without the number that a compiler appended */
	const struct code_section *section;
	uint64_t hash; /* of name, size and contents; pointers by what they lead to */
	bool gap;      /* it has no symbol */
	bool changed;  /* for the user of the list: false at first */
};

struct data_objects {
	struct data_object *objects; /* by address */
	size_t count;
	size_t capacity;
	struct data_object **by_name; /* those that have a symbol, by name; `nnamed` */
	size_t nnamed;
	/* Words in the file may be addresses that no relocation marks. */
	bool unmarked;
};

/*
 * Reads the objects of an open image by its table of symbols; gaps only of data that can be written
 * or that has addresses in it. False where the file has no such table.
 */
bool data_objects_read(struct data_objects *objects, struct code_meaning *meaning);
void data_objects_release(struct data_objects *objects);

/* The object that holds `address`; NULL: none is known. */
struct data_object *data_objects_find(const struct data_objects *objects, uint64_t address);
/* The object of this name; NULL: none. */
struct data_object *data_objects_named(const struct data_objects *objects, const char *name);

/*
 * Calls `visit` with each address that a word of the object holds when the program starts, as far
 * as it is in the program.
 */
void data_objects_visit(const struct data_objects *objects, struct code_image *image,
	const struct data_object *object, void (*visit)(void *context, uint64_t address),
	void *context);

/* Whether the object's memory can change while the program runs. */
bool data_object_is_state(const struct data_object *object);

/*
 * The functions of a program file, and both builds.
 */

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
	uint64_t *referred; /* addresses of data that code refers to, rising */
	size_t nreferred;
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

/* A walk through one build. */
struct walk {
	const struct build_changes *changes;
	const struct build_side_code *side;
	bool *entered; /* by function: its references are followed */
	bool *taken;   /* by function: its address is used */
	bool *objects; /* by object: it is referred to */
	size_t *queue; /* of functions and, behind them, objects */
	size_t nqueue;
	const char *external; /* the first function elsewhere that may set anything; NULL: none */
	/* Whether a function is followed that is called, or whose address is taken. */
	bool (*follows)(const struct walk *walk, size_t function, bool called);
	const struct build_use *use;
};

void walk_init(struct walk *walk, const struct build_changes *changes, size_t which,
	const struct build_use *use,
	bool (*follows)(const struct walk *walk, size_t function, bool called));
void walk_release(struct walk *walk);
/* Has the references of a function followed. */
void walk_enter(struct walk *walk, size_t function);
/* Follows all that was entered, and what it leads to, to the end. */
void walk_on(struct walk *walk);

#endif
