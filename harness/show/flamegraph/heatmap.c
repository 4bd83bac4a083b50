/* The cells of a heat map: how long a column is, and the weight in each cell. */
#include "flamegraph/heatmap.h"

#include "base/mem.h"
#include "profile/weights.h"

#include <stdlib.h>

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
