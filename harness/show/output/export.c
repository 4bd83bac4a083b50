/*
 * The formats of other tools by their names, the values that they write, and all but SARIF and the
 * comment: OpenMetrics text, the JSON of services that keep benchmarks over time, and the picture.
 */
#include "output/output.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/text_map.h"
#include "flamegraph/flamegraph.h"
#include "output/json_add.h"
#include "output/trend_report.h"
#include "profile/counters.h"
#include "profile/weights.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT 100
#define NS_PER_S 1e9

/* The cost of a workload, or of one function of it, in this report. */
struct export_value {
	const char *workload;
	char *function;     /* by itself; NULL: the whole workload */
	const char *metric; /* "cpu" */
	const char *unit;   /* "ns" */
	const char *basis;  /* what `mean` is the cost of: "run", "execution" */
	double mean;
	double sd; /* from run to run */
	size_t runs;
	double change; /* of the cost before; NAN: nothing was compared */
	enum status status;
};

struct export_values {
	struct export_value *values;
	size_t count;
	size_t capacity;
};

/* For the runs of this gate. */
static void
take_costs(const struct rows *rows, frame_id frame, struct export_value *value)
{
	double sum = 0;
	double squares = 0;

	value->runs = rows->nafter;
	for (size_t i = 0; i < rows->nafter; i++)
		sum += rows_run_cost(rows, frame, QUANTITY_SELF, rows->nbefore + i);
	value->mean = sum / (double)rows->nafter;
	for (size_t i = 0; i < rows->nafter; i++) {
		double off =
			rows_run_cost(rows, frame, QUANTITY_SELF, rows->nbefore + i) - value->mean;

		squares += off * off;
	}
	value->sd = rows->nafter > 1 ? sqrt(squares / (double)(rows->nafter - 1)) : NAN;
}

static struct export_value *
add_value(struct export_values *values, const struct workload_view *workload)
{
	const struct profile *profile = workload->rows.profile;

	values->values = mem_grow(
		values->values, &values->capacity, values->count + 1, sizeof(*values->values));
	struct export_value *value = &values->values[values->count++];

	*value = (struct export_value){
		.workload = workload->name,
		.metric = profile->metric ? strtab_str(&profile->strings, profile->metric)
					  : weights_noun(profile),
		.unit = weights_cost_unit(profile),
		.basis = executions_basis(profile),
		.change = NAN,
		.status = workload->status,
	};
	return value;
}

/*
 * The name as it may be written; "NAME (2)" and so on where another function of the workload became
 * the same. free() it.
 */
static char *
unique_name(struct text_map *names, const char *name)
{
	struct buf safe = {0};

	escape_utf8(&safe, name, strlen(name));
	const size_t len = safe.len;
	struct text_entry *taken = text_map_find(names, buf_text(&safe), len);

	if (taken) {
		do {
			safe.len = len;
			buf_printf(&safe, " (%u)", ++taken->value);
		} while (text_map_find(names, buf_text(&safe), safe.len));
	}
	text_map_add(names, buf_text(&safe), safe.len, 1);
	char *unique = mem_dup(buf_text(&safe), safe.len);

	buf_release(&safe);
	return unique;
}

/* A tested function has its test's numbers, which may rest on some of the runs. */
static void
take_effect(struct export_value *value, const struct effect *effect)
{
	if (!effect->tested)
		return;
	value->change = effect->change;
	if (isfinite(effect->after_cost))
		value->mean = effect->after_cost;
}

static void
add_functions(struct export_values *values, const struct workload_view *workload)
{
	const struct rows *rows = &workload->rows;
	struct text_map names = {0};

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct row *row = &rows->rows[i];

		if (!row->is_judged)
			continue;
		struct export_value *value = add_value(values, workload);

		take_costs(rows, row->frame, value);
		value->function = unique_name(&names, row->name);
		value->status = row->status;
		take_effect(value, row->self);
	}
	text_map_release(&names);
}

static void
add_workload(struct export_values *values, const struct workload_view *workload)
{
	const struct rows *rows = &workload->rows;

	if (rows->nafter == 0)
		return;
	struct export_value *whole = add_value(values, workload);

	take_costs(rows, 0, whole);
	if (workload->whole)
		take_effect(whole, workload->whole);
	add_functions(values, workload);
}

/*
 * All workloads that were measured, and their functions that were judged; borrows from the view.
 * The names of functions are valid UTF-8 without control characters, and no two of a workload are
 * the same: readers of JSON keys and of series of metrics take one of several or refuse the file.
 */
static void
values_init(struct export_values *values, const struct report_view *view)
{
	*values = (struct export_values){0};
	for (size_t i = 0; i < view->nworkloads; i++)
		add_workload(values, &view->workloads[i]);
}

static void
values_release(struct export_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		free(values->values[i].function);
	free(values->values);
	*values = (struct export_values){0};
}

/*
 * OpenMetrics text (github.com/OpenObservability/OpenMetrics, 1.0), for what scrapes or pushes to
 * Prometheus. Of a report: gauges of the cost of each workload and function, of the change, and of
 * the verdict. Of a watch: shares in the last window, alerts, and how the watch itself fares.
 */

