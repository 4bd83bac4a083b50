/* A heat map as a picture, and its content as data for a script. */
#include "flamegraph/heatmap.h"

#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/assets.h"
#include "format/figures.h"
#include "format/name_fit.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9
#define LINE_PX 17
#define WIDTH_PX 1200
#define LEFT_PX 78
#define RIGHT_PX 12
#define ROW_PX 6
#define COLUMN_PX_MAX 60.0
#define LEVELS 9
#define STRIP_PX 14
#define STRIP_GAP_PX 8
#define TICK_PX 55.0
#define PHASES_LISTED 8
#define NAME_BYTES 1000

struct drawing {
	const struct heatmap *heatmap;
	struct buf *out;
	double column_px;
	unsigned y; /* where the next line goes */
	unsigned top;
};

const char *
heatmap_style(void)
{
	return asset_heatmap_css;
}

static void
put_line(struct drawing *drawing, const char *class, const struct buf *text)
{
	buf_printf(drawing->out, "<text class=\"%s\" x=\"12\" y=\"%u\">", class, drawing->y);
	escape_xml(drawing->out, buf_text(text), text->len);
	buf_puts(drawing->out, "</text>\n");
	drawing->y += LINE_PX;
}

static double
x_of(const struct drawing *drawing, uint64_t ns)
{
	const struct heatmap *heatmap = drawing->heatmap;

	return LEFT_PX + (double)(ns - heatmap->cells.begin_ns) / (double)heatmap->column_ns *
				 drawing->column_px;
}

static void
put_facts(struct drawing *drawing)
{
	const struct heatmap *heatmap = drawing->heatmap;
	struct buf text = {0};

	format_cost_as(&text, heatmap->total, weights_unit(heatmap->profile), escape_utf8);
	buf_puts(&text, " in ");
	format_duration(
		&text, (double)(heatmap->times->end_ns - heatmap->cells.begin_ns) / NS_PER_S);
	buf_puts(&text, ". A column is ");
	format_duration(&text, (double)heatmap->column_ns / NS_PER_S);
	buf_puts(&text, ", a row ");
	format_duration(&text, (double)heatmap->cells.slice_ns / NS_PER_S);
	buf_puts(&text, " of it: time goes down, then right.");
	put_line(drawing, "facts", &text);
	buf_release(&text);
}

/* The scale, from empty to the darkest. */
static void
put_legend(struct drawing *drawing)
{
	struct buf text = {0};
	unsigned x = 12;

	buf_printf(drawing->out, "<g class=\"legend\"><text x=\"%u\" y=\"%u\">none</text>", x,
		drawing->y);
	x += 36;
	for (unsigned level = 0; level <= LEVELS; level++, x += 18)
		buf_printf(drawing->out,
			"<path class=\"e%u\" fill=\"#a03010\" fill-opacity=\"%.2f\" "
			"d=\"M%u %uh18v12h-18z\"/>",
			level, (double)level / LEVELS, x, drawing->y - 10);
	format_cost_as(&text, drawing->heatmap->most, weights_unit(drawing->heatmap->profile),
		escape_utf8);
	buf_puts(&text, " in ");
	format_duration(&text, (double)drawing->heatmap->cells.slice_ns / NS_PER_S);
	buf_printf(drawing->out, "<text x=\"%u\" y=\"%u\">", x + 6, drawing->y);
	escape_xml(drawing->out, buf_text(&text), text.len);
	buf_puts(drawing->out, "</text></g>\n");
	drawing->y += LINE_PX;
	buf_release(&text);
}

