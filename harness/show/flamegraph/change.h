/*
 * The numbers of a differential flame graph (diff.c): both sides, and the changes between them.
 */
#ifndef FLAMEGRAPH_CHANGE_H
#define FLAMEGRAPH_CHANGE_H

#include "base/buf.h"
#include "compare/comparison.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Both sides of a comparison, node by node, for a differential flame graph: how large each node is
 * before and after.
 *
 * A size is a share of the cost of its side, mean over the runs. Widths follow from sizes:
 * normalised to equal totals, or in a comparison of plain costs scaled by the cost of each side.
 * The comparison (compare/model.h) decides what a size after is compared with: see enum
 * flamegraph_basis.
 */

/*
 * The quantity whose changes are shown. Where a function grows all others get smaller shares, so
 * shares are compared only where nothing better is known.
 */
enum flamegraph_basis {
	FLAMEGRAPH_REST,  /* cost relative to the stable rest of the program */
	FLAMEGRAPH_COST,  /* plain cost: paired and counted runs, or as requested */
	FLAMEGRAPH_SHARE, /* share of the whole */
};

struct flamegraph_side {
	size_t first; /* its columns */
	size_t count;
	/* Mean per execution, in `unit`, before at the machine's speed after; 0: holds nothing. */
	double cost;
	double measured;    /* the same as it was measured */
	double samples;     /* all runs together: what the noise is computed from */
	double width_scale; /* size times this is a width: 1 where widths are normalised */
};

struct flamegraph_sides {
	const struct comparison *comparison;
	struct flamegraph_side before;
	struct flamegraph_side after;
	const char *unit; /* of the costs; that of the weights where a run's cost is not known */
	bool by_cost;
	const char *per; /* what they are the costs of: "run", "execution"; "": a single run */
	enum flamegraph_basis basis;
	bool normalised;
	double drift;      /* of sizes: after / before / drift is 1 where nothing has changed */
	double cost_drift; /* the same of costs as they were measured */
	size_t family;     /* how many tests the colours are corrected for */
	double *factors;   /* by column: share of a weight in its side's cost */

	/* By node, children included; a node's width is its own larger one and its children's. */
	double *size_before;
	double *size_after;
	double *width;
};

void flamegraph_sides_init(struct flamegraph_sides *sides, const struct comparison *comparison);
void flamegraph_sides_release(struct flamegraph_sides *sides);

/*
 * The changes of the nodes and functions of a differential flame graph, and their significance.
 *
 * Each is tested separately, from its own runs, by the model that judges functions in a gate
 * (compare/model.h): by the variance between runs, at least the binomial one; of single runs by
 * that alone. Shares are tested the same way with the whole as the rest. A node or function with
 * too few samples on a side for a ratio, such as a new or gone one, is compared with the binomial
 * noise of its counts and has no interval.
 *
 * A function that the comparison has tested has its costs, change, interval and verdict, and so has
 * a node that holds all of its own weight: a number is the same in the text, the list and the
 * tooltip.
 *
 * Any other interval is the 95 % confidence interval of this one number. `significant` is stricter:
 * it is corrected for all visible frames (Bonferroni), so that noise colours a frame in one picture
 * of twenty. Hence a change whose interval excludes 0 may not be significant.
 */

struct flamegraph_change {
	double before; /* sizes */
	double after;
	double ratio; /* after / before - 1, drift taken out; INFINITY for what is new */
	double skew;  /* how far the middle of that interval is above ln(1 + ratio) */
	double half;  /* half width of the interval of ln(1 + ratio); NAN where it is not known */
	bool significant;
};

/* The changes of nodes[count] with all below them, and of the nodes alone: total[count],
 * self[count].
 */
void flamegraph_change_nodes(const struct flamegraph_sides *sides, const node_id *nodes,
	size_t count, struct flamegraph_change *total, struct flamegraph_change *self);

/* The changes of every function's own cost (profile/functions.h), by frame_id; free() it. */
struct flamegraph_change *flamegraph_change_functions(const struct flamegraph_sides *sides);

/* Appends the change with its interval, or "new", or "gone". */
void flamegraph_change_put_ratio(const struct flamegraph_change *change, struct buf *out);

/* The class of assets/flamegraph.css for a change. */
const char *flamegraph_change_class(const struct flamegraph_change *change);

#endif
