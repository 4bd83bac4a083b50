#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "output/flamegraph.h"
#include "output/flamegraph_layout.h"
#include "output/flamegraph_movers.h"
#include "output/flamegraph_sides.h"
#include "output/flamegraph_svg.h"
#include "output/flamegraph_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Unless the caller sets a budget: this many boxes, or fewer where names are long. */
#define DEFAULT_MAX_FRAMES 9000
#define DEFAULT_MAX_BYTES 1000000
/* Of a box with its data, of its tooltip beside the name, and of all else: as measured. */
#define BOX_BYTES 89
#define TOOLTIP_BYTES 100
#define PAGE_BYTES 30000
#define LEAST_MAX_FRAMES 500
#define ROW_PX 22
#define MIN_BAR_PX 4.0

#define ARROW " \xe2\x86\x92 "
#define UP "\xe2\x96\xb2"
#define DOWN "\xe2\x96\xbc"

struct picture {
	const struct comparison *comparison;
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

/* Whether it has a width on both sides, and they are worth comparing. */
static bool
is_resized(const char *class)
{
	return (class[0] == 'g' || class[0] == 's') && class[1] != 'o';
}

static void
put_change(const struct picture *picture, const char *what, const struct flamegraph_change *change,
	struct buf *out)
{
	const struct flamegraph_sides *sides = picture->sides;

	buf_puts(out, what);
	flamegraph_put_percent(out, change->before);
	buf_puts(out, ARROW);
	flamegraph_put_percent(out, change->after);
	buf_puts(out, ", ");
	flamegraph_sides_put_costs(sides, change, out);
	if (change->before > 0 && change->after > 0) {
		buf_puts(out, ", ");
		flamegraph_put_change(out, change->ratio);
	}
	buf_puts(out, change->significant ? "" : ", within noise");
}

static void
put_tooltip(const struct picture *picture, const struct flamegraph_box *box,
	const struct flamegraph_change *total, const struct flamegraph_change *self,
	struct buf *out)
{
	const struct profile *profile = &picture->comparison->profile;
	frame_id frame = profile->tree.nodes[box->node].frame;
	const char *name = box->node == CTREE_ROOT ? "all" : profile_frame_name(profile, frame);

	if (box->gathered > 0) {
		buf_printf(out, "%u called functions too small to draw", box->gathered);
		return;
	}
	flamegraph_put_name(out, name, strlen(name));
	put_change(picture, "\ntotal ", total, out);
	if (self->before > 0 || self->after > 0)
		put_change(picture, "\nself ", self, out);
	if (box->node != CTREE_ROOT)
		flamegraph_svg_put_place(profile, frame, out);
}

static void
put_data(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, const struct flamegraph_change *total,
	const struct flamegraph_change *self)
{
	const struct flamegraph_sides *sides = picture->sides;

	flamegraph_svg_data(svg, box);
	flamegraph_svg_data_number(svg, box->width);
	flamegraph_svg_data_number(svg, total->before * sides->before.cost);
	flamegraph_svg_data_number(svg, total->after * sides->after.cost);
	flamegraph_svg_data_number(svg, self->before * sides->before.cost);
	flamegraph_svg_data_number(svg, self->after * sides->after.cost);
	buf_putc(&svg->numbers, ' ');
	buf_puts(&svg->numbers, box->gathered > 0 ? "o" : flamegraph_change_class(self));
}

/* The whole, and the marks of incomplete stacks: no functions, whose changes mean nothing. */
static bool
is_neutral(const struct profile *profile, node_id node)
{
	return node == CTREE_ROOT ||
	       frame_name_is_mark(profile_frame_name(profile, profile->tree.nodes[node].frame));
}

struct bars {
	struct buf before;
	struct buf after;
};

static void
draw_box(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, struct bars *bars)
{
	const struct profile *profile = &picture->comparison->profile;
	frame_id frame = profile->tree.nodes[box->node].frame;
	struct flamegraph_change total = {0};
	struct flamegraph_change self = {0};
	const char *class = "o";

	if (box->gathered == 0) {
		total = flamegraph_sides_total(picture->sides, box->node);
		self = flamegraph_sides_self(picture->sides, box->node);
		class = flamegraph_change_class(&total);
	}
	if (box->gathered == 0 && is_neutral(profile, box->node)) {
		class = "z";
		total.significant = self.significant = false;
	}
	put_data(svg, picture, box, &total, &self);
	bool tooltip = flamegraph_svg_begin_box(svg, box, class);

	if (tooltip)
		put_tooltip(picture, box, &total, &self, &svg->boxes);
	flamegraph_svg_end_box(svg, tooltip);
	if (box->gathered > 0)
		return;
	flamegraph_svg_label(svg, box, prefix_of(class),
		box->node == CTREE_ROOT ? "all" : profile_frame_name(profile, frame));
	if (is_resized(class) && box->width * svg->scale >= MIN_BAR_PX) {
		flamegraph_svg_bar(svg, &bars->before, box, total.before, 4);
		flamegraph_svg_bar(svg, &bars->after, box, total.after, 1);
	}
}

static void
put_side(const struct picture *picture, const char *name, const struct flamegraph_side *side,
	struct buf *out)
{
	double weight = 0;

