/*
 * Both sides of a comparison, node by node, for a differential flame graph: how large each node is
 * before and after.
 *
 * A size is a share of the cost of its side, mean over the runs. Widths follow from sizes:
 * normalised to equal totals, or in a comparison of plain costs scaled by the cost of each side.
 * The comparison (compare/model.h) decides what a size after is compared with: see enum
 * flamegraph_basis.
 */
#ifndef FLAMEGRAPH_SIDES_H
#define FLAMEGRAPH_SIDES_H

#include "compare/comparison.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

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
	size_t first; /* of its columns */
	size_t count; /* of its columns */
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

/* The size on one side of something with these weights by column, such as a node or a function. */
double flamegraph_size_on_side(const struct flamegraph_sides *sides,
	const struct flamegraph_side *side, const double *weights);

#endif
