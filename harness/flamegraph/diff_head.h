/*
 * What stands above the boxes of a differential flame graph: what was compared, how it was made
 * comparable, what the colours mean, and what changed most. All of it is there without a script.
 */
#ifndef FLAMEGRAPH_DIFF_HEAD_H
#define FLAMEGRAPH_DIFF_HEAD_H

#include "base/buf.h"
#include "flamegraph/sides.h"
#include "flamegraph/svg.h"

/*
 * Both sides, and how the whole changed where that was tested: in one line where it is wide enough
 * for that. Appends them to `joined` as well, escaped.
 */
void flamegraph_diff_draw_facts(
	struct flamegraph_svg *svg, const struct flamegraph_sides *sides, struct buf *joined);

/* How widths are normalised, and what colours are changes of. */
void flamegraph_diff_draw_notes(struct flamegraph_svg *svg, const struct flamegraph_sides *sides);

/*
 * Adds up to five functions whose own cost grew most, and five that shrank most, to the head of the
 * picture, as text (movers.c): it says what happened where no script runs and nobody can point at a
 * box. Changes within noise are left out, and where nothing remains that is said.
 */
void flamegraph_movers_draw(struct flamegraph_svg *svg, const struct flamegraph_sides *sides);

/*
 * The steps of colour. They are the same in every picture: nothing in it, seen or not, sets them.
 * `negate` swaps the hues.
 */
void flamegraph_diff_draw_legend(struct flamegraph_svg *svg, bool negate);

#endif
