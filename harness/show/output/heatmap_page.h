/*
 * A page with the heat map of a capture and the flame graph of the range of time that is chosen in
 * it: one file without anything from elsewhere. Without a script it has both, of all of the time.
 */
#ifndef OUTPUT_HEATMAP_PAGE_H
#define OUTPUT_HEATMAP_PAGE_H

#include "base/buf.h"
#include "flamegraph/heatmap.h"

/* Appends it. `title` NULL: made from the profile. `input` is the file's path, as commands name it.
 */
void heatmap_page_put(
	const struct heatmap *heatmap, const char *title, const char *input, struct buf *out);

#endif
