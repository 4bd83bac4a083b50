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
 * A heat map as a picture: its own document, or an element of a page with its flame graph.
 */

struct heatmap_options {
	const char *title; /* NULL: made from the profile */
	/*
	 * By node, the boxes of a flame graph (flamegraph_options.box_of_node): an <svg> element
	 * for a page with that picture, with data for a script. NULL: its own document.
	 */
	const uint32_t *box_of_node;
};

/*
 * Appends it as SVG. Of a page's, attributes data-* say where cells are: columns, rows, column-ns
 * and begin-ns; x, y, column-px and row-px. <metadata class="cells"> has
 * a line for each cell that is not empty: its number, then "BOX:WEIGHT", or "BOX" of weight 1,
 * separated by blanks.
 */
void heatmap_write(
	const struct heatmap *heatmap, const struct heatmap_options *options, struct buf *out);

/* The content of a page's <style> for it. */
const char *heatmap_style(void);

#endif
