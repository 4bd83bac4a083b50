/*
 * OpenMetrics text (github.com/OpenObservability/OpenMetrics, 1.0), for what scrapes or pushes to
 * Prometheus: gauges of the cost of each workload and function, of the change, and of the verdict.
 */
#include "output/export.h"
#include "output/openmetrics.h"

#include <math.h>
#include <string.h>

#define NS_PER_S 1e9

static void
put_labels(struct buf *out, const struct export_value *value)
{
	buf_putc(out, '{');
	openmetrics_put_label(out, "workload", value->workload);
	if (value->function) {
		buf_putc(out, ',');
		openmetrics_put_label(out, "function", value->function);
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
		openmetrics_put_label(out, "metric", value->metric);
		buf_putc(out, ',');
		openmetrics_put_label(out, "unit", is_time ? "seconds" : value->unit);
		buf_putc(out, ',');
		openmetrics_put_label(out, "per", value->basis);
		openmetrics_put_sample(out, is_time ? value->mean / NS_PER_S : value->mean);
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
		openmetrics_put_sample(out, values->values[i].change);
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
			openmetrics_put_label(out, "workload", view->workloads[i].name);
			buf_putc(out, ',');
			openmetrics_put_label(out, "profile_run_verdict", status_name(status));
			openmetrics_put_sample(out, view->workloads[i].status == status);
		}
	}
}

static void
write_openmetrics(const struct report_view *view, struct buf *out)
{
	struct export_values values;

	export_values_init(&values, view);
	put_costs(&values, out);
	put_changes(&values, out);
	put_verdicts(view, out);
	buf_puts(out, "# EOF\n");
	export_values_release(&values);
}

const struct report_output export_openmetrics = {
	.name = "openmetrics",
	.summary = "OpenMetrics text, for Prometheus",
	.write = write_openmetrics,
};
