/*
 * The changes of each sampled function's machine code between the two builds of a gate, and which
 * functions are inlined into those that changed.
 *
 * Each side's profile tells the file of a function; the files of the two builds are paired, and the
 * sampled code of each pair is compared (code/inventory.h).
 */
#ifndef GATE_CODE_CHANGES_H
#define GATE_CODE_CHANGES_H

#include "base/arena.h"
#include "baseline/store.h"
#include "code/inventory.h"
#include "compare/causes.h"
#include "compare/comparison.h"
#include "measurement/measurement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The program files of two builds that correspond to one another, and their machine code: that of
 * the base is read from its files or, of a stored gate, from what its baseline has of it.
 */
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

/*
 * Fills in the states, by frame of the comparison, whose names are canonical; free() them. Files
 * are opened on the first call and kept open, since a gate is judged several times.
 *
 * The kernel and its vDSO are the same where both sides ran on the present one, which a stored
 * baseline need not have. So is code in a file that is equal on both sides. Unknown is the code of
 * inlined functions, of JITs, of files that are gone or have changed since the runs began, and of a
 * function whose files on the two sides are no pair. A function is changed if one of its name has
 * changed in another file of the program: a profile cannot tell the two apart.
 */
void code_changes_read(
	struct module_pairs *pairs, const struct comparison *comparison, struct code_states *code);

/*
 * A function that is inlined into one whose machine code changed, by the debug information of the
 * candidate's files. Texts are borrowed from the pairs.
 */
struct inlined_call {
	frame_id into; /* of the comparison */
	const char *name;
	const char *file; /* that declares it; NULL: not known */
	uint32_t line;    /* of the declaration; 0: not known */
};

/* Owned. */
struct inlined_calls {
	struct inlined_call *all;
	size_t count;
	size_t capacity;
};

/* For the functions whose lines are the same, which have one that is inlined as a possible cause.
 */
void inlined_calls_read(struct inlined_calls *calls, struct module_pairs *pairs,
	const struct comparison *comparison, const struct code_states *code);
void inlined_calls_release(struct inlined_calls *calls);

#endif