	for (size_t i = side->first; i < side->first + side->count; i++)
		weight += profile_column_total(&picture->comparison->profile, i);
	buf_puts(out, name);
	if (!(weight > 0)) {
		buf_puts(out, "nothing");
		return;
	}
	flamegraph_put_weight(out, weight);
	const struct profile *profile = &picture->comparison->profile;
	const char *unit = profile->unit ? strtab_str(&profile->strings, profile->unit) : "samples";

	buf_putc(out, ' ');
	escape_xml(out, unit, strlen(unit));
	if (side->count > 1)
		buf_printf(out, " in %zu runs", side->count);
	if (strcmp(picture->sides->unit, unit) != 0) {
		buf_puts(out, ", ");
		flamegraph_put_cost(out, side->cost, picture->sides->unit);
		buf_puts(out, " a run");
	}
}

static void
draw_notes(struct flamegraph_svg *svg, const struct flamegraph_sides *sides)
{
	flamegraph_svg_note(svg,
		"Widths: the larger of both sides, normalised to equal totals; a coloured frame's "
		"two lines are its width before (upper) and after.");
	if (!(sides->before.cost > 0) || !(sides->after.cost > 0))
		flamegraph_svg_note(
			svg, "One side holds no samples: no change can be told from noise.");
	else if (sides->has_drift)
		flamegraph_svg_note(svg,
			"Colours: a frame's cost, its callees' included, relative to the stable "
			"rest of the program; grey where its change is within noise.");
	else
		flamegraph_svg_note(svg,
			"Colours: a frame's share of the whole, its callees included; grey where "
			"its change is within noise.");
}

static void
draw_legend(struct flamegraph_svg *svg)
{
	static const struct {
		const char *class;
		const char *meaning;
	} scale[] = {
		{"gone", DOWN " gone"},
		{"s4", DOWN " halved"},
		{"s3", "\xe2\x88\x92"
		       "23 %"},
		{"s2", "\xe2\x88\x92"
		       "9 %"},
		{"s1", "less"},
		{"z", "within noise"},
		{"q", "gone, within noise"},
		{"g1", "more"},
		{"g2", "+10 %"},
		{"g3", "+30 %"},
		{"g4", UP " doubled"},
		{"new", UP " new"},
	};
	unsigned x = FLAMEGRAPH_MARGIN_PX;

	svg->y += 4;
	for (size_t i = 0; i < sizeof(scale) / sizeof(scale[0]); i++)
		flamegraph_svg_swatch(svg, &x, scale[i].class, scale[i].meaning);
	svg->y += 18;
}

static void
draw_head(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout *layout, struct buf *facts)
{
	put_side(picture, "before: ", &picture->sides->before, facts);
	put_side(picture, "  \xc2\xb7  after: ", &picture->sides->after, facts);
	flamegraph_svg_title(svg, picture->title, picture->options->subtitle);
	flamegraph_svg_line(svg, "facts", facts);
	draw_notes(svg, picture->sides);
	flamegraph_movers_draw(svg, picture->sides);
	draw_legend(svg);
	flamegraph_svg_hidden_note(svg, layout);
}

static void
draw_bars(struct flamegraph_svg *svg, const struct bars *bars)
{
	buf_printf(&svg->bars, "<path class=\"bar-before\" d=\"%s\"/>\n", buf_text(&bars->before));
	buf_printf(&svg->bars, "<path class=\"bar-after\" d=\"%s\"/>\n", buf_text(&bars->after));
}

/*
 * Appends the document and returns its bytes; draws nothing and returns a guess where that is more
 * than `most_bytes`.
 */
static size_t
draw(const struct picture *picture, size_t max_boxes, size_t most_bytes, struct buf *out)
{
	struct flamegraph_svg svg;
	struct flamegraph_layout layout;
	struct bars bars = {0};
	struct buf facts = {0};
	struct buf attributes = {0};
	const struct flamegraph_sides *sides = picture->sides;
	double whole = sides->width[CTREE_ROOT];
	size_t start = out->len;

	flamegraph_svg_init(&svg, &picture->comparison->profile, picture->options);
	svg.mode = "diff";
	svg.unit = sides->unit;
	svg.row_px = ROW_PX;
	struct flamegraph_limits limits = flamegraph_svg_limits(&svg, whole, max_boxes);

	flamegraph_layout_init(&layout, &picture->comparison->profile, sides->width, &limits);
	size_t bytes = PAGE_BYTES +
		       flamegraph_svg_guess_bytes(&svg, &layout, whole, BOX_BYTES, TOOLTIP_BYTES);

	if (bytes > most_bytes)
		goto done;
	draw_head(&svg, picture, &layout, &facts);
	flamegraph_svg_start_boxes(&svg, &layout, whole);
	for (size_t i = 0; i < layout.nboxes; i++)
		draw_box(&svg, picture, &layout.boxes[i], &bars);
	draw_bars(&svg, &bars);
	buf_printf(&attributes, " data-before=\"%.9g\" data-after=\"%.9g\" data-several=\"%d\"",
		sides->before.cost, sides->after.cost,
		sides->before.count > 1 || sides->after.count > 1);
	flamegraph_svg_finish(&svg, picture->title, &facts, buf_text(&attributes), out);
	bytes = out->len - start;
done:
	buf_release(&attributes);
	buf_release(&facts);
	buf_release(&bars.before);
	buf_release(&bars.after);
	flamegraph_layout_release(&layout);
	flamegraph_svg_release(&svg);
	return bytes;
}

/* With fewer boxes until it is no larger than it may be. */
static void
draw_within_bounds(const struct picture *picture, struct buf *out)
{
	size_t start = out->len;
	size_t budget = DEFAULT_MAX_FRAMES;
	size_t bytes = draw(picture, budget, DEFAULT_MAX_BYTES, out);

	while (budget > LEAST_MAX_FRAMES && bytes > DEFAULT_MAX_BYTES) {
		double ratio = (double)DEFAULT_MAX_BYTES / (double)bytes;

		budget = (size_t)((double)budget * (ratio < 0.9 ? ratio : 0.9));
		budget = budget > LEAST_MAX_FRAMES ? budget : LEAST_MAX_FRAMES;
		out->len = start;
		bytes = draw(picture, budget,
			budget > LEAST_MAX_FRAMES ? DEFAULT_MAX_BYTES : SIZE_MAX, out);
	}
}

void
flamegraph_write_diff(const struct comparison *comparison, const struct flamegraph_options *options,
	struct buf *out)
{
	static const struct flamegraph_options defaults = {0};
	const struct profile *profile = &comparison->profile;
	const char *workload = strtab_str(&profile->strings, profile->workload);
	struct flamegraph_sides sides;
	struct picture picture = {
		.comparison = comparison,
		.sides = &sides,
		.options = options ? options : &defaults,
	};
	size_t max_boxes = picture.options->max_frames;

	picture.title = picture.options->title ? mem_strdup(picture.options->title)
			: *workload            ? mem_printf("%s: what changed", workload)
					       : mem_strdup("Differential flame graph");
	flamegraph_sides_init(&sides, comparison);
	if (max_boxes > 0)
		draw(&picture, max_boxes, SIZE_MAX, out);
	else
		draw_within_bounds(&picture, out);
	flamegraph_sides_release(&sides);
	free(picture.title);
}
