/*
 * The differential flame graph: both sides, how they were made comparable, the legend and the
 * largest changes in the heading, then the boxes. The heading needs no script.
 */
#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/change.h"
#include "flamegraph/flamegraph.h"
#include "flamegraph/svg.h"
#include "format/figures.h"
#include "format/name.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FACTS_COLUMN_PX 7.0 /* as wide as digits are */
#define UP "\xe2\x96\xb2"
#define DOWN "\xe2\x96\xbc"
#define ARROW " \xe2\x86\x92 "

/* Appends both costs: "1.2 ms -> 1.5 ms per run". */
static void
put_costs(const struct flamegraph_sides *sides, const struct flamegraph_change *change,
	struct buf *out)
{
	double before = change->before * sides->before.cost;

	if (format_is_scaled(sides->unit))
		format_cost(out, before, sides->unit);
	else
		format_count(out, before);
	buf_puts(out, ARROW);
	format_cost_as(out, change->after * sides->after.cost, sides->unit, escape_xml);
	if (*sides->per)
		buf_printf(out, " per %s", sides->per);
}

/* The class of the opposite change: its colour where growth is to look like shrinking. */
static const char *
negated(const char *class)
{
	static const char *const opposites[][2] = {
		{"g1", "s1"}, {"g2", "s2"}, {"g3", "s3"}, {"g4", "s4"}, {"new", "gone"}};

	for (size_t i = 0; i < sizeof(opposites) / sizeof(opposites[0]); i++)
		for (int k = 0; k < 2; k++)
			if (strcmp(class, opposites[i][k]) == 0)
				return opposites[i][1 - k];
	return class;
}

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

/*
 * Both sides, and how the whole changed where that was tested: in one line where the picture is
 * wide enough. Appends the same to `joined`, escaped.
 */
static void
draw_facts(struct flamegraph_svg *svg, const struct flamegraph_sides *sides, struct buf *joined)
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

/* How widths are normalised, and which quantity's changes the colours show. */
static void
draw_notes(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
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

/* The colour scale. It is the same in every picture, whatever that contains. `negate` swaps the
 * hues. */
static void
draw_legend(struct flamegraph_svg *svg, bool negate)
{
	static const struct {
		const char *class;
		const char *meaning;
	} scale[] = {
		{"gone", DOWN " gone"},
		{"s4", DOWN " halved"},
		{"s3", DOWN " -23 %"},
		{"s2", DOWN " -9 %"},
		{"s1", DOWN " less"},
		{"z", "within noise"},
		{"q", "gone, within noise"},
		{"g1", UP " more"},
		{"g2", UP " +10 %"},
		{"g3", UP " +30 %"},
		{"g4", UP " doubled"},
		{"new", UP " new"},
	};
	unsigned x = FLAMEGRAPH_MARGIN_PX;

	svg->y += 4;
	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++)
		flamegraph_svg_swatch(svg, &x, negate ? negated(scale[i].class) : scale[i].class,
			scale[i].meaning);
	svg->y += 18;
}

