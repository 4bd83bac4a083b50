/*
 * The parts of causes_find(), and the state that they share for one function.
 */
#ifndef COMPARE_CAUSES_SEARCH_H
#define COMPARE_CAUSES_SEARCH_H

#include "base/buf.h"
#include "compare/causes.h"
#include "profile/ctree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The paths of a tree, each function standing once on a path. An inlined function counts as the one
 * of the same name that is not inlined, if there is one.
 */
struct cause_paths {
	struct ctree tree; /* of frames as `same` has them; without weights */
	/* Owned. */
	node_id *of;      /* by node of the profile: the path that ends there */
	uint32_t *depths; /* by path */
	uint64_t *hashes; /* by path, of the names on it: gives an order independent of ids */
};

/* Data that is the same for all functions of a comparison; all but the comparison is owned. */
struct cause_ground {
	const struct comparison *comparison;
	/*
	 * The model of the comparison, without functions that only one side has: those small on a
	 * side are in the stable rest as one group, where new ones offset gone ones. A domain takes
	 * its own part out of the rest, and may hold a new one without its gone one. Of its arrays
	 * only stable[] and reference[] are owned.
	 */
	struct model model;
	struct effect *total; /* by frame: comparison_totals() */
	frame_id *same;       /* by frame: itself, or what an inlined one is the same function as */
	frame_id *code;       /* by node: functions_code() */
	double *weights;      /* by node, of all runs */
	struct cause_paths paths;
};

/* For one function. */
struct cause_search {
	const struct comparison *comparison;
	frame_id frame;
	struct arena *arena;
	struct causes *causes;

	bool relative; /* compared with the stable rest */
	double speed;  /* factor for costs before */

	/* As in struct cause_ground; borrowed. */
	struct model model;
	const struct effect *total;
	const frame_id *same;
	const frame_id *code;
	const double *weights;
	const struct cause_paths *paths;
};

#define CAUSE_NOWHERE UINT32_MAX

/*
 * Adds the mean cost of a run in the nodes of each slot, slot[node] < nslots or CAUSE_NOWHERE, to
 * before[nslots] (at the speed after) and after[nslots]. The result does not depend on the order of
 * the nodes.
 */
void cause_costs(const struct cause_search *search, const uint32_t *slot, size_t nslots,
	double *before, double *after);

void cause_paths_init(
	struct cause_paths *paths, const struct profile *profile, const frame_id *same);
void cause_paths_release(struct cause_paths *paths);

/* slot[node]: the path to the function if its samples were in that, else CAUSE_NOWHERE; free() it.
 */
uint32_t *cause_own_paths(const struct cause_search *search);

/* Whether the machine code of a function, not one of the kernel, changed or is new. */
static inline bool
cause_code_changed(const struct profile *profile, const struct code_states *code, frame_id frame)
{
	const bool known =
		frame < code->nframes && profile->frames.frames[frame].kind != FRAME_KERNEL;

	return known &&
	       (code->by_frame[frame] == CODE_CHANGED || code->by_frame[frame] == CODE_NEW);
}

/*
 * Whether the code of every function of the program on every sampled stack that holds the function
 * is known and the same: causes.unreachable.
 */
bool cause_is_unreachable(const struct cause_search *search, const struct code_states *code);
/* The nearest caller whose code changed, on the stacks with most weight; 0: causes.changed_caller.
 */
frame_id cause_find_changed_caller(
	const struct cause_search *search, const struct code_states *code);

/* Each fills in its part of search->causes. */
void cause_find_stacks(const struct cause_search *search);
void cause_find_neighbours(const struct cause_search *search);
void cause_find_moved(const struct cause_search *search);

/* The function that is gone and that the new one of the search may have been; 0: none. */
frame_id cause_find_former_name(const struct cause_search *search);

/* The order of frames that does not depend on their ids: by name, then kind. */
int cause_compare_frames(const struct cause_search *search, frame_id a, frame_id b);

#endif
