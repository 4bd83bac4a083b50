/*
 * The differential flame graph: a heading that says how both sides were made comparable, and the
 * boxes.
 */
#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/change.h"
#include "flamegraph/flamegraph.h"
#include "flamegraph/movers.h"
#include "flamegraph/packed_diff.h"
#include "flamegraph/svg.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FACTS_COLUMN_PX 7.0 /* as wide as digits are */

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
		{"gone", FLAMEGRAPH_DOWN " gone"},
		{"s4", FLAMEGRAPH_DOWN " halved"},
		{"s3", FLAMEGRAPH_DOWN " -23 %"},
		{"s2", FLAMEGRAPH_DOWN " -9 %"},
		{"s1", FLAMEGRAPH_DOWN " less"},
		{"z", "within noise"},
		{"q", "gone, within noise"},
		{"g1", FLAMEGRAPH_UP " more"},
		{"g2", FLAMEGRAPH_UP " +10 %"},
		{"g3", FLAMEGRAPH_UP " +30 %"},
		{"g4", FLAMEGRAPH_UP " doubled"},
		{"new", FLAMEGRAPH_UP " new"},
	};
	unsigned x = FLAMEGRAPH_MARGIN_PX;

	svg->y += 4;
	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++)
		flamegraph_svg_swatch(svg, &x, negate ? negated(scale[i].class) : scale[i].class,
			scale[i].meaning);
	svg->y += 18;
}

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
		return FLAMEGRAPH_UP "new ";
	if (strcmp(class, "gone") == 0)
		return FLAMEGRAPH_DOWN "gone ";
	return class[0] == 'g' ? FLAMEGRAPH_UP : class[0] == 's' ? FLAMEGRAPH_DOWN : "";
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
	buf_puts(out, FLAMEGRAPH_ARROW);
	format_percent(out, change->after);
	buf_puts(out, ", ");
	flamegraph_change_put_costs(sides, change, out);
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

static void
put_data(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, const struct flamegraph_change *total, const char *class,
	const struct flamegraph_change *self)
{
	if (flamegraph_svg_is_packed(svg)) {
		flamegraph_packed_box(svg, picture->sides, box,
			&(struct flamegraph_packed_changes){total, class, self});
		return;
	}
	flamegraph_svg_data(svg, box);
	if (box->gathered > 0) {
		buf_puts(&svg->numbers, " o");
		return;
	}
	put_numbers(svg, picture, total, class);
	if (flamegraph_change_is_same(total, self) &&
		strcmp(class, flamegraph_change_class(self)) == 0)
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
	flamegraph_draw_movers(svg, picture->sides);
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
	if (svg->page)
		buf_printf(
			out, " data-packed=\"%.9g %.9g\"", sides->drift, sides->width[CTREE_ROOT]);
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
