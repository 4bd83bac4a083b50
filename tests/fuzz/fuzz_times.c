/*
 * Any bytes of a perf.data, in views of time: each thread's chart and the heat map are well-formed
 * and the same when drawn again; what other viewers read has all of the weight, and speedscope's
 * comes in again.
 */
#include "ingest/ingest.h"

#include "flamegraph/flamegraph.h"
#include "flamegraph/heatmap.h"
#include "flamegraph/xml_check.h"
#include "output/exported.h"
#include "output/heatmap_page.h"
#include "perfdata_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_DRAWN 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
draw_charts(const struct profile *profile, const struct sample_times *times)
{
	const struct flamegraph_options options = {.max_frames = 200, .icicle = true};

	for (size_t i = 0; i < sample_times_nthreads(times) && i < THREADS_DRAWN; i++) {
		struct buf once = {0};
		struct buf again = {0};
		struct chart chart;

		chart_init(&chart, profile, times, i, sample_times_interval_ns(times, profile));
		flamegraph_write_chart(&chart, "thread", &options, &once);
		flamegraph_write_chart(&chart, "thread", &options, &again);
		if (!xml_is_well_formed(buf_text(&once), once.len) || once.len != again.len ||
			memcmp(buf_text(&once), buf_text(&again), once.len) != 0)
			abort();
		chart_release(&chart);
		buf_release(&once);
		buf_release(&again);
	}
}

static void
draw_heatmap(const struct profile *profile, const struct sample_times *times)
{
	const struct heatmap_options options = {.title = NULL};
	const uint64_t column_ns = heatmap_choose_column_ns(profile, times);
	struct heatmap heatmap;
	struct buf out = {0};

	if (times->end_ns / column_ns >= HEATMAP_COLUMNS_MAX)
		abort();
	heatmap_init(&heatmap, profile, times, column_ns);
	heatmap_write(&heatmap, &options, &out);
	if (!xml_is_well_formed(buf_text(&out), out.len))
		abort();
	buf_clear(&out);
	heatmap_page_put(&heatmap, NULL, "it's.data", &out);
	heatmap_release(&heatmap);
	buf_release(&out);
}

/* What speedscope's format holds of it. */
static void
read_back(const struct profile *profile, const struct buf *text)
{
	const struct file_view view = {.data = buf_text(text), .len = text->len};
	const struct ingest_options options = {.cache = NULL};
	struct profile again;
	struct err err = {0};

	profile_init(&again);
	if (ingest_speedscope.read(&again, &view, "fuzz", &options, &err) < 0)
		abort();
	const double whole = profile_column_total(profile, 0);

	if (fabs(profile_column_total(&again, 0) - whole) > 1e-6 * whole)
		abort();
	profile_release(&again);
}

static void
write_formats(const struct profile *profile, const struct sample_times *times)
{
	struct buf out = {0};

	speedscope_put(profile, times, &out);
	read_back(profile, &out);
	buf_clear(&out);
	firefox_put(profile, times, &out);
	buf_clear(&out);
	chrome_trace_put(profile, times, &out);
	buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *aligned = aligned_copy(data, size);
	const struct file_view view = {.data = (const char *)aligned, .len = size};
	struct sample_times times;
	const struct ingest_options options = {.times = &times, .threads = 1};
	struct profile profile;
	struct err err = {0};

	if (!aligned)
		return 0;
	profile_init(&profile);
	sample_times_init(&times);
	if (ingest_perfdata.read(&profile, &view, "fuzz", &options, &err) == 0 &&
		times.nsamples > 0) {
		profile_sort(&profile);
		draw_charts(&profile, &times);
		draw_heatmap(&profile, &times);
		write_formats(&profile, &times);
	}
	sample_times_release(&times);
	profile_release(&profile);
	free(aligned);
	return 0;
}
