#include "analysis/analysis.h"

#include "analysis/advice.h"
#include "analysis/data.h"
#include "analysis/header.h"
#include "analysis/hotspots.h"
#include "analysis/lines.h"
#include "format/table.h"
#include "format/words.h"
#include "profile/weights.h"

#define RUNS_SHOWN 40

static void
put_runs(const struct profile *profile, struct buf *out)
{
	const struct table_column columns[] = {
		{.heading = "run", .right = true},
		{.heading = "CPU time", .right = true},
		{.heading = "wall time", .right = true},
		{.heading = weights_noun(profile), .right = true},
		{.heading = "expected", .right = true},
		{.heading = "lost", .right = true},
		{.heading = "throttled", .right = true},
		{.heading = "switches", .right = true},
		{.heading = "own CPU", .right = true},
	};
	struct table table;

	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < profile->nruns && i < RUNS_SHOWN; i++) {
		const struct run *run = &profile->runs[i];
		const uint64_t counts[] = {run->lost, run->throttled, run->context_switches};

		words_count(table_cell(&table), (double)i + 1);
		table_end_cell(&table);
		words_cost(table_cell(&table), (double)run->cpu_ns, "ns");
		table_end_cell(&table);
		words_cost(table_cell(&table), (double)run->wall_ns, "ns");
		table_end_cell(&table);
		words_count(table_cell(&table), (double)run->samples);
		table_end_cell(&table);
		words_count(table_cell(&table), run->expected_samples);
		table_end_cell(&table);
		for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
			words_count(table_cell(&table), (double)counts[k]);
			table_end_cell(&table);
		}
		words_cost(table_cell(&table), (double)run->harness_cpu_ns, "ns");
		table_end_cell(&table);
	}
	table_write(&table, 2, out);
	if (profile->nruns > RUNS_SHOWN)
		buf_printf(out, "  and %zu more runs\n", profile->nruns - RUNS_SHOWN);
	table_release(&table);
}

void
analysis_write(
	const struct profile *profile, const struct analysis_options *options, struct buf *out)
{
	struct analysis_data data;

	analysis_data_init(&data, profile);
	analysis_put_header(&data, options, out);
	if (analysis_is_measured(profile)) {
		buf_putc(out, '\n');
		analysis_put_styled(out, options, STYLE_HEADING, "Runs");
		buf_putc(out, '\n');
		put_runs(profile, out);
	}
	advice_write(&data, options, out);
	buf_putc(out, '\n');
	hotspots_write(&data, options, out);
	analysis_data_release(&data);
}
