#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/units.h"

#include <string.h>

/* A cost in a unit of people, for messages. */
static const char *const examples[] = {
	[METRIC_TIME] = "a time such as 2ms",
	[METRIC_COUNT] = "a count such as 250k",
	[METRIC_BYTES] = "bytes such as 64KiB",
};

static const enum cost_unit units[] = {
	[METRIC_TIME] = COST_TIME,
	[METRIC_COUNT] = COST_COUNT,
	[METRIC_BYTES] = COST_BYTES,
};

bool
cost_same_unit(const char *metric, const char *other)
{
	const struct metric *a = metric_find(metric);
	const struct metric *b = metric_find(other);

	return strcmp(metric, other) == 0 || (a && b && strcmp(a->unit, b->unit) == 0);
}

static int
check_scalar(const struct key_reader *reader, const struct yaml_node *node, const char *metric,
	const struct metric *wanted)
{
	const char *name = node->key ? node->key->text : "";
	const char *problem;
	enum cost_unit unit;
	double cost;

	if (strcmp(name, "min_cost") != 0 && strcmp(name, "max_cost") != 0)
		return 0;
	if (units_cost(node->text, &cost, &unit, &problem) < 0 || unit == COST_NONE ||
		unit == units[wanted->kind])
		return 0;
	return keys_refuse(reader, node, "'%s' of the metric '%s' must be %s; %s", name, metric,
		examples[wanted->kind], keys_found(reader, node));
}

int
cost_check_units(const struct key_reader *reader, const struct yaml_node *gate, const char *metric)
{
	const struct metric *wanted = metric_find(metric);

	if (!gate || !wanted)
		return 0;
	/* As deep as yaml.h lets a file nest. */
	for (const struct yaml_node *at = gate->first; at; at = at->next) {
		const char *key = at->key ? at->key->text : "";
		const char *of = strcmp(key, "counted") == 0 ? "instructions"
				 : metric_find(key)          ? key
							     : metric;
		int result = at->kind == YAML_SCALAR ? check_scalar(reader, at, metric, wanted)
						     : cost_check_units(reader, at, of);

		if (result < 0)
			return -1;
	}
	return 0;
}
