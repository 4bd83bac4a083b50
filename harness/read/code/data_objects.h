/*
 * The data of a program file, object by object, each with a hash of its contents that does not
 * depend on addresses: what the data of two builds is compared by.
 */
#ifndef CODE_DATA_OBJECTS_H
#define CODE_DATA_OBJECTS_H

#include "code/meaning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
