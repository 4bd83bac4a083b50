/*
 * The data of a difference's boxes in a page, in few characters, as flamegraph/svg.h has it.
 */
#ifndef FLAMEGRAPH_PACKED_DIFF_H
#define FLAMEGRAPH_PACKED_DIFF_H

#include "flamegraph/change.h"
#include "flamegraph/sides.h"
#include "flamegraph/svg.h"

struct flamegraph_packed_changes {
	const struct flamegraph_change *total;
	const char *class; /* of the total */
	const struct flamegraph_change *self;
};

void flamegraph_packed_box(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct flamegraph_box *box, const struct flamegraph_packed_changes *changes);

#endif
