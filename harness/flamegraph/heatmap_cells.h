/*
 * What is in the cells of a heat map, as a page's script reads it.
 */
#ifndef FLAMEGRAPH_HEATMAP_CELLS_H
#define FLAMEGRAPH_HEATMAP_CELLS_H

#include "flamegraph/heatmap.h"

/* Appends the content of <metadata class="cells">. */
void heatmap_put_cells(const struct heatmap *heatmap, const uint32_t *box_of_node, struct buf *out);

#endif
