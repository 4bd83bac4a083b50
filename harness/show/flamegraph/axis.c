/*
 * The time axis of a flame chart: labelled ticks at a round distance. assets/axis.js draws the same
 * for what is zoomed to.
 */
#include "flamegraph/svg.h"

#include <math.h>

/* Ticks are at least so far apart: a label is narrower. */
#define LEAST_TICK_PX 90.0
#define NS_PER_S 1e9

/* The smallest of 1, 2 and 5 times a power of ten that is not less. */
static double
round_step(double least)
{
	double step = pow(10, floor(log10(least)));

	while (step < least * (1 - 1e-9))
		step *= fabs(step / pow(10, floor(log10(step) + 1e-9)) - 2) < 0.1 ? 2.5 : 2;
	return step;
}

void
flamegraph_svg_axis(struct flamegraph_svg *svg, double begin_ns, double end_ns)
{
	const double begin = begin_ns / NS_PER_S;
	const double seconds = (end_ns - begin_ns) / NS_PER_S;
	const double width = svg->width_px - 2.0 * FLAMEGRAPH_MARGIN_PX;

	if (!(seconds > 0))
		return;
	const double step = round_step(seconds * LEAST_TICK_PX / width);
	const int decimals = (int)fmin(12, fmax(0, ceil(-log10(step) - 1e-9)));

	const double first = ceil(begin / step - 1e-9);

	/* Counted: of a moment far from the start, the next one may be the same number. */
	for (unsigned i = 0; i <= width / LEAST_TICK_PX + 1; i++) {
		const double k = first + i;

		if (k * step > begin + seconds)
			break;
		const double x = FLAMEGRAPH_MARGIN_PX + (k * step - begin) / seconds * width;

		buf_printf(&svg->axis, "<path d=\"M%.2f %uv5\"/>", x, svg->top - 6);
		if (x + LEAST_TICK_PX / 2 < svg->width_px)
			buf_printf(&svg->axis,
				"<text x=\"%.2f\" y=\"%u\" stroke=\"none\">%.*f s</text>", x + 3,
				svg->top - 4, decimals, k * step);
		buf_putc(&svg->axis, '\n');
	}
}
