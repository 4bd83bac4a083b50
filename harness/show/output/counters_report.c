#include "output/counters_report.h"

#include "format/figures.h"
#include "format/table.h"
#include "output/json_add.h"
#include "profile/counters.h"

#include <math.h>

/* A run in which the hardware counters ran for less of the time is mostly an estimate. */
#define RUNNING_GOOD 0.9

/* Lines shown ahead of the counters; they are of no use to judge by. */
static const struct counter_kind wall_time = {
	.name = "wall_time", .unit = "ns", .help = "elapsed time"};

/* For the runs that have it. */
struct spread {
	size_t count;
	double mean;
	double sd; /* NAN of less than two */
	double least;
	double most;
};

/* `id` NCOUNTERS: wall time. */
static double
value_of(const struct run *run, int id)
{
	return id < NCOUNTERS ? counter_value(run, (enum counter_id)id) : (double)run->wall_ns;
}

static struct spread
spread_of(const struct profile *profile, int id)
{
	struct spread spread = {.sd = NAN, .mean = 0, .least = INFINITY, .most = -INFINITY};
	double squares = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		double value = value_of(&profile->runs[i], id);

		if (isnan(value))
			continue;
		double off = value - spread.mean;

		spread.count++;
		spread.mean += off / (double)spread.count;
		squares += off * (value - spread.mean);
		spread.least = fmin(spread.least, value);
		spread.most = fmax(spread.most, value);
	}
	if (spread.count > 1)
		spread.sd = sqrt(squares / (double)(spread.count - 1));
	return spread;
}

static const struct counter_kind *
kind_of(int id)
{
	return id < NCOUNTERS ? &counter_kinds[id] : &wall_time;
}

static void
put_value(struct table *table, const struct counter_kind *kind, double value)
{
	counter_put(table_cell(table), kind, value);
	table_end_cell(table);
}

static void
put_row(struct table *table, const struct profile *profile, int id)
{
	const struct counter_kind *kind = kind_of(id);
	const struct spread spread = spread_of(profile, id);

	if (spread.count == 0)
		return;
	table_put(table, kind->name);
	put_value(table, kind, spread.mean);
	if (profile->nruns == 1) {
		table_put(table, kind->help);
		return;
	}
	format_percent(table_cell(table), spread.mean > 0 ? spread.sd / spread.mean : 0);
	table_end_cell(table);
	put_value(table, kind, spread.least);
	put_value(table, kind, spread.most);
}

/* The names of those that no run has, of the hardware's or of the others. */
static void
put_missing(const struct profile *profile, bool hardware, const char *reason, struct buf *out)
{
	size_t count = 0;

	for (int id = 0; id < NCOUNTERS; id++) {
		const struct counter_kind *kind = &counter_kinds[id];

		if (kind->needs_pmu != hardware || kind->shown_only || kind->of_metric ||
			spread_of(profile, id).count > 0)
			continue;
		buf_printf(out, "%s%s", count++ > 0 ? ", " : "  not counted: ", kind->name);
	}
	if (count > 0)
		buf_printf(out, ": %s\n", reason);
}

void
counters_put_text(const struct profile *profile, const char *command, struct buf *out)
{
	static const struct table_column one[] = {
		{"counter", false, 0}, {"value", true, 0}, {"", false, 0}};
	static const struct table_column several[] = {{"counter", false, 0}, {"mean", true, 0},
		{"SD", true, 0}, {"least", true, 0}, {"most", true, 0}};
	const bool single = profile->nruns == 1;
	const struct spread running = spread_of(profile, COUNTER_PMU_RUNNING);
	struct table table;

	format_plural(out, profile->nruns, "run", "runs");
	buf_printf(out, " of %s\n\n", command);
	table_init(&table, single ? one : several, single ? 3 : 5);
	put_row(&table, profile, NCOUNTERS);
	for (int id = 0; id < NCOUNTERS; id++)
		put_row(&table, profile, id);
	table_write(&table, 2, out);
	table_release(&table);
	buf_putc(out, '\n');
	put_missing(profile, true,
		running.count > 0 ? "this machine does not offer them"
				  : "this machine offers no hardware counters",
		out);
	put_missing(profile, false, "this kernel does not offer them", out);
	if (running.count > 0 && running.least < RUNNING_GOOD) {
		buf_puts(out, "  the hardware counters were running for ");
		format_percent(out, running.least);
		buf_puts(out, " of the time; the rest is estimated\n");
	}
}

void
counters_put_json(const struct profile *profile, const char *command, struct buf *out)
{
	cJSON *root = cJSON_CreateObject();

	json_add_string(root, "command", command);
	json_add_number(root, "runs", (double)profile->nruns);
	cJSON *counters = cJSON_AddObjectToObject(root, "counters");

	for (int id = 0; id <= NCOUNTERS; id++) {
		const struct counter_kind *kind = kind_of(id);
		const struct spread spread = spread_of(profile, id);
		cJSON *to = json_add_object(counters, kind->name, spread.count > 0);

		if (!to)
			continue;
		json_add_string(to, "unit", kind->unit);
		json_add_number(to, "mean", spread.mean);
		json_add_number(to, "sd", spread.sd);
		json_add_number(to, "least", spread.least);
		json_add_number(to, "most", spread.most);
		json_add_number(to, "runs", (double)spread.count);
	}
	json_finish(root, out);
}