/* The phases, numbered as in the strip above the cells. */
static void
put_phases(struct drawing *drawing)
{
	const struct phases *phases = &drawing->heatmap->phases;
	struct buf text = {0};
	struct buf short_text = {0};

	if (phases->count <= 1)
		buf_puts(&text, phases->count == 1
					? "Steady: no phases differ in the functions that "
					  "do the work."
					: "Too few samples to find phases.");
	if (phases->count <= 1)
		put_line(drawing, "quiet", &text);
	for (size_t i = 0; phases->count > 1 && i < phases->count && i < PHASES_LISTED; i++) {
		buf_clear(&text);
		buf_clear(&short_text);
		buf_printf(&text, "%zu  ", i + 1);
		phases_put_time(&phases->items[i], &text);
		buf_puts(&text, ": ");
		phases_put(phases, drawing->heatmap->profile, i, &text);
		name_put(&short_text, buf_text(&text), text.len, 150, &name_picture);
		buf_printf(drawing->out,
			"<text class=\"quiet phase\" x=\"12\" y=\"%u\">%s</text>\n", drawing->y,
			buf_text(&short_text));
		drawing->y += LINE_PX;
	}
	if (phases->count > PHASES_LISTED) {
		buf_clear(&text);
		buf_printf(&text, "and %zu more phases", phases->count - PHASES_LISTED);
		put_line(drawing, "quiet", &text);
	}
	buf_release(&text);
	buf_release(&short_text);
}

static void
put_strip(struct drawing *drawing)
{
	const struct phases *phases = &drawing->heatmap->phases;

	if (phases->count <= 1)
		return;
	buf_puts(drawing->out, "<g class=\"strip\">\n");
	for (size_t i = 0; i < phases->count; i++) {
		const double left = x_of(drawing, phases->items[i].begin_ns);
		const double right = x_of(drawing, phases->items[i].end_ns);

		buf_printf(drawing->out, "<path class=\"%s\" d=\"M%.2f %uh%.2fv%dh%.2fz\"/>",
			i < phases->startup ? "startup"
			: i % 2 == 0        ? "even"
					    : "odd",
			left, drawing->top - STRIP_PX - 4, right - left, STRIP_PX, left - right);
		if (right - left > 16)
			buf_printf(drawing->out, "<text x=\"%.2f\" y=\"%u\">%zu</text>", left + 4,
				drawing->top - 7, i + 1);
		buf_putc(drawing->out, '\n');
	}
	buf_puts(drawing->out, "</g>\n");
}

/* Above the strip of the phases that are found. */
static void
put_marked_strip(struct drawing *drawing)
{
	const struct heatmap *heatmap = drawing->heatmap;
	const unsigned below = heatmap->phases.count > 1 ? STRIP_PX + STRIP_GAP_PX : 0;
	const struct marked_strip strip = {
		.left = LEFT_PX,
		.ns_px = drawing->column_px / (double)heatmap->column_ns,
		.top = drawing->top - STRIP_PX - 4 - below,
		.height = STRIP_PX,
	};

	heatmap_marked_put_strip(&heatmap->marked, &strip, drawing->out);
}

static unsigned
level_of(const struct heatmap *heatmap, double weight)
{
	if (!(weight > 0) || !(heatmap->most > 0))
		return 0;
	return (unsigned)fmin(LEVELS, ceil(weight / heatmap->most * LEVELS));
}

/* One shape for each level; adjacent cells of a column in one piece. */
static void
put_cells(struct drawing *drawing)
{
	const struct heatmap *heatmap = drawing->heatmap;

	buf_printf(drawing->out,
		"<g class=\"cells\">\n<path class=\"e0\" fill=\"#eee\" d=\"M%d %uh%.2fv%dh%.2fz\"/>\n",
		LEFT_PX, drawing->top, drawing->column_px * (double)heatmap->columns,
		HEATMAP_ROWS * ROW_PX, -drawing->column_px * (double)heatmap->columns);
	for (unsigned level = 1; level <= LEVELS; level++) {
		buf_printf(drawing->out,
			"<path class=\"e%u\" fill=\"#a03010\" fill-opacity=\"%.2f\" d=\"", level,
			(double)level / LEVELS);
		for (size_t cell = 0; cell < heatmap->cells.count; cell++) {
			const size_t column = cell / HEATMAP_ROWS;
			const size_t row = cell % HEATMAP_ROWS;
			size_t rows = 0;

			while (row + rows < HEATMAP_ROWS &&
				level_of(heatmap, heatmap->weights[cell + rows]) == level)
				rows++;
			if (rows == 0)
				continue;
			buf_printf(drawing->out, "M%.2f %zuh%.2fv%zuh%.2fz",
				LEFT_PX + (double)column * drawing->column_px,
				drawing->top + row * ROW_PX, drawing->column_px, rows * ROW_PX,
				-drawing->column_px);
			cell += rows - 1;
		}
		buf_puts(drawing->out, "\"/>\n");
	}
	buf_puts(drawing->out, "</g>\n");
}

