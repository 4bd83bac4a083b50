/*
 * A heat map as a picture: its own document, or an element of a page with its flame graph.
 */
#ifndef FLAMEGRAPH_HEATMAP_SVG_H
#define FLAMEGRAPH_HEATMAP_SVG_H

#include "base/buf.h"
#include "flamegraph/heatmap.h"

#include <stdint.h>

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
 * and begin-ns; x, y, column-px and row-px. <metadata class="cells"> is what
 * heatmap_put_cells() gives.
 */
void heatmap_write(
	const struct heatmap *heatmap, const struct heatmap_options *options, struct buf *out);

/* The content of a page's <style> for it. */
const char *heatmap_style(void);

#endif
