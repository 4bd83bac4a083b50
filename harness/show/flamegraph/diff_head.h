/*
 * The heading of a differential flame graph: the two sides, how they were made comparable, the
 * legend, and the largest changes. It needs no script.
 */
#ifndef FLAMEGRAPH_DIFF_HEAD_H
#define FLAMEGRAPH_DIFF_HEAD_H

#include "base/buf.h"
#include "flamegraph/sides.h"
#include "flamegraph/svg.h"

/*
 * Both sides, and how the whole changed where that was tested: in one line where the picture is
 * wide enough. Appends the same to `joined`, escaped.
 */
void flamegraph_diff_draw_facts(
	struct flamegraph_svg *svg, const struct flamegraph_sides *sides, struct buf *joined);

/* How widths are normalised, and which quantity's changes the colours show. */
void flamegraph_diff_draw_notes(struct flamegraph_svg *svg, const struct flamegraph_sides *sides);

/*
 * Adds up to five functions whose own cost grew most, and five that shrank most, to the head of the
 * picture, as text: it says what happened where no script runs and nobody can point at a
 * box. Changes within noise are left out; if none remain, a line says so.
 */
void flamegraph_movers_draw(struct flamegraph_svg *svg, const struct flamegraph_sides *sides);

/*
 * The colour scale. It is the same in every picture, whatever that contains. `negate` swaps the
 * hues.
 */
void flamegraph_diff_draw_legend(struct flamegraph_svg *svg, bool negate);

#endif
