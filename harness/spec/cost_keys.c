#include "spec/sections_internal.h"
#include "spec/units.h"

#include <string.h>

static const struct metric_unit {
	const char *metric;
	enum cost_unit unit;
	const char *example;
} metric_units[] = {
	{"cpu", COST_TIME, "a time such as 2ms"},
	{"wall", COST_TIME, "a time such as 2ms"},
	{"offcpu", COST_TIME, "a time such as 2ms"},
	{"instructions", COST_COUNT, "a count such as 250k"},
	{"alloc", COST_BYTES, "bytes such as 64KiB"},
	{NULL, COST_NONE, NULL},
};

/* NULL for a metric that is not known here. */
static const struct metric_unit *
unit_of(const char *metric)
{
	for (const struct metric_unit *at = metric_units; at->metric; at++) {
		if (strcmp(at->metric, metric) == 0)
			return at;
	}
	return NULL;
}

bool
cost_same_unit(const char *metric, const char *other)
{
	const struct metric_unit *a = unit_of(metric);
	const struct metric_unit *b = unit_of(other);

	return strcmp(metric, other) == 0 || (a && b && a->unit == b->unit);
}

static int
check_scalar(const struct key_reader *reader, const struct yaml_node *node, const char *metric,
	const struct metric_unit *wanted)
{
	const char *name = node->key ? node->key->text : "";
	const char *problem;
	enum cost_unit unit;
	double cost;

	if (strcmp(name, "min_cost") != 0 && strcmp(name, "max_cost") != 0)
		return 0;
	if (units_cost(node->text, &cost, &unit, &problem) < 0 || unit == COST_NONE ||
		unit == wanted->unit)
		return 0;
	return keys_refuse(reader, node, "'%s' of the metric '%s' must be %s; %s", name, metric,
		wanted->example, keys_found(reader, node));
}

int
cost_check_units(const struct key_reader *reader, const struct yaml_node *gate, const char *metric)
{
	const struct metric_unit *wanted = unit_of(metric);

	if (!gate || !wanted)
		return 0;
	/* As deep as yaml.h lets a file nest. */
	for (const struct yaml_node *at = gate->first; at; at = at->next) {
		bool counted = at->key && strcmp(at->key->text, "counted") == 0;
		const char *of = counted ? "instructions" : metric;
		int result = at->kind == YAML_SCALAR ? check_scalar(reader, at, metric, wanted)
						     : cost_check_units(reader, at, of);

		if (result < 0)
			return -1;
	}
	return 0;
}
