/*
 * Why a function costs more: the stacks that carry the growth, the neighbours that moved with it,
 * whether its cost only came from elsewhere, and what its machine code says.
 */
#ifndef COMPARE_CAUSES_H
#define COMPARE_CAUSES_H

#include "base/arena.h"
#include "compare/code_state.h"
#include "compare/comparison.h"

#include <stdbool.h>
#include <stddef.h>

#define CAUSES_STACKS 5
#define CAUSES_NEIGHBOURS 5

/* One path to the function, root first, with the cost a run of the function at its end. */
struct cause_stack {
	const frame_id *frames; /* of the comparison's profile; without the root */
	size_t nframes;
	double before_cost;
	double after_cost;
};

struct cause_neighbour {
	frame_id frame;
	double before_cost; /* inclusive, a run */
	double after_cost;
};

/* Within what the cost only moved. */
enum cause_domain {
	DOMAIN_NONE,    /* it did not */
	DOMAIN_CALLER,  /* the caller costs no more than it did, all it calls included */
	DOMAIN_CALLEES, /* the function with all it calls: what it called was inlined, or split off
			 */
	DOMAIN_CLASS,   /* the functions of the same class or namespace */
	DOMAIN_FILE,    /* the functions of the same source file */
	DOMAIN_NAMES,   /* a function that vanished as this one appeared: renamed */
};

struct causes {
	struct cause_stack stacks[CAUSES_STACKS]; /* most growth first */
	size_t nstacks;
	struct cause_neighbour
		callers[CAUSES_NEIGHBOURS]; /* that grew with it, most growth first */
	size_t ncallers;
	struct cause_neighbour callees[CAUSES_NEIGHBOURS];
	size_t ncallees;

	enum cause_domain moved;
	const char *domain; /* name of the caller, class, file or vanished function */
	struct effect domain_effect;

	enum code_state code; /* of the function itself */
	bool unreachable;     /* no stack that holds it holds code that changed */
};

/*
 * Finds them for a function that grew. `code` may be NULL: nothing is known then. What it points to
 * is in `arena`.
 */
void causes_find(const struct comparison *comparison, frame_id frame,
	const struct code_states *code, struct arena *arena, struct causes *causes);

#endif
