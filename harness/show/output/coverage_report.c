#include "output/coverage_report.h"

#include "format/figures.h"
#include "format/name_fit.h"
#include "format/table.h"
#include "profile/weights.h"

#include <string.h>

#define NAME_COLUMNS 48
#define CALLER_COLUMNS 32
#define WORKLOAD_COLUMNS 24
#define ENTRIES_SHOWN 10
#define DEFAULT_TOP 20
/* A default table has so many functions however little they have, and no others with less. */
#define LEAST_TOP 5
#define MIN_SHARE 0.001

static const char *const state_names[COVERAGE_STATES] = {
	[COVERAGE_REACHED] = "reached",
	[COVERAGE_OTHER_CALLERS] = "reached from other callers only",
	[COVERAGE_NOT_REACHED] = "not reached",
	[COVERAGE_NO_NAME] = "code without a name",
};

static void
put_share(const struct coverage *coverage, double weight, struct table *table)
{
	format_percent(table_cell(table), weight / coverage->whole);
	table_end_cell(table);
}

static void
put_frame(const struct coverage *coverage, frame_id frame, struct table *table)
{
	profile_put_frame(&coverage->joined, frame, table_cell(table));
	table_end_cell(table);
}

static void
put_names(const struct coverage *coverage, struct buf *out)
{
	for (size_t i = 0; i < coverage->nworkloads; i++) {
		const char *name = coverage->workloads[i].name;

		buf_puts(out, i > 0 ? ", " : "");
		name_fit(out, name, strlen(name), WORKLOAD_COLUMNS);
	}
}

static void
put_parts(const struct coverage *coverage, const struct coverage_report *options, struct buf *out)
{
	static const struct table_column columns[] = {{.heading = NULL}, {.right = true}};
	struct table table;

	buf_puts(out, "Coverage of production by workloads: ");
	format_percent(out, coverage_ratio(coverage));
	buf_puts(out, "\n\n");
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (int state = 0; state < COVERAGE_STATES; state++) {
		if (state == COVERAGE_NO_NAME && !(coverage->weights[state] > 0))
			continue;
		table_put(&table, state_names[state]);
		put_share(coverage, coverage->weights[state], &table);
	}
	table_write(&table, 2, out);
	table_release(&table);
	buf_puts(out, "\nProduction: ");
	format_cost_as(out, coverage->whole, weights_unit(&coverage->joined), escape_utf8);
	buf_puts(out, coverage->nworkloads == 1 ? ". Workload: " : ". Workloads: ");
	put_names(coverage, out);
	buf_puts(out, ".\n");
	if (options->unmeasured)
		buf_printf(out, "Without a profile in the report: %s.\n", options->unmeasured);
	if (coverage->held)
		buf_puts(out, "Inlined functions count for the function that holds them.\n");
}

static void
put_entries(const struct coverage *coverage, struct buf *out)
{
	static const struct table_column columns[] = {
		{.heading = "production", .right = true},
		{.heading = "function", .max_columns = NAME_COLUMNS},
		{.heading = "called by", .max_columns = CALLER_COLUMNS},
		{.heading = ""},
	};
	struct table table;

	if (coverage->nentries == 0)
		return;
	buf_puts(out, "\nFunctions that a new workload should exercise first, with the cost of "
		      "production that it would reach\n");
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < coverage->nentries && i < ENTRIES_SHOWN; i++) {
		const struct coverage_entry *entry = &coverage->entries[i];

		put_share(coverage, entry->weight, &table);
		put_frame(coverage, entry->frame, &table);
		if (entry->caller)
			put_frame(coverage, entry->caller, &table);
		else
			table_put(&table, "");
		table_put(&table, entry->state == COVERAGE_NOT_REACHED ? "" : "from this caller");
	}
	table_write(&table, 2, out);
	table_release(&table);
}

static size_t
count_shown(const struct coverage *coverage, size_t top)
{
	size_t shown = 0;

	while (shown < coverage->nfunctions && shown < (top > 0 ? top : DEFAULT_TOP) &&
		(top > 0 || shown < LEAST_TOP ||
			coverage->functions[shown].weight >= MIN_SHARE * coverage->whole))
		shown++;
	return shown;
}

static void
put_functions(const struct coverage *coverage, size_t top, struct buf *out)
{
	static const struct table_column columns[] = {
		{.heading = "production", .right = true},
		{.heading = "not reached", .right = true},
		{.heading = "other callers", .right = true},
		{.heading = "workloads", .right = true},
		{.heading = "workload", .max_columns = WORKLOAD_COLUMNS},
		{.heading = "function", .max_columns = NAME_COLUMNS},
	};
	const size_t shown = count_shown(coverage, top);
	struct table table;

	buf_puts(out, "\nProduction's functions by their own cost, and the largest share that a "
		      "workload has of them\n");
	table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < shown; i++) {
		const struct coverage_function *function = &coverage->functions[i];

		put_share(coverage, function->weight, &table);
		put_share(coverage, function->weights[COVERAGE_NOT_REACHED], &table);
		put_share(coverage, function->weights[COVERAGE_OTHER_CALLERS], &table);
		format_percent(table_cell(&table), function->share);
		table_end_cell(&table);
		table_put(&table,
			function->share > 0 ? coverage->workloads[function->workload].name : "");
		put_frame(coverage, function->frame, &table);
	}
	table_write(&table, 2, out);
	table_release(&table);
	if (shown < coverage->nfunctions) {
		buf_puts(out, "  and ");
		format_plural(out, coverage->nfunctions - shown, "more function", "more functions");
		buf_putc(out, '\n');
	}
}

bool
coverage_report_passes(const struct coverage *coverage, double min)
{
	/* A figure that is shown as the minimum reaches it, in spite of rounded sums. */
	return coverage_ratio(coverage) >= min * (1 - 1e-12);
}

void
coverage_report_write(
	const struct coverage *coverage, const struct coverage_report *options, struct buf *out)
{
	put_parts(coverage, options, out);
	put_entries(coverage, out);
	put_functions(coverage, options->top, out);
	if (!(options->min > 0))
		return;
	const bool passes = coverage_report_passes(coverage, options->min);

	buf_puts(out, passes ? "\nPASS  coverage " : "\nFAIL  coverage ");
	format_percent(out, coverage_ratio(coverage));
	buf_puts(out, passes ? ", minimum " : ", below the minimum of ");
	format_setting(out, options->min);
	buf_putc(out, '\n');
}
