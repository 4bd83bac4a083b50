/*
 * The parts of causes_find(), which share what is worked out once for a function.
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
 * The paths of a tree, each function standing once on a path. Inlined functions are the ones that
 * are not inlined, where those are known by the same name.
 */
struct cause_paths {
	struct ctree tree; /* of frames as `same` has them; without weights */
	/* Owned. */
	node_id *of;      /* by node of the profile: the path that ends there */
	uint32_t *depths; /* by path */
	uint64_t *hashes; /* by path, of the names on it: an order that no id has a part in */
};

struct cause_search {
	const struct comparison *comparison;
	frame_id frame;
	struct arena *arena;
	struct causes *causes;

	bool relative; /* held against the stable rest */
	double speed;  /* what costs before are multiplied by */

	/*
	 * That of the comparison, but for functions that only one side has: what is small on a side
	 * is in the stable rest as a whole, where the new ones stand for the gone ones. A domain
	 * takes its own part out of the rest, and may hold one of the two without the other.
	 */
	struct model model; /* its stable[] and reference[] are owned, the rest is borrowed */

	/* Owned. */
	frame_id *same; /* by frame: itself, or what an inlined one is the same function as */
	frame_id *code; /* by node: functions_code() */
	struct cause_paths paths;
};

#define CAUSE_NOWHERE UINT32_MAX

/*
 * The mean cost a run of the nodes in each slot, slot[node] < nslots or CAUSE_NOWHERE: before (at
 * the speed after) and after, both [nslots]. Equal in any order of the nodes.
 */
void cause_costs(const struct cause_search *search, const uint32_t *slot, size_t nslots,
	double *before, double *after);

void cause_paths_init(
	struct cause_paths *paths, const struct profile *profile, const frame_id *same);
void cause_paths_release(struct cause_paths *paths);

/* slot[node]: the path to the function if its samples were in that, else CAUSE_NOWHERE; free() it.
 */
uint32_t *cause_own_paths(const struct cause_search *search);

/* Each fills in its part of search->causes. */
void cause_find_stacks(const struct cause_search *search);
void cause_find_neighbours(const struct cause_search *search);
void cause_find_moved(const struct cause_search *search);

/* The function that is gone and that this new one may have been; 0: none. */
frame_id cause_former_name(const struct cause_search *search);

/*
 * Puts the class or namespace that a name of C++ or Rust says its function belongs to into `out`,
 * emptied first (class_name.c): "a::B" of "int a::B<int>::f<char>(int) const", of a lambda in
 * that and of "<a::B as Trait>::f". Template arguments are left out. False for a name without one.
 * Any bytes are a name; takes time linear in `len`.
 */
bool class_name(const char *name, size_t len, struct buf *out);

/* The order of frames that does not depend on their ids: by name, then kind. */
int cause_compare_frames(const struct cause_search *search, frame_id a, frame_id b);

#endif
