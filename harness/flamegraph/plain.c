#include "flamegraph/flamegraph.h"

#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/layout.h"
#include "flamegraph/palette.h"
#include "flamegraph/svg.h"
#include "format/figures.h"
#include "format/name.h"

#include <stdlib.h>
#include <string.h>

/* Unless the caller sets a budget: this many boxes, or fewer where names are long. */
#define DEFAULT_MAX_FRAMES 12000

struct picture {
	const struct profile *profile;
	const struct flamegraph_options *options;
	const double *totals; /* by node */
	const char *unit;
	char *title;
	struct flamegraph_palette palette;
};

static void
put_share(const struct picture *picture, double weight, struct buf *out)
{
	double whole = picture->totals[CTREE_ROOT];

	format_cost_as(out, weight, picture->unit, escape_xml);
	buf_puts(out, ", ");
	format_percent(out, whole > 0 ? weight / whole : 0);
}

static double
self_weight(const struct picture *picture, node_id node)
{
	double sum = 0;

	/* There it is what stacks began with. */
	for (size_t i = 0; i < picture->profile->nruns && !picture->options->reversed; i++)
		sum += ctree_weight(&picture->profile->tree, i, node);
	return sum;
}

static void
draw_gathered(
	struct flamegraph_svg *svg, const struct picture *picture, const struct flamegraph_box *box)
{
	bool tooltip = flamegraph_svg_begin_box(svg, box, "o");

	if (tooltip) {
		buf_printf(&svg->boxes, "%u called function%s too small to draw\n", box->gathered,
			box->gathered == 1 ? "" : "s");
		put_share(picture, box->width, &svg->boxes);
	}
	flamegraph_svg_end_box(svg, tooltip);
	flamegraph_svg_data_number(svg, box->width);
	flamegraph_svg_data_number(svg, box->gathered);
}

static void
draw_box(
	struct flamegraph_svg *svg, const struct picture *picture, const struct flamegraph_box *box)
{
	const struct profile *profile = picture->profile;
	frame_id frame = profile->tree.nodes[box->node].frame;
	bool is_root = box->node == CTREE_ROOT;
	const char *name = is_root ? "all" : profile_frame_name(profile, frame);
	double self = self_weight(picture, box->node);
	char class[3];

	flamegraph_svg_data(svg, box);
	if (box->gathered > 0) {
		draw_gathered(svg, picture, box);
		return;
	}
	flamegraph_palette_class(&picture->palette, frame, class);
	bool tooltip = flamegraph_svg_begin_box(svg, box, class);

	if (tooltip) {
		name_put(&svg->boxes, name, strlen(name), svg->name_bytes, &name_picture);
		buf_putc(&svg->boxes, '\n');
		put_share(picture, box->width, &svg->boxes);
		if (self > 0) {
			buf_puts(&svg->boxes, "\nself ");
			put_share(picture, self, &svg->boxes);
		}
		if (!is_root)
			flamegraph_svg_put_place(svg, frame, &svg->boxes);
	}
	flamegraph_svg_end_box(svg, tooltip);
	flamegraph_svg_label(svg, box, "", name);
	flamegraph_svg_data_number(svg, box->width);
	flamegraph_svg_data_number(svg, self);
}

static void
put_if_known(struct buf *out, const struct profile *profile, str_id text)
{
	if (text == 0)
		return;
	buf_puts(out, out->len > 0 ? "  \xc2\xb7  " : "");
	name_put(out, strtab_str(&profile->strings, text), strtab_len(&profile->strings, text),
		FLAMEGRAPH_NAME_BYTES_MAX, &name_picture);
}

/* "12,345 samples in 10 runs", and the circumstances as far as they are known. */
static void
put_facts(const struct picture *picture, struct buf *out)
{
	const struct profile *profile = picture->profile;

	format_cost_as(out, picture->totals[CTREE_ROOT], picture->unit, escape_xml);
	if (profile->nruns > 1)
		buf_printf(out, " in %zu runs", profile->nruns);
	put_if_known(out, profile, profile->event);
	if (profile->frequency_hz > 0)
		buf_printf(out, " at %.10g Hz", profile->frequency_hz);
}

