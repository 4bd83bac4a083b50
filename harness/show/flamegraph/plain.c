/*
 * Pictures of one profile: the flame graph, the flame chart over time, and the sandwich of callers
 * and callees of some functions.
 */
#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/flamegraph.h"
#include "flamegraph/plain_palette.h"
#include "flamegraph/svg.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/counters.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The two trees of a sandwich: the callers of some functions, and their callees. Both have the
 * frames and texts of the profile they were made of, which must stay, and trees of their own whose
 * root stands for the functions: of callers from the nearest to the outermost, with one column of
 * weights.
 */
struct sandwich {
	struct profile callers;
	struct profile callees;
};

static void
start(struct profile *side, const struct profile *profile)
{
	*side = *profile;
	side->nruns = 1;
	ctree_init(&side->tree);
	ctree_add_column(&side->tree);
}

/* The callers of one node, which has all of `weight`. */
static void
add_callers(struct profile *callers, const struct ctree *tree, node_id node, double weight)
{
	node_id to = CTREE_ROOT;

	for (node_id from = tree->nodes[node].parent; from != CTREE_ROOT;
		from = tree->nodes[from].parent)
		to = ctree_child(&callers->tree, to, tree->nodes[from].frame);
	ctree_add(&callers->tree, 0, to, weight);
}

static void
sandwich_init(struct sandwich *sandwich, const struct profile *profile, const bool *focus)
{
	const struct ctree *tree = &profile->tree;
	double *self = mem_zalloc(tree->nnodes, 2 * sizeof(*self));
	double *total = self + tree->nnodes;
	node_id *below = mem_zalloc(tree->nnodes, sizeof(*below));

	start(&sandwich->callers, profile);
	start(&sandwich->callees, profile);
	ctree_sum(tree, 0, profile->nruns, self);
	ctree_sum(tree, 0, profile->nruns, total);
	ctree_totals(tree, total);
	/* Parents come first. */
	below[CTREE_ROOT] = CTREE_NONE;
	for (node_id node = 1; node < tree->nnodes; node++) {
		node_id parent = below[tree->nodes[node].parent];
		frame_id frame = tree->nodes[node].frame;

		below[node] = CTREE_NONE;
		if (parent != CTREE_NONE) {
			below[node] = ctree_child(&sandwich->callees.tree, parent, frame);
		} else if (focus[frame]) {
			below[node] = CTREE_ROOT;
			add_callers(&sandwich->callers, tree, node, total[node]);
		}
		if (below[node] != CTREE_NONE)
			ctree_add(&sandwich->callees.tree, 0, below[node], self[node]);
	}
	free(below);
	free(self);
}

static void
sandwich_release(struct sandwich *sandwich)
{
	ctree_release(&sandwich->callers.tree);
	ctree_release(&sandwich->callees.tree);
}

/* Unless the caller sets a budget: this many boxes, or fewer where names are long. */
#define DEFAULT_MAX_FRAMES 60000

/* As measured: labels and what is the same in all documents but style and script; and the boxes. */
#define PAGE_BYTES 52000
static const struct flamegraph_box_bytes box_bytes = {.data = 16, .shape = 13, .tooltip = 65};

struct picture {
	const struct profile *profile;
	const struct flamegraph_options *options;
	const double *totals; /* by node */
	double whole;         /* of all stacks, also those that are not in the picture */
	const char *unit;
	const char *root_name;
	const struct picture *callers; /* of a sandwich, drawn above; else NULL */
	const struct chart *chart;     /* of which it is a picture; else NULL */
	const double *begins;          /* of a chart, by node; the root's is 0 */
	bool has_self;
	char *title;
	struct flamegraph_palette palette;
};

static void
put_share(const struct picture *picture, double weight, struct buf *out)
{
	double whole = picture->whole;

	format_cost_as(out, weight, picture->unit, escape_xml);
	buf_puts(out, ", ");
	format_percent(out, whole > 0 ? weight / whole : 0);
}

