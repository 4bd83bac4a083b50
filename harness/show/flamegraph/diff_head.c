#include "flamegraph/diff_head.h"

#include "base/escape.h"
#include "flamegraph/change.h"
#include "format/figures.h"
#include "format/name.h"
#include "profile/executions.h"
#include "profile/weights.h"

#include <math.h>
#include <string.h>

#define FACTS_COLUMN_PX 7.0 /* as wide as digits are */
#define UP "\xe2\x96\xb2 "
#define DOWN "\xe2\x96\xbc "

static void
put_side(const struct flamegraph_sides *sides, const char *name, const struct flamegraph_side *side,
	struct buf *out)
{
	const struct profile *profile = &sides->comparison->profile;
	const char *unit = weights_unit(profile);
	double weight = 0;

	for (size_t i = side->first; i < side->first + side->count; i++)
		weight += profile_column_total(profile, i);
	buf_puts(out, name);
	if (!(weight > 0)) {
		buf_puts(out, "nothing");
		return;
	}
	format_cost_as(out, weight, unit, escape_xml);
	if (side->count > 1) {
		buf_puts(out, " in ");
		executions_put_runs(profile, side->first, side->count, out);
	}
	if (strcmp(sides->unit, unit) != 0) {
		buf_puts(out, ", ");
		format_cost_as(out, side->measured, sides->unit, escape_xml);
		buf_printf(out, " per %s", *sides->per ? sides->per : "run");
	}
}

static void
put_whole(const struct effect *whole, struct buf *out)
{
	if (!whole->tested || !isfinite(whole->change))
		return;
	buf_puts(out, "whole: ");
	format_estimate_interval(out, whole->change, whole->low, whole->high);
}

void
flamegraph_diff_draw_facts(
	struct flamegraph_svg *svg, const struct flamegraph_sides *sides, struct buf *joined)
{
	struct buf facts[3] = {0};

	put_side(sides, "before: ", &sides->before, &facts[0]);
	put_side(sides, "after: ", &sides->after, &facts[1]);
	put_whole(&sides->comparison->whole, &facts[2]);
	for (int i = 0; i < 3; i++) {
		if (facts[i].len > 0)
			buf_printf(
				joined, "%s%s", i > 0 ? "  \xc2\xb7  " : "", buf_text(&facts[i]));
	}
	double width_px = FACTS_COLUMN_PX * (double)name_columns(buf_text(joined), joined->len);

	if (width_px <= (double)svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX)
		flamegraph_svg_line(svg, "facts", buf_text(joined));
	for (int i = 0; i < 3; i++) {
		if (width_px > (double)svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX && facts[i].len > 0)
			flamegraph_svg_line(svg, "facts", buf_text(&facts[i]));
		buf_release(&facts[i]);
	}
}

/* "after has 1.043 times the samples of before". */
static void
put_normalisation(const struct flamegraph_sides *sides, struct buf *out)
{
	const char *noun = weights_noun(&sides->comparison->profile);
	const double ratio = sides->after.measured / sides->before.measured;

	if (strcmp(sides->unit, weights_unit(&sides->comparison->profile)) == 0) {
		buf_printf(out, "after has %.4g times the %s of before", ratio, noun);
	} else {
		buf_printf(out, "one %s after costs %.4g times one before",
			*sides->per ? sides->per : "run", ratio);
	}
}

static void
put_widths(const struct flamegraph_sides *sides, struct buf *out)
{
	bool both = sides->before.cost > 0 && sides->after.cost > 0;

	buf_puts(out, "Widths: the larger side, ");
	buf_puts(out, sides->normalised ? "normalised to equal totals" : "not normalised");
	if (both) {
		buf_puts(out, " (");
		put_normalisation(sides, out);
		buf_puts(out, ")");
	}
	buf_puts(out, "; the two lines in a coloured frame: before (upper) and after.");
}

static void
put_colours(const struct flamegraph_sides *sides, struct buf *out)
{
	const struct comparison *comparison = sides->comparison;

	switch (sides->basis) {
	case FLAMEGRAPH_REST:
		buf_puts(out, "Colours: change of total (or self) cost, relative to the stable "
			      "rest of the program (");
		format_percent(out, comparison->model.reference_share);
		buf_puts(out, " of it, itself ");
		format_change(out, sides->cost_drift - 1);
		buf_puts(out, ")");
		break;
	case FLAMEGRAPH_COST:
		buf_puts(out, "Colours: change of total (or self) cost");
		break;
	case FLAMEGRAPH_SHARE:
		buf_puts(out, "Colours: change of the total (or self) share of the whole, as less "
			      "than half of the program is stable");
		break;
	}
	buf_puts(out, ", in steps common to all pictures");
	if (comparison->mode != COMPARISON_EXACT)
		buf_puts(out, "; grey: within the noise of all frames together. Intervals: "
			      "95 % each");
	buf_puts(out, ".");
}

void
flamegraph_diff_draw_notes(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
{
	bool both = sides->before.cost > 0 && sides->after.cost > 0;
	struct buf note = {0};

	put_widths(sides, &note);
	flamegraph_svg_note(svg, "quiet legend", buf_text(&note));
	buf_clear(&note);
	if (both)
		put_colours(sides, &note);
	else
		buf_printf(&note, "%s no samples: no change can be distinguished from noise.",
			sides->before.cost > 0 || sides->after.cost > 0 ? "One side holds"
									: "Both sides hold");
	flamegraph_svg_note(svg, both ? "quiet legend" : "quiet", buf_text(&note));
	buf_release(&note);
}

void
flamegraph_diff_draw_legend(struct flamegraph_svg *svg, bool negate)
{
	static const struct {
		const char *class;
		const char *meaning;
	} scale[] = {
		{"gone", DOWN "gone"},
		{"s4", DOWN "halved"},
		{"s3", DOWN "-23 %"},
		{"s2", DOWN "-9 %"},
		{"s1", DOWN "less"},
		{"z", "within noise"},
		{"q", "gone, within noise"},
		{"g1", UP "more"},
		{"g2", UP "+10 %"},
		{"g3", UP "+30 %"},
		{"g4", UP "doubled"},
		{"new", UP "new"},
	};
	unsigned x = FLAMEGRAPH_MARGIN_PX;

	svg->y += 4;
	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++)
		flamegraph_svg_swatch(svg, &x,
			negate ? flamegraph_change_negated(scale[i].class) : scale[i].class,
			scale[i].meaning);
	svg->y += 18;
}
