/*
 * Run-by-run dots: what something cost in every single run, so that noise can be seen for what it
 * is. A drawing in SVG, inside the page.
 */
#ifndef OUTPUT_HTML_DOTS_H
#define OUTPUT_HTML_DOTS_H

#include "base/buf.h"
#include "output/rows.h"

struct html_dots_size {
	unsigned width_px;
	unsigned band_px; /* height of each side's band */
	bool labelled;    /* the sides are named and the scale is written below */
};

/*
 * Appends two bands, before above after, one dot a run from left (cheap) to right (dear), in the
 * order of running from top to bottom, and a line at each side's mean. The scale spans a tenth of
 * the cost at least, so that a small spread looks small. Frame 0 is the whole program. Writes
 * nothing where no cost is known, or none above zero.
 */
void html_dots(const struct rows *rows, frame_id frame, enum quantity of,
	const struct html_dots_size *size, struct buf *out);

#endif
