/*
 * Why a function costs more: the stacks that carry the growth, the neighbours that moved with it,
 * whether its cost only moved there from elsewhere, and whether its machine code changed.
 *
 * Moved cost. Compilers inline, split and rename, people move code: a function then costs more and
 * the program does not. So growth is also tested in domains around the function, which hold all of
 * its own (self) cost and that of others: the function with all it calls, each of the nearest
 * callers common to most of its samples with all it calls, the functions of its class or namespace,
 * those of its source file, and, where it is new, the function that it may have been. With g the
 * function's own growth in cost, the cost moved within a domain if
 *
 *     (exp(ln(1 + c) + t_0.05 s) - 1) C < g / 2,
 *
 * c being the domain's change, C its cost before and s the standard error of ln(1 + c), as
 * comparison_group() has them: the one-sided 95 % upper bound of the domain's growth is less than
 * half of the function's growth. Of the domains for which this holds, the smallest is reported. The
 * reasons:
 *
 * - In cost, not in percent: a domain of ten times the cost grows by a tenth of the percentage.
 * - An upper bound, not "no significant growth": the wider the domain, the less is significant in
 *   it. Noise can hide a growth in the estimate, but not in the bound: in doubt, the cost has not
 *   moved. The only limit of size is for domains of more than 90 % of the program, which are the
 *   program.
 * - Half, not nothing: a move is rarely free, and the bound of a domain that did not grow at all
 *   lies above 0.
 * - All of the function's own cost is in every domain, so its real growth is in theirs. To call a
 *   real growth moved, a domain would have to miss it by half of g, beyond the noise common to
 *   both. This holds for each domain tried: so there is no correction for their number.
 * - A domain is compared as the function was, with the stable rest or by plain costs; if it cannot
 *   be, it is skipped. Otherwise runs of another day could make it look cheap.
 *
 * Renamed. A new function may have been one that is gone if the two cost about the same (within a
 * factor of two) and at least half of their samples have the same direct callers, and the same
 * direct callees or none; neighbours that are themselves new or gone count as the same. As all that
 * a new function costs is its growth, the rule above lets the two together grow by up to a half: so
 * the gate compares `domain_effect` with the threshold that applies to functions.
 */
#ifndef COMPARE_CAUSES_H
#define COMPARE_CAUSES_H

#include "base/arena.h"
#include "compare/code_states.h"
#include "compare/comparison.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAUSES_STACKS 5
#define CAUSES_NEIGHBOURS 5

/*
 * One path to the function, root first and without what calls main, or else without the process,
 * with the cost of the function itself at its end. Recursion is removed: a;b;a;c is a;c. A function
 * that one build inlined and the other did not is the same on both sides.
 */
struct cause_stack {
	const frame_id *frames; /* of the comparison's profile */
	size_t nframes;
	double before_cost;
	double after_cost;
};

/* A part of the function's cost: what it costs itself when called by this one, or what it calls. */
struct cause_neighbour {
	frame_id frame;
	double before_cost;
	double after_cost;
};

/* The domain within which the cost only moved. */
enum cause_domain {
	DOMAIN_NONE,    /* it did not */
	DOMAIN_CALLER,  /* a caller with all it calls */
	DOMAIN_CALLEES, /* the function with all it calls: a callee was inlined, say */
	DOMAIN_CLASS,   /* the functions of the same class or namespace */
	DOMAIN_FILE,    /* the functions of the same source file */
	DOMAIN_NAMES,   /* a function that vanished as this one appeared: renamed */
};

/*
 * All costs are means per run in the metric's unit. Where the function was compared with the stable
 * rest, costs before are scaled to the machine's speed after, except in `domain_effect`.
 */
struct causes {
	double growth; /* of its self cost: after less before */
	double before_cost;
	double after_cost;

	struct cause_stack stacks[CAUSES_STACKS]; /* those that grew, most growth first */
	size_t nstacks;                           /* with all others, they are the self cost */
	/*
	 * Direct callers, as parts of the self cost: those with a tenth of the growth or more,
	 * largest first.
	 */
	struct cause_neighbour callers[CAUSES_NEIGHBOURS];
	size_t ncallers;
	/*
	 * Direct callees with all they call, as far as this function called them, as parts of what
	 * it costs with all it calls: those that grew significantly, by a tenth of the growth or
	 * more.
	 */
	double before_calls;
	double after_calls; /* with all it calls, its self cost included */
	struct cause_neighbour callees[CAUSES_NEIGHBOURS];
	size_t ncallees;

