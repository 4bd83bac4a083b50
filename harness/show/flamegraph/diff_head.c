#include "flamegraph/diff_head.h"

#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/change.h"
#include "format/figures.h"
#include "format/name.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
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

/* The functions that changed most, as text in a differential flame graph. */

#define TOP 5
#define GAP_COLUMNS 4 /* the sign ahead of a name, and the gap before the numbers */
#define LEAST_NAME_COLUMNS 16
#define LINE_PX 15
#define TWO_COLUMNS_PX 1000

struct mover {
	struct flamegraph_change change;
	frame_id frame;
	const char *name;
	double worth; /* of the whole, drift taken out; positive for growth */
};

static int
compare_movers(const void *a, const void *b)
{
	const struct mover *x = a;
	const struct mover *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? 1 : -1;
	int order = strcmp(x->name, y->name);

	return order != 0 ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* All functions that changed significantly, from most grown to most shrunk; free() them. */
static struct mover *
find_movers(const struct flamegraph_sides *sides, size_t *count)
{
	const struct profile *profile = &sides->comparison->profile;
	struct flamegraph_change *changes = flamegraph_change_functions(sides);
	struct mover *movers = NULL;
	size_t capacity = 0;

	*count = 0;
	for (frame_id frame = 1; frame < profile->frames.nframes; frame++) {
		const struct flamegraph_change *change = &changes[frame];

		if (!change->significant || frame_name_is_mark(profile_frame_name(profile, frame)))
			continue;
		movers = mem_grow(movers, &capacity, *count + 1, sizeof(*movers));
		movers[(*count)++] = (struct mover){
			.change = *change,
			.frame = frame,
			.name = profile_frame_name(profile, frame),
			.worth = change->after / sides->drift - change->before,
		};
	}
	if (*count > 1)
		qsort(movers, *count, sizeof(*movers), compare_movers);
	free(changes);
	return movers;
}

static void
put_numbers(const struct flamegraph_sides *sides, const struct mover *mover, struct buf *out)
{
	flamegraph_change_put_costs(sides, &mover->change, out);
	buf_puts(out, "  ");
	flamegraph_change_put_ratio(&mover->change, out);
}

struct column {
	unsigned x;
	unsigned width_px;
	size_t name_columns; /* the longest, of all that are drawn */
	size_t numbers_columns;
};

static void
draw_mover(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct mover *mover, const struct column *column)
{
	size_t columns = (size_t)(column->width_px / FLAMEGRAPH_COLUMN_PX);
	bool beside = columns >= column->numbers_columns + GAP_COLUMNS + LEAST_NAME_COLUMNS;
	size_t columns_of_name = beside ? columns - column->numbers_columns - 2 : columns;
	double x = column->x + FLAMEGRAPH_COLUMN_PX * 2;
	struct buf name = {0};
	struct buf text = {0};

	profile_put_frame(&sides->comparison->profile, mover->frame, &name);
	buf_puts(&text, mover->worth > 0 ? "\xe2\x96\xb2 " : "\xe2\x96\xbc ");
	name_fit_as(&text, buf_text(&name), name.len, columns_of_name - (beside ? GAP_COLUMNS : 2),
		&name_picture);
	flamegraph_svg_text_at(svg, column->x, "mono", buf_text(&text));
	buf_clear(&text);
	put_numbers(sides, mover, &text);
	if (beside)
		x = column->x + (double)(column->name_columns < columns_of_name
						 ? column->name_columns
						 : columns_of_name) *
					FLAMEGRAPH_COLUMN_PX;
	else
		svg->y += LINE_PX;
	flamegraph_svg_text_at(svg, (unsigned)x, "mono", buf_text(&text));
	svg->y += LINE_PX;
	buf_release(&name);
	buf_release(&text);
}

/* A heading and its movers, from the current line on; returns the line below. */
static unsigned
draw_list(struct flamegraph_svg *svg, const struct flamegraph_sides *sides,
	const struct mover *const *movers, const struct column *column, const char *heading)
{
	unsigned start = svg->y;
	unsigned end;

	flamegraph_svg_text_at(svg, column->x, "heading", heading);
	svg->y += 16;
	if (!movers[0]) {
		flamegraph_svg_text_at(svg, column->x, "quiet", "nothing beyond noise");
		svg->y += LINE_PX;
	}
	for (size_t i = 0; movers[i]; i++)
		draw_mover(svg, sides, movers[i], column);
	end = svg->y;
	svg->y = start;
	return end;
}

/* Makes the column wide enough for the texts of its movers. */
static void
measure_labels(const struct flamegraph_sides *sides, const struct mover *const *movers,
	struct column *column)
{
	const struct profile *profile = &sides->comparison->profile;
	struct buf text = {0};

	for (size_t i = 0; movers[i]; i++) {
		buf_clear(&text);
		put_numbers(sides, movers[i], &text);
		size_t numbers = name_columns(buf_text(&text), text.len);

		buf_clear(&text);
		profile_put_frame(profile, movers[i]->frame, &text);
		size_t name = name_columns(buf_text(&text), text.len) + GAP_COLUMNS;

		if (numbers > column->numbers_columns)
			column->numbers_columns = numbers;
		if (name > column->name_columns)
			column->name_columns = name;
	}
	buf_release(&text);
}

void
flamegraph_movers_draw(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
{
	const struct mover *grown[TOP + 1] = {0};
	const struct mover *shrunk[TOP + 1] = {0};
	unsigned drawing = svg->width_px - 2 * FLAMEGRAPH_MARGIN_PX;
	bool beside = svg->width_px >= TWO_COLUMNS_PX;
	struct column left = {
		.x = FLAMEGRAPH_MARGIN_PX, .width_px = beside ? drawing / 2 : drawing};
	size_t count;
	struct mover *movers = find_movers(sides, &count);

	for (size_t i = 0; i < count && i < TOP && movers[i].worth > 0; i++)
		grown[i] = &movers[i];
	for (size_t i = 0; i < count && i < TOP && movers[count - 1 - i].worth < 0; i++)
		shrunk[i] = &movers[count - 1 - i];
	measure_labels(sides, grown, &left);
	if (!beside)
		measure_labels(sides, shrunk, &left);
	struct column right = left;

	if (beside) {
		right.x += drawing / 2;
		right.name_columns = right.numbers_columns = 0;
		measure_labels(sides, shrunk, &right);
	}
	svg->y += 6;
	unsigned end = draw_list(svg, sides, grown, &left, "Grew most, own cost with inlined code");

	if (!beside)
		svg->y = end + 6;
	unsigned right_end =
		draw_list(svg, sides, shrunk, &right, "Shrank most, own cost with inlined code");

	svg->y = end > right_end ? end : right_end;
	free(movers);
}
