/*
 * The JSON of services that keep the numbers of benchmarks over time: github-action-benchmark
 * (customSmallerIsBetter: a list of {name, unit, value, range}) and Bencher (Bencher Metric Format:
 * benchmark -> measured_json -> {value, lower_value, upper_value}, a measured_json with its unit,
 * such as "cpu (ns per run)"). Ranges are one standard deviation.
 */
#include "output/output.h"

#include "output/export_values.h"
#include "output/json_add.h"

#include <cjson/cJSON.h>
#include <math.h>

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

	export_values_init(&values, view);
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
	export_values_release(&values);
}

static void
write_bencher(const struct report_view *view, struct buf *out)
{
	struct export_values values;
	struct buf name = {0};
	struct buf measured = {0};
	cJSON *root = cJSON_CreateObject();

	export_values_init(&values, view);
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
	export_values_release(&values);
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