static void
put_label(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s=\"", name);
	escape_quoted(out, value, strlen(value));
	buf_putc(out, '"');
}

static void
put_sample(struct buf *out, double value)
{
	buf_puts(out, "} ");
	buf_put_short(out, value);
	buf_putc(out, '\n');
}

static void
put_of_series(struct buf *out, const char *name, const struct trend_series *series, double value)
{
	buf_printf(out, "%s{", name);
	put_label(out, "program", series->workload);
	if (series->function[0]) {
		buf_putc(out, ',');
		put_label(out, "function", series->function);
	}
	put_sample(out, value);
}

static void
put_shares(const struct trend *trend, int64_t started, struct buf *out)
{
	buf_puts(out,
		"# TYPE profile_run_share_ratio gauge\n"
		"# UNIT profile_run_share_ratio ratio\n"
		"# HELP profile_run_share_ratio CPU time in the last window: of a program, of all; of a "
		"function, of its program.\n");
	for (size_t i = 0; i < trend->nseries; i++) {
		const struct trend_series *series = &trend->series[i];
		const struct history_entry *last = series->nights[series->nnights - 1].entry;

		if (last->started == started)
			put_of_series(out, "profile_run_share_ratio", series, last->cost / PERCENT);
	}
}

static void
put_alerts(const struct trend *trend, int64_t from, struct buf *out)
{
	buf_puts(out, "# TYPE profile_run_alert_ratio gauge\n"
		      "# UNIT profile_run_alert_ratio ratio\n"
		      "# HELP profile_run_alert_ratio Growth of a share, of the share before.\n");
	for (size_t i = 0; i < trend->nchanges; i++) {
		const struct trend_change *change = &trend->changes[i];

		if (trend_is_worse(change, from))
			put_of_series(out, "profile_run_alert_ratio", change->series,
				change->point->change);
	}
}

static void
put_gauge(struct buf *out, const char *name, const char *unit, const char *help, double value)
{
	buf_printf(out, "# TYPE profile_run_%s gauge\n", name);
	if (unit)
		buf_printf(out, "# UNIT profile_run_%s %s\n", name, unit);
	buf_printf(out, "# HELP profile_run_%s %s\nprofile_run_%s ", name, help, name);
	buf_put_number(out, value);
	buf_putc(out, '\n');
}

void
openmetrics_put_watch(const struct trend *trend, const struct watch_state *state, struct buf *out)
{
	put_shares(trend, state->started, out);
	put_alerts(trend, state->alert_from, out);
	put_gauge(out, "windows", NULL, "Windows that are kept.", (double)state->windows);
	put_gauge(out, "window_start_seconds", "seconds", "Start of the last window, Unix time.",
		(double)state->started);
	put_gauge(out, "own_cpu_ratio", "ratio",
		"CPU time of profile_run itself, of all CPUs, since it was started.",
		state->own_ratio);
	put_gauge(out, "push_failures", NULL, "Windows that could not be pushed.",
		(double)state->push_failures);
	buf_puts(out, "# EOF\n");
}

static void
put_labels(struct buf *out, const struct export_value *value)
{
	buf_putc(out, '{');
	put_label(out, "workload", value->workload);
	if (value->function) {
		buf_putc(out, ',');
		put_label(out, "function", value->function);
	}
}

static void
put_costs(const struct export_values *values, struct buf *out)
{
	buf_puts(out,
		"# TYPE profile_run_cost gauge\n"
		"# HELP profile_run_cost Mean of a run or of an execution, as its label per says, "
		"in seconds where it is time.\n");
	for (size_t i = 0; i < values->count; i++) {
		const struct export_value *value = &values->values[i];
		bool is_time = strcmp(value->unit, "ns") == 0;

		if (!isfinite(value->mean))
			continue;
		buf_puts(out, "profile_run_cost");
		put_labels(out, value);
		buf_putc(out, ',');
		put_label(out, "metric", value->metric);
		buf_putc(out, ',');
		put_label(out, "unit", is_time ? "seconds" : value->unit);
		buf_putc(out, ',');
		put_label(out, "per", value->basis);
		put_sample(out, is_time ? value->mean / NS_PER_S : value->mean);
	}
}

static void
put_changes(const struct export_values *values, struct buf *out)
{
	buf_puts(out, "# TYPE profile_run_change_ratio gauge\n"
		      "# UNIT profile_run_change_ratio ratio\n"
		      "# HELP profile_run_change_ratio Change of the cost, of the cost before.\n");
	for (size_t i = 0; i < values->count; i++) {
		if (!isfinite(values->values[i].change))
			continue;
		buf_puts(out, "profile_run_change_ratio");
		put_labels(out, &values->values[i]);
		put_sample(out, values->values[i].change);
	}
}

