#include "flamegraph/heatmap.h"

#include "base/escape.h"
#include "base/mem.h"
#include "flamegraph/svg.h"
#include "format/figures.h"
#include "format/name.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9
#define LINE_PX 17

/*
 * The phases that the program marked.
 */

#define NAMES_LISTED 8
#define SQUARE_PX 11
/* For assets/heatmap.css: m0 and so on. */
#define COLOURS 6
#define LEAST_PX 0.5
#define CHARACTER_PX 7.5
/* A name is written where so many characters of it have room. */
#define CHARACTERS_MIN 4
#define MARKED_NAME_BYTES 120
#define NONE UINT32_MAX

bool
heatmap_marked_part(const struct heatmap_marked *marked, const struct timed_phase *phase,
	uint64_t *begin_ns, uint64_t *end_ns)
{
	*begin_ns = phase->begin_ns > marked->begin_ns ? phase->begin_ns : marked->begin_ns;
	*end_ns = phase->end_ns < marked->end_ns ? phase->end_ns : marked->end_ns;
	return *begin_ns < *end_ns;
}

void
heatmap_marked_init(struct heatmap_marked *marked, const struct sample_times *times,
	uint64_t begin_ns, uint64_t end_ns)
{
	const size_t nnames = times->names.nentries;
	uint64_t begin;
	uint64_t end;

	*marked = (struct heatmap_marked){
		.times = times,
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.names = mem_zalloc(nnames + 1, sizeof(*marked->names)),
		.number_of = mem_zalloc(nnames + 1, sizeof(*marked->number_of)),
	};
	for (size_t i = 0; i < nnames; i++)
		marked->number_of[i] = NONE;
	for (size_t i = 0; i < times->nphases; i++) {
		const struct timed_phase *phase = &times->phases[i];

		if (!heatmap_marked_part(marked, phase, &begin, &end))
			continue;
		uint32_t *number = &marked->number_of[phase->name];

		if (*number == NONE) {
			*number = (uint32_t)marked->count;
			marked->names[marked->count++].name = phase->name;
		}
		marked->names[*number].count++;
		marked->names[*number].ns += end - begin;
	}
}

void
heatmap_marked_release(struct heatmap_marked *marked)
{
	free(marked->names);
	free(marked->number_of);
	*marked = (struct heatmap_marked){.count = 0};
}

void
heatmap_marked_put_name(const struct heatmap_marked *marked, size_t i, struct buf *out)
{
	const struct marked_name *name = &marked->names[i];

	buf_puts(out, strtab_str(&marked->times->names, name->name));
	if (name->count == 1)
		buf_puts(out, ": once, ");
	else
		buf_printf(out, ": %zu times, ", name->count);
	format_duration(out, (double)name->ns / NS_PER_S);
}

void
heatmap_marked_put_phase(
	const struct heatmap_marked *marked, const struct timed_phase *phase, struct buf *out)
{
	uint64_t begin_ns;
	uint64_t end_ns;

	heatmap_marked_part(marked, phase, &begin_ns, &end_ns);
	buf_puts(out, strtab_str(&marked->times->names, phase->name));
	buf_puts(out, ", ");
	format_duration(out, (double)begin_ns / NS_PER_S);
	buf_puts(out, " to ");
	format_duration(out, (double)end_ns / NS_PER_S);
}

static void
put_label(const struct buf *text, unsigned x, unsigned y, size_t room, struct buf *out)
{
	struct buf shown = {0};

	name_put(&shown, buf_text(text), text->len, room, &name_picture);
	buf_printf(
		out, "<text class=\"quiet\" x=\"%u\" y=\"%u\">%s</text>\n", x, y, buf_text(&shown));
	buf_release(&shown);
}

void
heatmap_marked_put_list(const struct heatmap_marked *marked, unsigned *y, struct buf *out)
{
	struct buf text = {0};

	if (marked->count == 0)
		return;
	buf_puts(out, "<g class=\"marked\">\n");
	buf_puts(&text, "Phases that the program marked:");
	put_label(&text, 12, *y, MARKED_NAME_BYTES, out);
	*y += LINE_PX;
	for (size_t i = 0; i < marked->count && i < NAMES_LISTED; i++, *y += LINE_PX) {
		buf_clear(&text);
		heatmap_marked_put_name(marked, i, &text);
		buf_printf(out, "<path class=\"m%zu\" d=\"M12 %uh%dv%dh-%dz\"/>", i % COLOURS,
			*y - SQUARE_PX + 1, SQUARE_PX, SQUARE_PX, SQUARE_PX);
		put_label(&text, 12 + SQUARE_PX + 6, *y, MARKED_NAME_BYTES, out);
	}
	if (marked->count > NAMES_LISTED) {
		buf_clear(&text);
		buf_printf(&text, "and %zu more", marked->count - NAMES_LISTED);
		put_label(&text, 12, *y, MARKED_NAME_BYTES, out);
		*y += LINE_PX;
	}
	buf_puts(out, "</g>\n");
	buf_release(&text);
}