	enum cause_domain moved;
	const char *domain; /* name of the caller, class, file or vanished function; of the function
			       itself for its callees; NULL: it did not move */
	struct effect domain_effect;
	double domain_most; /* the upper bound of the domain's growth in cost: see above */
	/*
	 * The function in the domain whose loss is closest to the growth, if it lost half of that
	 * or more; 0: no single one did.
	 */
	frame_id from;
	bool from_gone; /* it is no longer there */

	enum code_state code; /* of the function itself */
	/*
	 * The code of every user function on every sampled stack that holds it, callers and callees
	 * of either side, is known and the same.
	 */
	bool unreachable;
	/*
	 * The nearest caller, on the stacks that hold it, whose code changed or is new, by most
	 * weight; 0: none is known to have.
	 */
	frame_id changed_caller;
	/* An input of the program that differs, and its sizes; NULL: none is known to. Not set by
	 * causes_find(). */
	const char *changed_input;
	/*
	 * For which CPUs a library made the function that ran, "evex", where the sides differ in
	 * it; NULL: they do not. Not set by causes_find().
	 */
	const char *variant_before;
	const char *variant_after;
	/*
	 * The name of the file that it is in, where both sides have the same; NULL: they do not, or
	 * it is not known. Not set by causes_find().
	 */
	const char *same_file;

	/* Executed in it per run, on each side; NAN: not counted. Not set by causes_find(). */
	double instructions_before;
	double instructions_after;
};

/*
 * How many more instructions it executes: 0.05 for 5 % more; NAN: not counted. Differences within
 * CAUSES_SAME_WORK count as none: a program's start varies by some hundred instructions.
 */
#define CAUSES_SAME_WORK 0.001
double causes_more_work(const struct causes *causes);

/*
 * Whether layout can be the cause of what the same code costs more: it is not known to do more
 * work, and neither a caller's code nor an input changed.
 */
bool causes_may_be_layout(const struct causes *causes);

/* Data that the causes of all functions of one comparison need, which must outlive it. */
struct cause_ground;

struct cause_ground *causes_ground_make(const struct comparison *comparison);
void causes_ground_free(struct cause_ground *ground);

/*
 * Finds the causes for a function that grew or is new. `code` may be NULL: not known. All that
 * `causes` points to is in `arena`. Takes time linear in the tree, for each column.
 */
void causes_find(const struct cause_ground *ground, frame_id frame, const struct code_states *code,
	struct arena *arena, struct causes *causes);

/*
 * Scales all costs so that the function's own are these, at the machine's speed after: those of the
 * finding, which may rest on some of the runs.
 */
void causes_scale(struct causes *causes, double before_cost, double after_cost);

/* By node: the nearest frame there or above it that the change touched; 0: none. Free it. */
uint32_t *causes_nearest(const struct cause_ground *ground, const struct code_states *code);

/*
 * The function that the change touched, nearest to the growth of a function's own cost: itself, or
 * else its nearest caller, by the stacks that grew most. Touched is:
 *
 * - of code that changed or is new, with all that is inlined there, the innermost function with a
 *   changed line of source on the stack, or else one that is inlined in the same code;
 * - where no line of these changed (a type did), or this is not known, the innermost
 *   function, unless it did not grow in other functions that hold it;
 * - a function with a changed line whose machine code is not known.
 *
 * A line that uses a changed macro counts as changed.
 *
 * A new function without a changed line is the compiler's doing, or called for the first time: a
 * caller with a changed line is the subject, where there is one. Functions that are not in the
 * repository are only where no caller is touched; stubs of the linker and functions whose source
 * comes with the system, such as templates, are not.
 *
 * 0: no function on its stacks is known to be touched. `nearest`: causes_nearest(), which is the
 * same for all functions.
 */
frame_id causes_subject(const struct cause_ground *ground, frame_id frame,
	const struct code_states *code, const uint32_t *nearest);

/*
 * By frame of the comparison: whether the change may reach it. It does not where the code of the
 * function is known to be the same and `unreachable` holds for it. Takes time linear in the tree;
 * free it.
 */
bool *causes_reached(const struct cause_ground *ground, const struct code_states *code);

#endif
