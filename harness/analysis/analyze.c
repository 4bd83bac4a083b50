#include "analysis/analysis.h"

#include "analysis/data.h"
#include "analysis/header.h"
#include "analysis/hotspots.h"
#include "analysis/sentences.h"
#include "analysis/traits.h"
#include "format/figures.h"
#include "format/table.h"
#include "profile/fields.h"

#include <math.h>

#define RUNS_SHOWN 40

static void
put_runs(const struct profile *profile, struct buf *out)
{
	const struct run_field *fields[RUN_COLUMNS_MAX];
	struct table_column columns[RUN_COLUMNS_MAX + 1] = {{.heading = "run", .right = true}};
	size_t ncolumns = run_table_columns(RUN_TABLE_TEXT, fields);
	struct table table;

	for (size_t k = 0; k < ncolumns; k++)
		columns[1 + k] = (struct table_column){
			.heading = run_column_heading(fields[k], profile), .right = true};
	table_init(&table, columns, 1 + ncolumns);
	for (size_t i = 0; i < profile->nruns && i < RUNS_SHOWN; i++) {
		format_count(table_cell(&table), (double)i + 1);
		table_end_cell(&table);
		for (size_t k = 0; k < ncolumns; k++) {
			double value = run_column_value(fields[k], &profile->runs[i]);

			if (fields[k]->unit)
				format_cost(table_cell(&table), value, fields[k]->unit);
			else
				format_count(table_cell(&table), round(value));
			table_end_cell(&table);
		}
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
