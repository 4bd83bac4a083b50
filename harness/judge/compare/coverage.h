/*
 * Coverage of production by workloads: the share of production's cost that is in functions which
 * the workloads reach, too, and from the same callers.
 *
 * A stack of production is reached where some stack of a workload has the function that it ends in,
 * called by the same function. A function that workloads call only from code of their own, which is
 * `main` or not in production, is one that they exercise directly: its callers are not compared.
 * Names are canonical (profile/canonical.h), and recursion is one call. Inlined functions are
 * functions of their own if both sides name them; otherwise their cost is that of the function that
 * holds them.
 */
#ifndef COMPARE_COVERAGE_H
#define COMPARE_COVERAGE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

enum coverage_state {
	COVERAGE_REACHED,
	COVERAGE_OTHER_CALLERS, /* the function is reached, but from other callers only */
	COVERAGE_NOT_REACHED,
	COVERAGE_NO_NAME, /* code without a name: it may be anything, and is not counted as reached
			   */
	COVERAGE_STATES,
};

struct coverage_workload {
	const char *name;
	const struct profile *profile;
};

/* A function with cost of its own in production. */
struct coverage_function {
	frame_id frame;                  /* of the joined profile */
	double weight;                   /* production's */
	double weights[COVERAGE_STATES]; /* its parts, by how its stacks are reached */
	double share;                    /* the largest of the workloads' shares of it, */
	size_t workload;                 /* and the workload that has it */
};

/*
 * A function through which a new workload would reach what none does. Each stack that is not
 * reached counts for one of these: the outermost function on it that is itself not reached, or from
 * other callers only, and most of whose cost is not reached. It is no function with more than half
 * of production's cost, since such a one names no part of the program.
 */
struct coverage_entry {
	frame_id frame;
	frame_id caller;           /* with the most of this weight; 0: not known, or none */
	enum coverage_state state; /* COVERAGE_OTHER_CALLERS or COVERAGE_NOT_REACHED */
	double weight;             /* of production's that it would reach */
};

struct coverage {
	struct profile joined;           /* production's runs, then the workloads' */
	size_t nruns;                    /* production's */
	double whole;                    /* production's weight */
	double weights[COVERAGE_STATES]; /* its parts */
	bool inlined;                    /* inlined functions are functions of their own ... */
	bool held;                       /* ... or are not, because only one side names them */
	const struct coverage_workload *workloads;
	size_t nworkloads;
	struct coverage_function *functions; /* by weight, then name */
	size_t nfunctions;
	struct coverage_entry *entries; /* the same */
	size_t nentries;
	unsigned char *states; /* by node of `joined` with weight of production's: how the call of
				  its function there is reached; the root, and labels: reached */
};

/* At least one workload; they are borrowed. Production's profile is only read. */
void coverage_init(struct coverage *coverage, const struct profile *production,
	const struct coverage_workload *workloads, size_t nworkloads);
void coverage_release(struct coverage *coverage);

/* The share of production's cost that is reached from the same callers; 0 without any cost. */
double coverage_ratio(const struct coverage *coverage);

/*
 * Production's stacks for a picture: a new profile with one frame for each function and state,
 * which differ in frame.at_line. A function most of whose cost, with what it calls, is reached has
 * that state. Returns the states by frame; free() them, and release the profile.
 */
unsigned char *coverage_picture(const struct coverage *coverage, struct profile *picture);

#endif
