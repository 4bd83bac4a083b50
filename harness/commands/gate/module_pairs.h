/*
 * The program files of two builds that correspond to one another, and their machine code. The code
 * of the base is read from its files or, in a stored gate, from the lists that are stored with its
 * baseline (stored_code.h).
 */
#ifndef GATE_MODULE_PAIRS_H
#define GATE_MODULE_PAIRS_H

#include "base/arena.h"
#include "code/code_list.h"
#include "code/inventory.h"
#include "dwarf/inlines.h"
#include "measurement/measurement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file, or two that correspond to one another. */
struct module_pair {
	char *paths[MEASURE_SIDES]; /* owned */
	bool same;                  /* equal to the byte: no need to read them */
	bool known;                 /* they are the files that ran, and can be read */
	bool opened;                /* opening was tried */
	struct code_inventory code[MEASURE_SIDES];
	const struct code_list *stored; /* in place of the base's file; NULL: the base has a file */
	bool proven;                    /* `stored` is surely of the program that ran */
	bool inlines_tried;
	struct inlines *inlines; /* of the candidate's file; owned; NULL: no debug information */
};

struct module_pairs {
	const struct measured_side *sides; /* [MEASURE_SIDES] borrowed, as is `base` */
	const struct build_side *base;     /* NULL: a stored gate */

	/* For a stored gate. */
	const struct baseline *before; /* borrowed */
	struct code_lists lists;

	/* The pairs looked up so far; they do not move. */
	struct module_pair **pairs;
	size_t npairs;
	size_t capacity;
	struct arena arena;
};

/* For a measurement of two sides, the second one built in `base`; both are borrowed. */
struct module_pairs *module_pairs_new(
	const struct measurement *measurement, const struct build_side *base);
/*
 * For the candidate of a measurement and the runs of a baseline, by the code that is stored in its
 * `folder`. NULL: none is.
 */
struct module_pairs *module_pairs_stored(
	const struct measurement *measurement, const struct baseline *before, const char *folder);
/* NULL is fine. */
void module_pairs_free(struct module_pairs *pairs);
/*
 * The pair of each file of a side, indexed by the file's string in the side's profile; free() it.
 * To be called for the candidate first.
 */
struct module_pair **module_pairs_of_side(struct module_pairs *pairs, enum measure_side side);

/*
 * Opens the code of both files. False where it cannot be read: the file is missing, has changed
 * since the runs, or is of another machine.
 */
bool module_pair_open(struct module_pair *pair);
/* The change of a function between the two files, which are open. */
enum code_change module_pair_change(struct module_pair *pair, const char *name);
/* The functions that are inlined into the candidate's function at `address`: inlines_within(). */
size_t module_pair_inlined(
	struct module_pair *pair, uint64_t address, struct inline_frame *frames, size_t max);

#endif
