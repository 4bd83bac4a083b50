/*
 * Both sides of a comparison, node by node, for a differential flame graph: how large each node is
 * before and after, and whether a difference is more than noise.
 *
 * A size is a share of its own side's cost, mean over the runs: that is the normalisation to equal
 * totals. Changes are judged like those of functions (by cost, not share): a share after is
 * first divided by `drift`, the change of the share of the stable rest of the program, so that one
 * function that grows does not make all others look smaller.
 */
#ifndef OUTPUT_FLAMEGRAPH_SIDES_H
#define OUTPUT_FLAMEGRAPH_SIDES_H

#include "base/buf.h"
#include "compare/comparison.h"

#include <stdbool.h>

struct flamegraph_side {
	size_t first; /* its columns */
	size_t count;
	double cost;    /* mean a run, in `unit`; 0 if it holds nothing */
	double samples; /* all runs together: what the noise is computed from */
};

struct flamegraph_sides {
	const struct comparison *comparison;
	struct flamegraph_side before;
	struct flamegraph_side after;
	const char *unit; /* of the costs; that of the weights where a run's cost is not known */
	double drift;     /* 1 where no stable rest is known */
	bool has_drift;
	double noise_sigmas; /* a difference of so many standard deviations is more than noise */
	double *factors;     /* by column: share of a weight in its side's cost */

	/* By node, children included; a node's width is its own larger size and its children's. */
	double *size_before;
	double *size_after;
	double *width;
};

/* What happened to a node or a function. */
struct flamegraph_change {
	double before; /* sizes */
	double after;
	double ratio;     /* after / before - 1, drift taken out; INFINITY for what is new */
	bool significant; /* beyond noise_sigmas, and what the comparison says of it */
};

void flamegraph_sides_init(struct flamegraph_sides *sides, const struct comparison *comparison);
void flamegraph_sides_release(struct flamegraph_sides *sides);

/* The change of a node with everything below it, and of the node alone. */
struct flamegraph_change flamegraph_sides_total(const struct flamegraph_sides *sides, node_id node);
struct flamegraph_change flamegraph_sides_self(const struct flamegraph_sides *sides, node_id node);
/* The change of a function's self weight, all its nodes together. */
struct flamegraph_change flamegraph_sides_function(
	const struct flamegraph_sides *sides, frame_id frame);

/* Appends both costs: "1.2 ms -> 1.5 ms a run". */
void flamegraph_sides_put_costs(const struct flamegraph_sides *sides,
	const struct flamegraph_change *change, struct buf *out);

/* The class of assets/flamegraph.css for a change. */
const char *flamegraph_change_class(const struct flamegraph_change *change);

#endif
