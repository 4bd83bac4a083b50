/*
 * Layout of a flame graph: which nodes of the tree are in it, and where.
 *
 * Children are packed from the left edge of their parent in the order of their names, whatever the
 * order in the tree, so that the same profile always gives the same picture and a function is one
 * box wherever it has one caller path. Children that are left out are
 * gathered in one box at their right; what then remains free is the parent's own weight. Every
 * node is narrower than its parent, so what is in it is always a whole tree from the root.
 */
#ifndef FLAMEGRAPH_LAYOUT_H
#define FLAMEGRAPH_LAYOUT_H

#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct flamegraph_limits {
	double min_width;      /* narrower nodes are left out; in the unit of the widths */
	double min_rest_width; /* children left out below one node are shown as one box from this
				  width on */
	size_t max_boxes;      /* the widest nodes are kept */
	/*
	 * For a chart: where each node begins, by node, and the latest of siblings comes first in
	 * the tree. Nodes are where they begin, not packed, and adjacent siblings left out are
	 * gathered where they are. NULL: no chart.
	 */
	const double *begins;
};

struct flamegraph_box {
	node_id node;
	uint32_t depth;    /* the root's is 0 */
	uint32_t gathered; /* 0, or how many children of `node` left out this stands for */
	double x;          /* in the unit of the widths */
	double width;
	double rest; /* width of its children that are left out; of a chart 0 */
};

struct flamegraph_layout {
	struct flamegraph_box
		*boxes; /* a box comes before those above it, siblings left to right */
	size_t nboxes;
	size_t capacity;
	size_t hidden; /* nodes that have a width and were left out */
};

/*
 * Lays out the tree of `profile` where node i is widths[i] wide, its children included. A root
 * without width gives one box. Uses no recursion, whatever the depth.
 */
void flamegraph_layout_init(struct flamegraph_layout *layout, const struct profile *profile,
	const double *widths, const struct flamegraph_limits *limits);
void flamegraph_layout_release(struct flamegraph_layout *layout);

#endif