static void
put_verdicts(const struct report_view *view, struct buf *out)
{
	buf_puts(out, "# TYPE profile_run_verdict stateset\n"
		      "# HELP profile_run_verdict Of each workload.\n");
	for (size_t i = 0; i < view->nworkloads; i++) {
		for (enum status status = STATUS_PASS; status <= STATUS_SKIPPED; status++) {
			buf_puts(out, "profile_run_verdict{");
			put_label(out, "workload", view->workloads[i].name);
			buf_putc(out, ',');
			put_label(out, "profile_run_verdict", status_name(status));
			put_sample(out, view->workloads[i].status == status);
		}
	}
}

static void
write_openmetrics(const struct report_view *view, struct buf *out)
{
	struct export_values values;

	values_init(&values, view);
	put_costs(&values, out);
	put_changes(&values, out);
	put_verdicts(view, out);
	buf_puts(out, "# EOF\n");
	values_release(&values);
}

const struct report_output export_openmetrics = {
	.name = "openmetrics",
	.summary = "OpenMetrics text, for Prometheus",
	.write = write_openmetrics,
};

/*
 * The JSON of services that keep the numbers of benchmarks over time: github-action-benchmark
 * (customSmallerIsBetter: a list of {name, unit, value, range}) and Bencher (Bencher Metric Format:
 * benchmark -> measured_json -> {value, lower_value, upper_value}, a measured_json with its unit,
 * such as "cpu (ns per run)"). Ranges are one standard deviation.
 */

/* "parse" or "parse: read_token": the same in every report. */
static void
put_name(const struct export_value *value, struct buf *out)
{
	buf_clear(out);
	buf_puts(out, value->workload);
	if (value->function)
		buf_printf(out, ": %s", value->function);
}

static void
write_benchmark_action(const struct report_view *view, struct buf *out)
{
	struct export_values values;
	struct buf text = {0};
	cJSON *list = cJSON_CreateArray();

	values_init(&values, view);
	for (size_t i = 0; i < values.count; i++) {
		const struct export_value *value = &values.values[i];
		cJSON *item = json_add_item(list);

		put_name(value, &text);
		json_add_string(item, "name", buf_text(&text));
		buf_clear(&text);
		buf_printf(&text, "%s per %s", value->unit, value->basis);
		json_add_string(item, "unit", buf_text(&text));
		json_add_number(item, "value", value->mean);
		buf_clear(&text);
		buf_put_short(&text, value->sd);
		if (isfinite(value->sd))
			json_add_string(item, "range", buf_text(&text));
	}
	json_finish(list, out);
	buf_release(&text);
	values_release(&values);
}

static void
write_bencher(const struct report_view *view, struct buf *out)
{
	struct export_values values;
	struct buf name = {0};
	struct buf measured = {0};
	cJSON *root = cJSON_CreateObject();

	values_init(&values, view);
	for (size_t i = 0; i < values.count; i++) {
		const struct export_value *value = &values.values[i];

		put_name(value, &name);
		cJSON *benchmark = json_add_object(root, buf_text(&name), true);

		buf_clear(&measured);
		buf_printf(&measured, "%s (%s per %s)", value->metric, value->unit, value->basis);
		cJSON *measured_json = json_add_object(benchmark, buf_text(&measured), true);

		json_add_number(measured_json, "value", value->mean);
		if (isfinite(value->sd)) {
			json_add_number(measured_json, "lower_value", value->mean - value->sd);
			json_add_number(measured_json, "upper_value", value->mean + value->sd);
		}
	}
	json_finish(root, out);
	buf_release(&measured);
	buf_release(&name);
	values_release(&values);
}

const struct report_output export_benchmark_action = {
	.name = "github-action-benchmark",
	.summary = "JSON for github-action-benchmark, tool customSmallerIsBetter",
	.write = write_benchmark_action,
};

const struct report_output export_bencher = {
	.name = "bencher",
	.summary = "Bencher Metric Format",
	.write = write_bencher,
};

/* The first of those with the severest verdict that were compared; NULL: none was. */
static const struct workload_view *
severest(const struct report_view *view)
{
	const struct workload_view *found = NULL;

	for (size_t i = 0; i < view->nworkloads; i++) {
		const struct workload_view *workload = &view->workloads[i];

		if (workload->judgement->compared &&
			(!found ||
				report_severity(workload->status) > report_severity(found->status)))
			found = workload;
	}
	return found;
}

/* The changes in the workload with the severest verdict. */
static void
write_picture(const struct report_view *view, struct buf *out)
{
	const struct workload_view *workload = severest(view);

	if (!workload)
		return;
	bool *judged = rows_judged(&workload->rows);
	const struct flamegraph_options options = {.judged = judged, .still = true};

	flamegraph_write_diff(&workload->judgement->comparison, &options, out);
	free(judged);
}

const struct report_output export_picture = {
	.name = "picture",
	.summary = "a still picture of what changed in the workload with the severest verdict",
	.write = write_picture,
};

/* clang-format off */
const struct report_output *const export_formats[] = {
	&export_benchmark_action,
	&export_bencher,
	&export_openmetrics,
	&export_sarif,
	&export_comment,
	&export_picture,
	NULL,
};
/* clang-format on */

const struct report_output *
export_format_find(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++) {
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
	}
	return NULL;
}
