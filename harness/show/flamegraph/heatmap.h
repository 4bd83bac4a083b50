/*
 * A heat map of a capture's samples: a column is a stretch of time, a second where it can be, a row
 * the offset in it, and a cell is as dark as it has weight (Gregg and Spier, "FlameScope", 2018;
 * "subsecond-offset heat maps"). Repeated patterns, bursts and phases are seen in it.
 */
#ifndef FLAMEGRAPH_HEATMAP_H
#define FLAMEGRAPH_HEATMAP_H

#include "base/buf.h"
#include "compare/phases.h"
#include "flamegraph/heatmap_marked.h"
#include "profile/profile.h"
#include "profile/sample_times.h"
#include "profile/time_slices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEATMAP_ROWS 50
#define HEATMAP_COLUMNS_MAX 4000

struct heatmap {
	const struct profile *profile; /* borrowed, as `times` */
	const struct sample_times *times;
	struct time_slices cells; /* column by column, from the first row to the last */
	size_t columns;
	uint64_t column_ns;
	double *weights; /* by cell; owned */
	double most;     /* of a cell */
	double total;
	struct phases phases;         /* that are found in the samples */
	struct heatmap_marked marked; /* that the program said it was in */
};

/*
 * How long a column is by default: the shortest of 10 ms, 100 ms, 1 s and so on that gives at
 * most 300 columns, of which a row is at least half the sampling interval, and in whose cells
 * waits do not take more than a page has room for.
 */
uint64_t heatmap_choose_column_ns(const struct profile *profile, const struct sample_times *times);

/* `times` has samples, and there are not more than HEATMAP_COLUMNS_MAX columns. */
void heatmap_init(struct heatmap *heatmap, const struct profile *profile,
	const struct sample_times *times, uint64_t column_ns);
void heatmap_release(struct heatmap *heatmap);

/*
 * Appends what is in each cell, for a page's script: a line for each that is not empty, its number,
 * then "BOX:WEIGHT", or "BOX" of weight 1, separated by blanks. Boxes are by node.
 */
void heatmap_put_cells(const struct heatmap *heatmap, const uint32_t *box_of_node, struct buf *out);

#endif