static void
put_classes(const void *context, frame_id frame, struct buf *out)
{
	const struct picture *picture = context;
	char class[3];

	flamegraph_palette_class(&picture->palette, frame, class);
	buf_puts(out, class);
}

static double
self_weight(const struct picture *picture, node_id node)
{
	double sum = 0;

	for (size_t i = 0; i < picture->profile->nruns && picture->has_self; i++)
		sum += ctree_weight(&picture->profile->tree, i, node);
	return sum;
}

static void
put_tooltip(
	struct flamegraph_svg *svg, const struct picture *picture, const struct flamegraph_box *box)
{
	frame_id frame = picture->profile->tree.nodes[box->node].frame;
	const char *name = box->node == CTREE_ROOT ? picture->root_name
						   : profile_frame_name(picture->profile, frame);
	double self = self_weight(picture, box->node);

	if (box->gathered > 0)
		buf_printf(&svg->boxes, "%u called function%s too small to draw", box->gathered,
			box->gathered == 1 ? "" : "s");
	else
		name_put(&svg->boxes, name, strlen(name), svg->name_bytes, &name_picture);
	buf_putc(&svg->boxes, '\n');
	put_share(picture, box->width, &svg->boxes);
	if (box->gathered > 0)
		return;
	if (self > 0) {
		buf_puts(&svg->boxes, "\nself ");
		put_share(picture, self, &svg->boxes);
	}
	if (box->node != CTREE_ROOT)
		flamegraph_svg_put_place(svg, frame, &svg->boxes);
}

/* `is_leaf`: nothing in the layout is above it. */
static void
draw_box(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_box *box, bool is_leaf)
{
	frame_id frame = picture->profile->tree.nodes[box->node].frame;
	double number = box->gathered > 0 ? box->gathered : self_weight(picture, box->node);
	struct buf class = {0};

	flamegraph_svg_data(svg, box);
	if (number != (is_leaf ? box->width : 0) || box->gathered > 0)
		flamegraph_svg_data_number(svg, number);
	if (!flamegraph_svg_shows(svg, box))
		return;
	if (box->gathered > 0)
		buf_putc(&class, 'o');
	else
		put_classes(picture, frame, &class);
	bool tooltip = flamegraph_svg_begin_box(svg, box, buf_text(&class));

	if (tooltip)
		put_tooltip(svg, picture, box);
	flamegraph_svg_end_box(svg, tooltip);
	if (box->gathered == 0)
		flamegraph_svg_label(svg, box, "",
			box->node == CTREE_ROOT ? picture->root_name
						: profile_frame_name(picture->profile, frame));
	buf_release(&class);
}

static void
draw_boxes(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout *layout)
{
	/* The callers' root has been drawn. */
	for (size_t i = svg->callers; i < layout->nboxes; i++) {
		const struct flamegraph_box *box = &layout->boxes[i];

		draw_box(svg, picture, box, i + 1 == layout->nboxes || box[1].depth <= box->depth);
	}
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
	if (picture->callers) {
		buf_puts(out, ", ");
		format_percent(
			out, picture->whole > 0 ? picture->totals[CTREE_ROOT] / picture->whole : 0);
		buf_puts(out, " of all");
	}
	if (profile->nruns > 1 || executions_several(profile)) {
		buf_puts(out, " in ");
		executions_put_runs(profile, 0, profile->nruns, out);
	}
	put_if_known(out, profile, profile->event);
	if (profile->frequency_hz > 0)
		buf_printf(out, " at %.10g Hz", profile->frequency_hz);
}

/* Marks the hues of the boxes; returns whether some are gathered. */
static bool
find_hues(const struct picture *picture, const struct flamegraph_layout *layout, bool *seen)
{
	bool any_gathered = false;

	for (size_t i = 1; i < layout->nboxes; i++) {
		const struct flamegraph_box *box = &layout->boxes[i];
		frame_id frame = picture->profile->tree.nodes[box->node].frame;

		if (box->gathered > 0)
			any_gathered = true;
		else
			seen[flamegraph_palette_hue(&picture->palette, frame)] = true;
	}
	return any_gathered;
}

