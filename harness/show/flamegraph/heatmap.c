#include "flamegraph/heatmap.h"

#include "base/escape.h"
#include "base/mem.h"
#include "format/figures.h"
#include "format/name.h"
#include "profile/weights.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9
#define NAMES_LISTED 8
#define LINE_PX 17
#define SQUARE_PX 11
/* For assets/heatmap.css: m0 and so on. */
#define COLOURS 6
#define LEAST_PX 0.5
#define CHARACTER_PX 7.5
/* A name is written where so many characters of it have room. */
#define CHARACTERS_MIN 4
#define NAME_BYTES 120
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
	put_label(&text, 12, *y, NAME_BYTES, out);
	*y += LINE_PX;
	for (size_t i = 0; i < marked->count && i < NAMES_LISTED; i++, *y += LINE_PX) {
		buf_clear(&text);
		heatmap_marked_put_name(marked, i, &text);
		buf_printf(out, "<path class=\"m%zu\" d=\"M12 %uh%dv%dh-%dz\"/>", i % COLOURS,
			*y - SQUARE_PX + 1, SQUARE_PX, SQUARE_PX, SQUARE_PX);
		put_label(&text, 12 + SQUARE_PX + 6, *y, NAME_BYTES, out);
	}
	if (marked->count > NAMES_LISTED) {
		buf_clear(&text);
		buf_printf(&text, "and %zu more", marked->count - NAMES_LISTED);
		put_label(&text, 12, *y, NAME_BYTES, out);
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
	name_put(out, buf_text(&text), text.len, NAME_BYTES, &name_picture);
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

#define COLUMNS_WANTED 300
#define COLUMN_MAX_NS UINT64_C(1000000000000000000)
/* What a page has room for: long waits of many threads are in many cells. */
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

/* What a box has in a cell. */
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

void
heatmap_put_cells(const struct heatmap *heatmap, const uint32_t *box_of_node, struct buf *out)
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