/* The offsets at the left, and the times of columns below. */
static void
put_axes(struct drawing *drawing)
{
	const struct heatmap *heatmap = drawing->heatmap;
	const unsigned bottom = drawing->top + HEATMAP_ROWS * ROW_PX;
	struct buf text = {0};
	size_t step = 1;

	buf_puts(drawing->out, "<g class=\"axes\">\n");
	for (unsigned quarter = 0; quarter <= 4; quarter++) {
		buf_clear(&text);
		if (quarter > 0)
			format_duration(&text, (double)heatmap->column_ns * quarter / 4 / NS_PER_S);
		buf_printf(drawing->out, "<text class=\"row\" x=\"%d\" y=\"%u\">%s</text>\n",
			LEFT_PX - 8, drawing->top + HEATMAP_ROWS * ROW_PX * quarter / 4 + 4,
			quarter > 0 ? buf_text(&text) : "0");
	}
	for (unsigned factor = 2; drawing->column_px * (double)step < TICK_PX;
		factor = factor == 2 ? 5 : 2)
		step = factor == 2 ? step * 2 : step / 2 * 5;
	for (size_t column = 0; column <= heatmap->columns; column += step) {
		const double x = LEFT_PX + (double)column * drawing->column_px;

		buf_clear(&text);
		buf_put_short(&text,
			(double)(heatmap->cells.begin_ns + column * heatmap->column_ns) / NS_PER_S);
		buf_printf(drawing->out,
			"<path d=\"M%.2f %uv5\"/><text x=\"%.2f\" y=\"%u\">%s s</text>\n", x,
			bottom, x, bottom + 18, buf_text(&text));
	}
	buf_puts(drawing->out, "</g>\n");
	buf_release(&text);
}

/* The weight of a box in a cell. */
struct content {
	size_t cell;
	uint32_t box;
	double weight;
};

struct contents {
	struct content *items;
	size_t count;
	size_t capacity;
	uint32_t box;
};

static void
add_content(void *context, size_t cell, double weight)
{
	struct contents *contents = context;

	contents->items = mem_grow(contents->items, &contents->capacity, contents->count + 1,
		sizeof(*contents->items));
	contents->items[contents->count++] = (struct content){cell, contents->box, weight};
}

static int
compare_contents(const void *a, const void *b)
{
	const struct content *x = a;
	const struct content *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return (x->box > y->box) - (x->box < y->box);
}

/*
 * Appends the content of each cell, for a page's script: a line for each that is not empty, its
 * number, then "BOX:WEIGHT", or "BOX" of weight 1, separated by blanks. Boxes are by node.
 */
static void
put_contents(const struct heatmap *heatmap, const uint32_t *box_of_node, struct buf *out)
{
	const struct sample_times *times = heatmap->times;
	struct contents contents = {0};
	size_t cell = SIZE_MAX;

	for (size_t i = 0; i < times->nsamples; i++) {
		contents.box = box_of_node[times->samples[i].node];
		time_slices_spread(&heatmap->cells, &times->samples[i], add_content, &contents);
	}
	if (contents.count > 1)
		qsort(contents.items, contents.count, sizeof(*contents.items), compare_contents);
	for (size_t i = 0; i < contents.count; i++) {
		const struct content *item = &contents.items[i];
		double weight = item->weight;

		for (; i + 1 < contents.count &&
			compare_contents(item, &contents.items[i + 1]) == 0;
			i++)
			weight += contents.items[i + 1].weight;
		if (item->cell != cell) {
			buf_puts(out, cell == SIZE_MAX ? "" : "\n");
			buf_put_number(out, (double)item->cell);
			cell = item->cell;
		}
		buf_printf(out, " %u", (unsigned)item->box);
		if (weight < 1 || weight > 1) {
			buf_putc(out, ':');
			buf_put_short(out, weight);
		}
	}
	free(contents.items);
}