static void
draw_legend(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout layouts[2])
{
	const struct flamegraph_palette *palette = &picture->palette;
	bool seen[FLAMEGRAPH_HUES_MAX] = {false};
	bool any_gathered = find_hues(picture, &layouts[0], seen);
	unsigned x = FLAMEGRAPH_MARGIN_PX;

	if (picture->callers && find_hues(picture->callers, &layouts[1], seen))
		any_gathered = true;
	for (size_t i = 0; i < palette->nhues; i++) {
		const struct flamegraph_hue *hue = &palette->hues[i];
		char class[3];

		flamegraph_hue_class(hue, class);
		if (seen[i] && hue->meaning)
			flamegraph_svg_swatch(svg, &x, class, hue->meaning);
	}
	if (any_gathered)
		flamegraph_svg_swatch(svg, &x, "o", "frames too small to draw");
	if (x > FLAMEGRAPH_MARGIN_PX)
		svg->y += 18;
}

/* Only operations, or slow ones, are in the picture. */
static void
put_operations(struct flamegraph_svg *svg, const struct profile *profile)
{
	struct buf text = {0};

	buf_printf(
		&text, "Only operations: %s.", strtab_str(&profile->strings, profile->operations));
	flamegraph_svg_note(svg, "quiet", buf_text(&text));
	buf_release(&text);
}

static void
put_chart_note(struct flamegraph_svg *svg, const struct chart *chart)
{
	struct buf text = {0};

	buf_puts(&text, "Flame chart: x is time since the capture's start. ");
	format_plural(&text, chart->nsamples, "sample", "samples");
	buf_puts(&text, " in order; calls that successive samples share are one box.");
	flamegraph_svg_note(svg, "quiet", buf_text(&text));
	buf_release(&text);
}

static void
draw_head(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout layouts[2], struct buf *facts)
{
	put_facts(picture, facts);
	flamegraph_svg_title(svg, picture->title, picture->options->subtitle);
	flamegraph_svg_line(svg, "facts", buf_text(facts));
	if (picture->profile->operations)
		put_operations(svg, picture->profile);
	if (picture->chart)
		put_chart_note(svg, picture->chart);
	if (picture->callers)
		flamegraph_svg_note(
			svg, "quiet", "Sandwich: all callers above, all callees below.");
	if (picture->options->reversed)
		flamegraph_svg_note(svg, "quiet",
			"Reversed: stacks are merged from the function that was running to its "
			"callers.");
	if (picture->options->notes)
		flamegraph_svg_note(svg, "quiet", picture->options->notes);
	draw_legend(svg, picture, layouts);
	flamegraph_svg_hidden_note(svg, layouts[0].hidden + layouts[1].hidden);
}

/* The boxes drawn next are those above the whole of a sandwich. */
static void
turn_to_callers(struct flamegraph_svg *svg, const struct profile *callers)
{
	svg->profile = callers;
	svg->callers = true;
	svg->levels = svg->root + 1;
	svg->step = -1;
	svg->skipped = UINT32_MAX;
}

static void
draw_parts(struct flamegraph_svg *svg, const struct picture *picture,
	const struct flamegraph_layout layouts[2])
{
	double width = picture->totals[CTREE_ROOT];
	uint32_t levels = flamegraph_svg_levels(svg, &layouts[0], width);

	if (!picture->callers) {
		flamegraph_svg_start_boxes(svg, levels, width);
		if (picture->chart)
			flamegraph_svg_axis(svg, (double)picture->chart->begins_ns[CTREE_ROOT],
				(double)picture->chart->end_ns);
		draw_boxes(svg, picture, &layouts[0]);
		return;
	}
	flamegraph_svg_start_sandwich(
		svg, flamegraph_svg_levels(svg, &layouts[1], width), levels, width);
	draw_boxes(svg, picture, &layouts[0]);
	turn_to_callers(svg, picture->callers->profile);
	draw_boxes(svg, picture->callers, &layouts[1]);
	/* Whatever is measured afterwards is measured by the callees' boxes. */
	svg->profile = picture->profile;
}