static void
put_phase(const struct heatmap_marked *marked, const struct marked_strip *strip,
	const struct timed_phase *phase, double left, double right, struct buf *out)
{
	const char *name = strtab_str(&marked->times->names, phase->name);
	const double characters = (right - left - 8) / CHARACTER_PX;
	struct buf text = {0};

	buf_printf(out, "<path class=\"m%u\" d=\"M%.2f %uh%.2fv%uh%.2fz\"><title>",
		(unsigned)(marked->number_of[phase->name] % COLOURS), left, strip->top,
		right - left, strip->height, left - right);
	heatmap_marked_put_phase(marked, phase, &text);
	name_put(out, buf_text(&text), text.len, MARKED_NAME_BYTES, &name_picture);
	buf_puts(out, "</title></path>");
	buf_release(&text);
	if (characters >= CHARACTERS_MIN) {
		buf_printf(out, "<text x=\"%.2f\" y=\"%u\">", left + 4,
			strip->top + strip->height - 3);
		name_put(out, name, strlen(name), (size_t)characters, &name_picture);
		buf_puts(out, "</text>");
	}
	buf_putc(out, '\n');
}

void
heatmap_marked_put_strip(
	const struct heatmap_marked *marked, const struct marked_strip *strip, struct buf *out)
{
	double drawn_px = strip->left;
	uint64_t begin_ns;
	uint64_t end_ns;

	if (marked->count == 0)
		return;
	buf_puts(out, "<g class=\"strip marked\">\n");
	for (size_t i = 0; i < marked->times->nphases; i++) {
		const struct timed_phase *phase = &marked->times->phases[i];

		if (!heatmap_marked_part(marked, phase, &begin_ns, &end_ns))
			continue;
		const double left =
			strip->left + (double)(begin_ns - marked->begin_ns) * strip->ns_px;
		double right = strip->left + (double)(end_ns - marked->begin_ns) * strip->ns_px;

		if (right - left < LEAST_PX)
			right = left + LEAST_PX;
		if (right - drawn_px < LEAST_PX)
			continue;
		put_phase(marked, strip, phase, left, right, out);
		drawn_px = right;
	}
	buf_puts(out, "</g>\n");
}

/* The cells. */

#define COLUMNS_WANTED 300
#define COLUMN_MAX_NS UINT64_C(1000000000000000000)
/* The most that a page has room for: long waits of many threads are in many cells. */
#define CONTENTS_MAX 1e6

/* In how many cells the samples are, each counted by itself. */
static double
count_contents(const struct sample_times *times, uint64_t column_ns)
{
	double count = 0;

	for (size_t i = 0; i < times->nsamples; i++) {
		const struct timed_sample *sample = &times->samples[i];

		count += 1 + (double)(sample->end_ns - sample->begin_ns) /
				     ((double)column_ns / HEATMAP_ROWS);
	}
	return count;
}

uint64_t
heatmap_choose_column_ns(const struct profile *profile, const struct sample_times *times)
{
	const uint64_t interval_ns = sample_times_interval_ns(times, profile);
	uint64_t column_ns = 10000000;

	while (column_ns < COLUMN_MAX_NS &&
		(column_ns / HEATMAP_ROWS * 2 < interval_ns ||
			times->end_ns / column_ns >= COLUMNS_WANTED ||
			(weights_are_times(profile) &&
				count_contents(times, column_ns) > CONTENTS_MAX)))
		column_ns *= 10;
	return column_ns;
}

static void
add_weight(void *context, size_t cell, double weight)
{
	struct heatmap *heatmap = context;

	heatmap->weights[cell] += weight;
	heatmap->total += weight;
}

static uint64_t
first_ns(const struct sample_times *times, bool of_times)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < times->nsamples; i++) {
		const struct timed_sample *sample = &times->samples[i];
		const uint64_t ns = of_times ? sample->begin_ns : sample->end_ns;

		first = ns < first ? ns : first;
	}
	return first;
}

void
heatmap_init(struct heatmap *heatmap, const struct profile *profile,
	const struct sample_times *times, uint64_t column_ns)
{
	const bool of_times = weights_are_times(profile);
	const uint64_t begin_ns = first_ns(times, of_times) / column_ns * column_ns;
	const uint64_t length_ns = times->end_ns - begin_ns;

	*heatmap = (struct heatmap){
		.profile = profile,
		.times = times,
		.columns = (size_t)(length_ns / column_ns) + 1,
		.column_ns = column_ns,
	};
	heatmap->cells = (struct time_slices){
		.begin_ns = begin_ns,
		.slice_ns = column_ns / HEATMAP_ROWS,
		.count = heatmap->columns * HEATMAP_ROWS,
		.of_times = of_times,
	};
	heatmap->weights = mem_zalloc(heatmap->cells.count, sizeof(*heatmap->weights));
	for (size_t i = 0; i < times->nsamples; i++)
		time_slices_spread(&heatmap->cells, &times->samples[i], add_weight, heatmap);
	for (size_t i = 0; i < heatmap->cells.count; i++)
		if (heatmap->weights[i] > heatmap->most)
			heatmap->most = heatmap->weights[i];
	phases_find(&heatmap->phases, profile, times);
	heatmap_marked_init(
		&heatmap->marked, times, begin_ns, begin_ns + heatmap->columns * column_ns);
}

void
heatmap_release(struct heatmap *heatmap)
{
	free(heatmap->weights);
	phases_release(&heatmap->phases);
	heatmap_marked_release(&heatmap->marked);
	*heatmap = (struct heatmap){.columns = 0};
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

/* The picture. */

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