static void
put_title(const struct heatmap *heatmap, const struct heatmap_options *options, struct buf *out)
{
	const struct profile *profile = heatmap->profile;
	const str_id of = profile->workload ? profile->workload : profile->command;

	if (options->title) {
		buf_puts(out, options->title);
		return;
	}
	if (of)
		buf_printf(out, "%s: heat map", strtab_str(&profile->strings, of));
	else
		buf_puts(out, "Heat map");
}

/* The start of the element; heights are known once all else is drawn. */
static void
put_opening(const struct drawing *drawing, const struct heatmap_options *options, unsigned height,
	struct buf *out)
{
	const struct heatmap *heatmap = drawing->heatmap;

	if (!options->box_of_node)
		buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"heatmap\" font-family=\"sans-serif\" "
		"font-size=\"12\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\" role=\"img\" "
		"lang=\"en\"",
		WIDTH_PX, height, WIDTH_PX, height);
	if (options->box_of_node)
		buf_printf(out,
			" data-columns=\"%zu\" data-rows=\"%d\" data-column-ns=\"%llu\" "
			"data-begin-ns=\"%llu\" data-x=\"%d\" data-y=\"%u\" data-column-px=\"%.4f\" "
			"data-row-px=\"%d\" data-unit=\"",
			heatmap->columns, HEATMAP_ROWS, (unsigned long long)heatmap->column_ns,
			(unsigned long long)heatmap->cells.begin_ns, LEFT_PX, drawing->top,
			drawing->column_px, ROW_PX);
	if (options->box_of_node) {
		escape_xml(out, weights_unit(heatmap->profile),
			strlen(weights_unit(heatmap->profile)));
		buf_putc(out, '"');
	}
	buf_puts(out, ">\n");
}

void
heatmap_write(const struct heatmap *heatmap, const struct heatmap_options *options, struct buf *out)
{
	struct buf body = {0};
	struct buf title = {0};
	struct buf shown = {0};
	struct drawing drawing = {
		.heatmap = heatmap,
		.out = &body,
		.column_px = fmin(
			COLUMN_PX_MAX, (WIDTH_PX - LEFT_PX - RIGHT_PX) / (double)heatmap->columns),
		.y = 24,
	};

	put_title(heatmap, options, &title);
	name_put(&shown, buf_text(&title), title.len, 100, &name_picture);
	buf_printf(&body, "<text class=\"title\" x=\"12\" y=\"%u\">%s</text>\n", drawing.y,
		buf_text(&shown));
	drawing.y += LINE_PX + 2;
	put_facts(&drawing);
	/* A page lists them. */
	if (!options->box_of_node)
		put_phases(&drawing);
	heatmap_marked_put_list(&heatmap->marked, &drawing.y, &body);
	put_legend(&drawing);
	drawing.top = drawing.y + (heatmap->phases.count > 1 ? STRIP_PX + STRIP_GAP_PX : 0) +
		      (heatmap->marked.count > 0 ? STRIP_PX + STRIP_GAP_PX : 0);
	put_marked_strip(&drawing);
	put_strip(&drawing);
	put_cells(&drawing);
	put_axes(&drawing);

	const unsigned height = drawing.top + HEATMAP_ROWS * ROW_PX + 30;

	put_opening(&drawing, options, height, out);
	buf_puts(out, "<title>");
	name_put(out, buf_text(&title), title.len, NAME_BYTES, &name_picture);
	buf_puts(out, "</title>\n");
	if (!options->box_of_node) {
		buf_puts(out, "<style>\n");
		buf_puts(out, asset_heatmap_css);
		buf_puts(out, "</style>\n");
	}
	buf_printf(out, "<path class=\"back\" fill=\"#fff\" d=\"M0 0h%dv%uh-%dz\"/>\n", WIDTH_PX,
		height, WIDTH_PX);
	buf_put(out, buf_text(&body), body.len);
	if (options->box_of_node) {
		buf_puts(out, "<metadata class=\"cells\">");
		put_contents(heatmap, options->box_of_node, out);
		buf_puts(out, "</metadata>\n");
	}
	buf_puts(out, "</svg>\n");
	buf_release(&shown);
	buf_release(&title);
	buf_release(&body);
}