/* Finds the boxes that have the weights of all nodes. */
static void
find_boxes(const struct picture *picture, const struct flamegraph_layout *layout)
{
	const struct ctree *tree = &picture->profile->tree;
	uint32_t *boxes = picture->options->box_of_node;

	memset(boxes, 0, tree->nnodes * sizeof(*boxes));
	for (size_t i = 0; i < layout->nboxes; i++)
		if (layout->boxes[i].gathered == 0)
			boxes[layout->boxes[i].node] = (uint32_t)i;
	for (size_t node = 1; node < tree->nnodes; node++)
		if (boxes[node] == 0)
			boxes[node] = boxes[tree->nodes[node].parent];
}

/* flamegraph_draw_fn of a `struct picture`. */
static size_t
draw(const void *context, struct flamegraph_budget *budget, size_t most_bytes, struct buf *out)
{
	const struct picture *picture = context;
	struct flamegraph_svg svg;
	struct flamegraph_layout layouts[2] = {{0}};
	struct buf facts = {0};
	struct buf attributes = {0};
	const struct picture *callers = picture->callers;
	double whole = picture->totals[CTREE_ROOT];
	size_t parts = callers ? 2 : 1;
	size_t start = out->len;

	flamegraph_svg_init(&svg, picture->profile, picture->root_name, picture->options, budget);
	svg.unit = picture->unit;
	svg.put_classes = put_classes;
	svg.context = picture;
	svg.chart = picture->chart != NULL;
	if (svg.chart)
		svg.mode = "chart";
	struct flamegraph_limits limits = flamegraph_svg_limits(&svg, whole, budget->boxes / parts);

	limits.begins = picture->begins;
	flamegraph_layout_init(&layouts[0], picture->profile, picture->totals, &limits);
	if (callers)
		flamegraph_layout_init(&layouts[1], callers->profile, callers->totals, &limits);
	flamegraph_svg_functions(&svg, &layouts[0], &picture->totals, 1);
	if (picture->options->box_of_node)
		find_boxes(picture, &layouts[0]);
	size_t bytes = PAGE_BYTES + flamegraph_svg_guess_bytes(&svg, &layouts[0], &box_bytes);

	if (bytes > most_bytes)
		goto done;
	draw_head(&svg, picture, layouts, &facts);
	draw_parts(&svg, picture, layouts);
	if (callers)
		buf_printf(&attributes, " data-all=\"%.9g\"", picture->whole);
	if (picture->chart)
		buf_printf(&attributes, " data-begin=\"%llu\"",
			(unsigned long long)picture->chart->begins_ns[CTREE_ROOT]);
	if (svg.page)
		buf_puts(&attributes, " data-packed=\"\"");
	flamegraph_svg_finish(&svg, picture->title, &facts, buf_text(&attributes), out);
	bytes = out->len - start;
done:
	budget->fitting = parts * flamegraph_svg_fitting(&svg, &layouts[0], &limits, &box_bytes,
					  flamegraph_budget_surplus(bytes) / parts);
	buf_release(&attributes);
	buf_release(&facts);
	flamegraph_layout_release(&layouts[0]);
	flamegraph_layout_release(&layouts[1]);
	flamegraph_svg_release(&svg);
	return bytes;
}

static char *
make_title(
	const struct profile *profile, const struct flamegraph_options *options, const char *kind)
{
	const char *workload = strtab_str(&profile->strings, profile->workload);
	const char *command = strtab_str(&profile->strings, profile->command);

	if (options->title)
		return mem_strdup(options->title);
	if (*workload || *command)
		return mem_printf("%s: flame %s", *workload ? workload : command, kind);
	return mem_printf("Flame %s", kind);
}