static void
draw_legend(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout *layout)
{
	const struct flamegraph_palette *palette = &picture->palette;
	bool seen[FLAMEGRAPH_HUES_MAX] = {false};
	bool any_gathered = false;
	unsigned x = FLAMEGRAPH_MARGIN_PX;

	for (size_t i = 1; i < layout->nboxes; i++) {
		const struct flamegraph_box *box = &layout->boxes[i];
		frame_id frame = picture->profile->tree.nodes[box->node].frame;

		if (box->gathered > 0)
			any_gathered = true;
		else
			seen[flamegraph_palette_hue(palette, frame)] = true;
	}
	for (size_t i = 0; i < palette->nhues; i++) {
		const struct flamegraph_hue *hue = &palette->hues[i];
		char class[] = {hue->letter, hue->letter == 'z' ? '\0' : '2', '\0'};

		if (seen[i] && hue->meaning)
			flamegraph_svg_swatch(svg, &x, class, hue->meaning);
	}
	if (any_gathered)
		flamegraph_svg_swatch(svg, &x, "o", "frames too small to draw");
	if (x > FLAMEGRAPH_MARGIN_PX)
		svg->y += 18;
}

/* Draws the whole picture. */
static void
draw(const struct picture *picture, const struct flamegraph_budget *budget, struct buf *out)
{
	struct flamegraph_svg svg;
	struct flamegraph_layout layout;
	struct buf facts = {0};
	double whole = picture->totals[CTREE_ROOT];

	flamegraph_svg_init(&svg, picture->profile, picture->options, budget);
	svg.unit = picture->unit;
	struct flamegraph_limits limits = flamegraph_svg_limits(&svg, whole, budget->boxes);

	flamegraph_layout_init(&layout, picture->profile, picture->totals, &limits);
	put_facts(picture, &facts);
	flamegraph_svg_title(&svg, picture->title, picture->options->subtitle);
	flamegraph_svg_line(&svg, "facts", buf_text(&facts));
	if (picture->options->reversed)
		flamegraph_svg_note(&svg,
			"Reversed: stacks are merged from the function that was running to its "
			"callers.");
	if (picture->options->notes)
		flamegraph_svg_note(&svg, picture->options->notes);
	draw_legend(&svg, picture, &layout);
	flamegraph_svg_hidden_note(&svg, &layout);
	flamegraph_svg_start_boxes(&svg, &layout, whole);
	for (size_t i = 0; i < layout.nboxes; i++)
		draw_box(&svg, picture, &layout.boxes[i]);
	flamegraph_svg_finish(&svg, picture->title, &facts, "", out);
	buf_release(&facts);
	flamegraph_layout_release(&layout);
	flamegraph_svg_release(&svg);
}

static char *
make_title(const struct profile *profile, const struct flamegraph_options *options)
{
	const char *workload = strtab_str(&profile->strings, profile->workload);
	const char *command = strtab_str(&profile->strings, profile->command);

	if (options->title)
		return mem_strdup(options->title);
	if (*workload || *command)
		return mem_printf("%s: flame graph", *workload ? workload : command);
	return mem_strdup("Flame graph");
}

void
flamegraph_write(
	const struct profile *profile, const struct flamegraph_options *options, struct buf *out)
{
	double *totals = mem_zalloc(profile->tree.nnodes, sizeof(*totals));
	struct picture picture = {
		.profile = profile,
		.options = options,
		.totals = totals,
		.unit = options->unit   ? options->unit
			: profile->unit ? strtab_str(&profile->strings, profile->unit)
					: "samples",
	};
	struct flamegraph_budget budget =
		flamegraph_budget_first(profile, options, DEFAULT_MAX_FRAMES);
	size_t start = out->len;

	flamegraph_palette_init(&picture.palette, profile, options->colours);
	picture.title = make_title(profile, options);
	ctree_sum(&profile->tree, 0, profile->nruns, totals);
	ctree_totals(&profile->tree, totals);
	/* The size is only known once it is drawn; a second try with less is cheap. */
	do {
		out->len = start;
		draw(&picture, &budget, out);
	} while (flamegraph_budget_cut(&budget, out->len - start));
	flamegraph_palette_release(&picture.palette);
	free(picture.title);
	free(totals);
}

static bool
has_weight(const struct ctree *tree, node_id node)
{
	for (size_t column = 0; column < tree->ncolumns; column++) {
		if (ctree_weight(tree, column, node) != 0)
			return true;
	}
	return false;
}

void
flamegraph_reverse(struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	struct ctree reversed;

	ctree_init(&reversed);
	while (reversed.ncolumns < tree->ncolumns)
		ctree_add_column(&reversed);
	for (node_id node = 1; node < tree->nnodes; node++) {
		node_id to = CTREE_ROOT;
		size_t levels = 0;

		if (!has_weight(tree, node))
			continue;
		for (node_id from = node; from != CTREE_ROOT && levels < FLAMEGRAPH_REVERSE_LEVELS;
			from = tree->nodes[from].parent, levels++)
			to = ctree_child(&reversed, to, tree->nodes[from].frame);
		for (size_t column = 0; column < tree->ncolumns; column++)
			ctree_add(&reversed, column, to, ctree_weight(tree, column, node));
	}
	ctree_release(tree);
	*tree = reversed;
}
