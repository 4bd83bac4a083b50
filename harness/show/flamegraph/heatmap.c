#include "flamegraph/heatmap.h"

#include "base/mem.h"
#include "profile/weights.h"

#include <stdlib.h>

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