/* The totals of a profile by node; free() them. */
static double *
sum_nodes(const struct profile *profile)
{
	double *totals = mem_zalloc(profile->tree.nnodes, sizeof(*totals));

	ctree_sum(&profile->tree, 0, profile->nruns, totals);
	ctree_totals(&profile->tree, totals);
	return totals;
}

static void
draw_within_bounds(const struct picture *picture, struct buf *out)
{
	flamegraph_budget_draw(flamegraph_budget_first(picture->profile, picture->options,
				       DEFAULT_MAX_FRAMES, box_bytes.data + box_bytes.shape),
		draw, picture, out);
}

static const char *
unit_of(const struct profile *profile, const struct flamegraph_options *options)
{
	return options->unit   ? options->unit
	       : profile->unit ? strtab_str(&profile->strings, profile->unit)
			       : "samples";
}

void
flamegraph_write(
	const struct profile *profile, const struct flamegraph_options *options, struct buf *out)
{
	double *totals = sum_nodes(profile);
	struct picture picture = {
		.profile = profile,
		.options = options,
		.totals = totals,
		.whole = totals[CTREE_ROOT],
		.root_name = "all",
		.unit = unit_of(profile, options),
		.title = make_title(profile, options, "graph"),
		/* In reversed stacks it would be the weight of their outermost callers. */
		.has_self = !options->reversed,
	};

	flamegraph_palette_init(&picture.palette, profile, options);
	draw_within_bounds(&picture, out);
	flamegraph_palette_release(&picture.palette);
	free(picture.title);
	free(totals);
}

void
flamegraph_write_chart(const struct chart *chart, const char *thread,
	const struct flamegraph_options *options, struct buf *out)
{
	const struct profile *profile = &chart->profile;
	double *totals = sum_nodes(profile);
	double *begins = mem_zalloc(profile->tree.nnodes, sizeof(*begins));
	struct picture picture = {
		.profile = profile,
		.options = options,
		.totals = totals,
		.whole = totals[CTREE_ROOT],
		.root_name = thread,
		.unit = "ns",
		.chart = chart,
		.begins = begins,
		.title = make_title(profile, options, "chart"),
		.has_self = true,
	};

	for (size_t i = 0; i < profile->tree.nnodes; i++)
		begins[i] = (double)(chart->begins_ns[i] - chart->begins_ns[CTREE_ROOT]);
	flamegraph_palette_init(&picture.palette, profile, options);
	draw_within_bounds(&picture, out);
	flamegraph_palette_release(&picture.palette);
	free(picture.title);
	free(begins);
	free(totals);
}

void
flamegraph_write_sandwich(const struct profile *profile, const bool *focus, const char *name,
	const struct flamegraph_options *options, struct buf *out)
{
	double *whole = sum_nodes(profile);
	struct sandwich sandwich;

	sandwich_init(&sandwich, profile, focus);
	double *above = sum_nodes(&sandwich.callers);
	double *below = sum_nodes(&sandwich.callees);
	struct picture callees = {
		.profile = &sandwich.callees,
		.options = options,
		.totals = below,
		.whole = whole[CTREE_ROOT],
		.root_name = name,
		.unit = unit_of(profile, options),
		.title = options->title ? mem_strdup(options->title) : mem_strdup(name),
		.has_self = true,
	};

	flamegraph_palette_init(&callees.palette, profile, options);
	struct picture callers = callees;

	callers.profile = &sandwich.callers;
	callers.totals = above;
	callers.has_self = false;
	callees.callers = &callers;
	draw_within_bounds(&callees, out);
	flamegraph_palette_release(&callees.palette);
	free(callees.title);
	free(below);
	free(above);
	free(whole);
	sandwich_release(&sandwich);
}
