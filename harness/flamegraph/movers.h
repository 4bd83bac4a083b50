/*
 * The functions that changed most, as text in a differential flame graph, so that it says what
 * happened where no script runs and nobody can point at a box.
 */
#ifndef FLAMEGRAPH_MOVERS_H
#define FLAMEGRAPH_MOVERS_H

#include "flamegraph/sides.h"
#include "flamegraph/svg.h"

/*
 * Adds up to five functions whose own cost grew most, and five that shrank most, to the head of the
 * picture. Changes within noise are left out, and where nothing remains that is said.
 */
void flamegraph_movers_draw(struct flamegraph_svg *svg, const struct flamegraph_sides *sides);

#endif