/*
 * The functions that changed most, as text in the heading: it says what happened where no script
 * runs and nobody can point at a box.
 */

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
put_mover_numbers(const struct flamegraph_sides *sides, const struct mover *mover, struct buf *out)
{
	put_costs(sides, &mover->change, out);
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
	buf_puts(&text, mover->worth > 0 ? UP " " : DOWN " ");
	name_fit_as(&text, buf_text(&name), name.len, columns_of_name - (beside ? GAP_COLUMNS : 2),
		&name_picture);
	flamegraph_svg_text_at(svg, column->x, "mono", buf_text(&text));
	buf_clear(&text);
	put_mover_numbers(sides, mover, &text);
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
		put_mover_numbers(sides, movers[i], &text);
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

/*
 * Up to five functions whose own cost grew most, and five that shrank most. Changes within noise
 * are left out; if none remain, a line says so.
 */
static void
draw_movers(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
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

/* The boxes and the document. */

/* Unless the caller sets a budget: this many boxes, or fewer where names are long. */
#define DEFAULT_MAX_FRAMES 24000
#define ROW_PX 22
#define MIN_BAR_PX 4.0

/* As measured: labels and what is the same in all documents but style and script; and the boxes. */
#define PAGE_BYTES 47000
static const struct flamegraph_box_bytes box_bytes = {.data = 40, .shape = 29, .tooltip = 110};

struct picture {
	const struct profile *profile; /* of both sides */
	const struct flamegraph_sides *sides;
	const struct flamegraph_options *options;
	char *title;
};

/* The sign beside the colour. */
static const char *
prefix_of(const char *class)
{
	if (strcmp(class, "new") == 0)
		return UP "new ";
	if (strcmp(class, "gone") == 0)
		return DOWN "gone ";
	return class[0] == 'g' ? UP : class[0] == 's' ? DOWN : "";
}

/* The class to draw in: that of the other hue where hues are swapped. */
static const char *
hue_of(const struct picture *picture, const char *class)
{
	return picture->options->negate ? negated(class) : class;
}

/* Whether it has a width on both sides, and they are worth comparing. */
static bool
is_resized(const char *class)
{
	return (class[0] == 'g' || class[0] == 's') && class[1] != 'o';
}

/* The whole, and the marks of incomplete stacks: no functions, whose changes mean nothing. */
static bool
is_neutral(const struct profile *profile, node_id node)
{
	return node == CTREE_ROOT ||
	       frame_name_is_mark(profile_frame_name(profile, profile->tree.nodes[node].frame));
}

/* As flamegraph/svg.h has it. */
static void
put_box_change(const struct picture *picture, const char *what,
	const struct flamegraph_change *change, bool neutral, struct buf *out)
{
	const struct flamegraph_sides *sides = picture->sides;

	buf_puts(out, what);
	format_percent(out, change->before);
	buf_puts(out, ARROW);
	format_percent(out, change->after);
	buf_puts(out, ", ");
	put_costs(sides, change, out);
	if (neutral)
		return;
	buf_puts(out, ", ");
	flamegraph_change_put_ratio(change, out);
	buf_puts(out, change->significant ? ", significant" : ", within noise");
}

static void
put_tooltip(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, const struct flamegraph_change *total,
	const struct flamegraph_change *self)
{
	struct buf *out = &svg->boxes;
	const struct profile *profile = picture->profile;
	frame_id frame = profile->tree.nodes[box->node].frame;
	const char *name = box->node == CTREE_ROOT ? "all" : profile_frame_name(profile, frame);
	bool neutral = box->node == CTREE_ROOT;

	if (box->gathered > 0) {
		buf_printf(out, "%u called functions too small to draw", box->gathered);
		return;
	}
	name_put(out, name, strlen(name), svg->name_bytes, &name_picture);
	put_box_change(picture, "\ntotal ", total, neutral, out);
	if (self->before > 0 || self->after > 0)
		put_box_change(picture, "\nself ", self, neutral, out);
	if (box->node != CTREE_ROOT)
		flamegraph_svg_put_place(svg, frame, out);
}

static void
put_number(struct buf *out, double value, unsigned digits)
{
	buf_putc(out, ' ');
	if (isfinite(value))
		buf_put_digits(out, value, digits);
	else
		buf_putc(out, '-');
}

/* Class, costs, change and half width, as flamegraph/svg.h has it. */
static void
put_numbers(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_change *change, const char *class)
{
	const struct flamegraph_sides *sides = picture->sides;

	buf_putc(&svg->numbers, ' ');
	buf_puts(&svg->numbers, hue_of(picture, class));
	flamegraph_svg_data_number(svg, change->before * sides->before.cost);
	flamegraph_svg_data_number(svg, change->after * sides->after.cost);
	put_number(&svg->numbers, change->ratio, 8);
	put_number(&svg->numbers, change->half * 100, 6);
	if (change->skew != 0) {
		buf_putc(&svg->numbers, ':');
		buf_put_digits(&svg->numbers, change->skew * 100, 6);
	}
}

static bool
is_same(const struct flamegraph_change *a, const struct flamegraph_change *b)
{
	return a->before == b->before && a->after == b->after && a->ratio == b->ratio &&
	       (a->half == b->half || (isnan(a->half) && isnan(b->half))) && a->skew == b->skew &&
	       a->significant == b->significant;
}

static void
put_data(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, const struct flamegraph_change *total, const char *class,
	const struct flamegraph_change *self)
{
	flamegraph_svg_data(svg, box);
	if (box->gathered > 0) {
		buf_puts(&svg->numbers, " o");
		return;
	}
	put_numbers(svg, picture, total, class);
	if (is_same(total, self) && strcmp(class, flamegraph_change_class(self)) == 0)
		buf_puts(&svg->numbers, " =");
	else if (self->before > 0 || self->after > 0)
		put_numbers(svg, picture, self, flamegraph_change_class(self));
}

/* The class of all boxes of a function that the gate has judged. */
static void
put_classes(const void *context, frame_id frame, struct buf *out)
{
	const struct picture *picture = context;
	const bool *judged = picture->options->judged;

	if (judged && judged[frame])
		buf_puts(out, out->len > 0 && out->data[out->len - 1] > ' ' ? " judged" : "judged");
}

struct bars {
	struct buf before;
	struct buf after;
};

static void
draw_box(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, const struct flamegraph_change changes[2],
	struct bars *bars)
{
	const struct profile *profile = picture->profile;
	const struct flamegraph_sides *sides = picture->sides;
	frame_id frame = profile->tree.nodes[box->node].frame;
	struct flamegraph_change total = {.half = NAN};
	struct flamegraph_change self = {.half = NAN};
	const char *class = "o";

	if (box->gathered == 0) {
		total = changes[0];
		self = changes[1];
		if (is_neutral(profile, box->node)) {
			total.significant = self.significant = false;
			total.half = self.half = NAN;
		}
		class = is_neutral(profile, box->node) ? "z" : flamegraph_change_class(&total);
	}
	put_data(svg, picture, box, &total, class, &self);
	if (!flamegraph_svg_shows(svg, box))
		return;
	struct buf classes = {0};

	buf_puts(&classes, hue_of(picture, class));
	if (box->gathered == 0)
		put_classes(picture, frame, &classes);
	bool tooltip = flamegraph_svg_begin_box(svg, box, buf_text(&classes));

	buf_release(&classes);
	if (tooltip)
		put_tooltip(svg, picture, box, &total, &self);
	flamegraph_svg_end_box(svg, tooltip);
	if (box->gathered > 0)
		return;
	flamegraph_svg_label(svg, box, prefix_of(class),
		box->node == CTREE_ROOT ? "all" : profile_frame_name(profile, frame));
	if (is_resized(class) && box->width * svg->scale >= MIN_BAR_PX) {
		flamegraph_svg_bar(
			svg, &bars->before, box, total.before * sides->before.width_scale, 4);
		flamegraph_svg_bar(
			svg, &bars->after, box, total.after * sides->after.width_scale, 1);
	}
}

static void
draw_head(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout *layout, struct buf *facts)
{
	flamegraph_svg_title(svg, picture->title, picture->options->subtitle);
	draw_facts(svg, picture->sides, facts);
	if (picture->options->notes)
		flamegraph_svg_note(svg, "quiet", picture->options->notes);
	draw_notes(svg, picture->sides);
	draw_movers(svg, picture->sides);
	draw_legend(svg, picture->options->negate);
	flamegraph_svg_hidden_note(svg, layout->hidden);
}

static void
draw_bars(struct flamegraph_svg *svg, const struct bars *bars)
{
	buf_printf(&svg->bars, "<path class=\"bar-before\" d=\"%s\"/>\n", buf_text(&bars->before));
	buf_printf(&svg->bars, "<path class=\"bar-after\" d=\"%s\"/>\n", buf_text(&bars->after));
}

static void
draw_boxes(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout *layout)
{
	size_t n = layout->nboxes;
	node_id *nodes = mem_zalloc(n + 1, sizeof(*nodes));
	struct flamegraph_change *total = mem_zalloc(n + 1, 2 * sizeof(*total));
	struct flamegraph_change *self = total + n;
	struct bars bars = {0};

	for (size_t i = 0; i < n; i++)
		nodes[i] = layout->boxes[i].node;
	flamegraph_change_nodes(picture->sides, nodes, n, total, self);
	for (size_t i = 0; i < n; i++) {
		const struct flamegraph_change changes[] = {total[i], self[i]};

		draw_box(svg, picture, &layout->boxes[i], changes, &bars);
	}
	draw_bars(svg, &bars);
	buf_release(&bars.before);
	buf_release(&bars.after);
	free(total);
	free(nodes);
}

/* The data of both sides for the script: flamegraph/svg.h. */
static void
put_attributes(const struct flamegraph_svg *svg, const struct picture *picture, struct buf *out)
{
	const struct flamegraph_sides *sides = picture->sides;
	const struct flamegraph_side *before = &sides->before;
	const struct flamegraph_side *after = &sides->after;

	buf_printf(out,
		" data-before=\"%.9g\" data-after=\"%.9g\" data-per=\"%s\""
		" data-negate=\"%d\"",
		before->cost, after->cost, sides->per, picture->options->negate);
	buf_printf(out, " data-bar-before=\"%.9g\" data-bar-after=\"%.9g\"",
		before->width_scale > 0 ? before->cost / before->width_scale : 0,
		after->width_scale > 0 ? after->cost / after->width_scale : 0);
	if (picture->options->zoom == 0)
		return;
	const char *name = profile_frame_name(picture->profile, picture->options->zoom);

	buf_puts(out, " data-zoom=\"");
	name_put(out, name, strlen(name), svg->name_bytes, &name_picture);
	buf_putc(out, '"');
}

/* flamegraph_draw_fn of a `struct picture`. */
static size_t
draw(const void *context, struct flamegraph_budget *budget, size_t most_bytes, struct buf *out)
{
	const struct picture *picture = context;
	struct flamegraph_svg svg;
	struct flamegraph_layout layout;
	struct buf facts = {0};
	struct buf attributes = {0};
	const struct flamegraph_sides *sides = picture->sides;
	double whole = sides->width[CTREE_ROOT];
	const double *const sizes[] = {sides->size_before, sides->size_after};
	size_t start = out->len;

	flamegraph_svg_init(&svg, picture->profile, "all", picture->options, budget);
	svg.mode = "diff";
	svg.unit = sides->unit;
	svg.put_classes = put_classes;
	svg.context = picture;
	svg.row_px = picture->options->row_px > 0 ? picture->options->row_px : ROW_PX;
	struct flamegraph_limits limits = flamegraph_svg_limits(&svg, whole, budget->boxes);

	flamegraph_layout_init(&layout, picture->profile, sides->width, &limits);
	flamegraph_svg_functions(&svg, &layout, sizes, 2);
	size_t bytes = PAGE_BYTES + flamegraph_svg_guess_bytes(&svg, &layout, &box_bytes);

	if (bytes > most_bytes)
		goto done;
	draw_head(&svg, picture, &layout, &facts);
	flamegraph_svg_start_boxes(&svg, flamegraph_svg_levels(&svg, &layout, whole), whole);
	draw_boxes(&svg, picture, &layout);
	put_attributes(&svg, picture, &attributes);
	flamegraph_svg_finish(&svg, picture->title, &facts, buf_text(&attributes), out);
	bytes = out->len - start;
done:
	budget->fitting = flamegraph_svg_fitting(
		&svg, &layout, &limits, &box_bytes, flamegraph_budget_surplus(bytes));
	buf_release(&attributes);
	buf_release(&facts);
	flamegraph_layout_release(&layout);
	flamegraph_svg_release(&svg);
	return bytes;
}

static void
draw_within_bounds(const struct picture *picture, struct buf *out)
{
	flamegraph_budget_draw(flamegraph_budget_first(picture->profile, picture->options,
				       DEFAULT_MAX_FRAMES, box_bytes.data + box_bytes.shape),
		draw, picture, out);
}

void
flamegraph_write_diff(const struct comparison *comparison, const struct flamegraph_options *options,
	struct buf *out)
{
	const struct profile *profile = &comparison->profile;
	const char *workload = strtab_str(&profile->strings, profile->workload);
	struct flamegraph_sides sides;
	struct picture picture = {
		.profile = profile,
		.sides = &sides,
		.options = options,
	};

	picture.title = picture.options->title ? mem_strdup(picture.options->title)
			: *workload            ? mem_printf("%s: what changed", workload)
					       : mem_strdup("Differential flame graph");
	flamegraph_sides_init(&sides, comparison);
	draw_within_bounds(&picture, out);
	flamegraph_sides_release(&sides);
	free(picture.title);
}
