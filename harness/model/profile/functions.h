/*
 * Functions: the call tree summed by frame, for tables, comparison and gates.
 *
 * A function's self weight is that of the samples that stood in its code; its total weight that of
 * the samples whose stack holds it, counted once however often it recurs.
 *
 * Its code is what the compiler made for it, with all that was inlined there: what has become
 * slower is the function that a person changed, not the helper that a hundred others inline as
 * well. An inlined function has its own total weight, and no self weight.
 */
#ifndef PROFILE_FUNCTIONS_H
#define PROFILE_FUNCTIONS_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct functions {
	size_t nfunctions; /* == number of frames; the index is the frame_id */
	size_t ncolumns;
	double *self;  /* [frame * ncolumns + column] */
	double *total; /* the same */
};

/* Computes self and total of every frame in every column. */
void functions_init(struct functions *functions, const struct profile *profile);
void functions_release(struct functions *functions);

/*
 * By node: the frame whose code the node's own samples were in. Of an inlined frame that is the
 * function that holds it, but for one right below a process. free() it.
 */
frame_id *functions_code(const struct profile *profile);

/*
 * By node: no node above it has a frame of the same group. `group` is a frame id by frame; NULL:
 * each frame is a group. free() it.
 */
bool *functions_outermost(const struct profile *profile, const frame_id *group);

/* Sum over columns first..first+count-1. */
double functions_self(
	const struct functions *functions, frame_id frame, size_t first, size_t count);
double functions_total(
	const struct functions *functions, frame_id frame, size_t first, size_t count);

/* By node: whether its own samples count for a group, as functions_group() has it. free() it. */
bool *functions_covered(const struct profile *profile, const bool *member, bool leaf_only);

/*
 * The weight, for each column, of the samples whose stack holds a frame with member[frame] true
 * (leaf_only: whose leaf is one, or is inlined in one): a group's inclusive (self) weight, counted
 * once. out[ncolumns].
 */
void functions_group(
	const struct profile *profile, const bool *member, bool leaf_only, double *out);

/* A caller or a callee of some function. */
struct function_edge {
	frame_id frame;
	double weight;
};

/* Largest weight first, ties by name and kind; for qsort_r() of structs that begin with an edge. */
int functions_compare_edges(const void *a, const void *b, void *profile);

/*
 * The callers of frame `of`, one level, recursion folded: total weight summed over all columns,
 * largest first, ties by name. Returns how many there are; at most `max` are written to `out`.
 */
size_t functions_callers(
	const struct profile *profile, frame_id of, struct function_edge *out, size_t max);

#endif
