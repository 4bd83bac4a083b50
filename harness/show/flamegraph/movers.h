/*
 * The functions that changed most, as text in the heading: it says what happened where no script
 * runs and nobody can point at a box.
 */
#ifndef FLAMEGRAPH_MOVERS_H
#define FLAMEGRAPH_MOVERS_H

#include "flamegraph/sides.h"
#include "flamegraph/svg.h"

/*
 * Up to five functions whose own cost grew most, and five that shrank most. Changes within noise
 * are left out; if none remain, a line says so.
 */
void flamegraph_draw_movers(struct flamegraph_svg *svg, const struct flamegraph_sides *sides);

#endif
