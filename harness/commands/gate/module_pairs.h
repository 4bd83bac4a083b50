/*
 * The program files of two builds that correspond to one another, and their machine code: that of
 * the base is read from its files or, of a stored gate, from what its baseline has of it.
 */
#ifndef PIPELINE_MODULE_PAIRS_H
#define PIPELINE_MODULE_PAIRS_H

#include "base/arena.h"
#include "baseline/store.h"
#include "code/code_list.h"
#include "measurement/measurement.h"

#include <stdbool.h>
#include <stddef.h>

/* The vDSO, as frames have it. */
#define MODULE_VDSO "[vdso]"

struct inline_frame;
struct inlines;

/* One file, or two that correspond to one another. */
struct module_pair {
	char *paths[MEASURE_SIDES]; /* owned */
	bool same;                  /* equal to the byte: no need to read them */
	bool known;                 /* they are those that ran, and can be read */
	bool opened;                /* opening was tried */
	struct code_inventory code[MEASURE_SIDES];
	const struct code_list *stored; /* in the place of the base's; NULL: it has a file */
	bool proven;                    /* that list is surely of the program that ran */
	bool inlines_tried;
	struct inlines *inlines; /* of the candidate's file; owned; NULL: no debug information */
};

struct module_pairs {
	const struct measured_side *sides; /* [MEASURE_SIDES] borrowed, as is `base` */
	const struct build_side *base;
	/* For a stored gate, in the place of a base; borrowed. */
	const struct baseline *before;
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

/* The modules of a side's profile, each once; NULL-ended; free() the array, not the names. */
const char **module_pairs_list(const struct module_pairs *pairs, enum measure_side side);

/*
 * The pair that `path`, a module of `side`, belongs to. Its file in the other build is the first
 * of: the one that the map of the two builds names; the same file, if the other build ran it too,
 * or if it is the system's; the word of the command in the same place; the only other file of that
 * name. `others` are the modules of the other build, `own` those of this one; look up the
 * candidate's first. NULL where there is none. Of a stored gate a file is known by its name.
 */
struct module_pair *module_pairs_find(struct module_pairs *pairs, enum measure_side side,
	const char *path, const char *const *own, const char *const *others);

/*
 * Opens the code of both. False where it cannot be read: the file is gone, has changed since the
 * runs, or is of another machine.
 */
bool module_pair_open(struct module_pair *pair);

/* The change of a function between the two, which are open. */
enum code_change module_pair_change(struct module_pair *pair, const char *name);

/* The functions that are inlined into the candidate's one at `address`: inlines_within(). */
size_t module_pair_inlined(
	struct module_pair *pair, uint64_t address, struct inline_frame *frames, size_t max);

#endif
