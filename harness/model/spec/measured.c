#include "spec/measured.h"

#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/suggest.h"
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

int
measure_refuse_metric(
	const struct key_reader *reader, const struct yaml_node *node, const char *name)
{
	const char *names[MEASURE_METRICS_MAX];
	const char *known = "";
	size_t count = 0;

	for (; metrics[count].name; count++) {
		names[count] = metrics[count].name;
		known = arena_printf(
			reader->arena, "%s%s%s", known, count > 0 ? ", " : "", names[count]);
	}
	const char *nearest = suggest_nearest(name, names, count);

	if (nearest)
		keys_refuse(
			reader, node, "there is no metric '%s'; did you mean '%s'?", name, nearest);
	else
		keys_refuse(reader, node, "there is no metric '%s'", name);
	return err_note(reader->err, "known: %s", known);
}

static int
read_metric(const struct key_reader *reader, const struct yaml_node *node, const char **measured,
	size_t count)
{
	const char *name = keys_text(reader, node, "the name of a metric, such as cpu");

	if (!name)
		return -1;
	if (!metric_find(name))
		return measure_refuse_metric(reader, node, name);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(measured[i], name) == 0)
			return keys_refuse(reader, node, "'%s' is in the list twice", name);
	}
	measured[count] = name;
	return 0;
}

int
measure_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const char *const **list = into;
	size_t count = 0;

	if (node->kind != YAML_SEQUENCE || !node->first)
		return keys_refuse(reader, node,
			"'measure' must be a list of metrics, such as [cpu, alloc]; %s",
			keys_found(reader, node));
	const char **measured =
		arena_alloc(reader->arena, (yaml_count(node) + 1) * sizeof(*measured));

	for (const struct yaml_node *at = node->first; at; at = at->next) {
		if (read_metric(reader, at, measured, count++) < 0)
			return -1;
	}
	measured[count] = NULL;
	*list = measured;
	return 0;
}

const char *
measure_metric(const struct yaml_file *file, size_t index)
{
	const struct yaml_node *list = keys_find(file->root, "measure");
	const struct yaml_node *at = list && list->kind == YAML_SEQUENCE ? list->first : NULL;

	while (at && index-- > 0)
		at = at->next;
	return at && at->kind == YAML_SCALAR ? at->text : NULL;
}

/* Among the keys of `gate`, those that say how much a cost may grow. */
static bool
is_threshold(const char *key)
{
	static const char *const keys[] = {"total", "functions", "rules", "counters", "leaks",
		"peak", "latency", "paired", "stored", "counted"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i], key) == 0)
			return true;
	}
	return false;
}

/* The part of a workload's gate that is wanted. */
struct part {
	const char *metric; /* NULL: of no metric in particular */
	bool is_further;
};

static bool
is_of_gate(const struct part *part, const char *key)
{
	return !metric_find(key) && !(part->is_further && is_threshold(key));
}

static bool
is_of_per_op(const struct part *part, const char *key)
{
	return metric_find(key) ? strcmp(key, part->metric) == 0 : !part->is_further;
}

/* A copy of a mapping with some of its entries. */
static struct yaml_node *
keep_entries(const struct yaml_node *mapping, const struct part *part,
	bool (*is_kept)(const struct part *part, const char *key), struct arena *arena)
{
	struct yaml_node *kept = arena_alloc(arena, sizeof(*kept));
	struct yaml_node **end = &kept->first;

	*kept = *mapping;
	for (const struct yaml_node *at = mapping->first; at; at = at->next) {
		if (!is_kept(part, at->key->text))
			continue;
		struct yaml_node *copy = arena_alloc(arena, sizeof(*copy));

		*copy = *at;
		*end = copy;
		end = &copy->next;
	}
	*end = NULL;
	return kept;
}

const struct yaml_node *
measure_common_gate(
	const struct yaml_node *gate, const char *metric, bool is_further, struct arena *arena)
{
	const struct part part = {.metric = metric, .is_further = is_further};

	if (!gate || gate->kind != YAML_MAPPING)
		return gate;
	struct yaml_node *common = keep_entries(gate, &part, is_of_gate, arena);

	for (struct yaml_node *at = common->first; metric && at; at = at->next) {
		if (strcmp(at->key->text, "per_op") != 0 || at->kind != YAML_MAPPING)
			continue;
		struct yaml_node *next = at->next;

		*at = *keep_entries(at, &part, is_of_per_op, arena);
		at->next = next;
	}
	return common;
}

const struct yaml_node *
measure_gate_of(const struct yaml_node *gate, const char *metric)
{
	return metric_find(metric) ? keys_find(gate, metric) : NULL;
}

static int
check_entries(const struct key_reader *reader, const struct yaml_node *mapping,
	const char *const *measured)
{
	for (const struct yaml_node *at = mapping ? mapping->first : NULL; at; at = at->next) {
		size_t i = 0;

		if (!at->key || !metric_find(at->key->text))
			continue;
		while (measured[i] && strcmp(measured[i], at->key->text) != 0)
			i++;
		if (!measured[i])
			return keys_refuse(reader, at->key,
				"'%s' is not measured: add it to 'measure', as in measure: [%s, %s]",
				at->key->text, measured[0], at->key->text);
	}
	return 0;
}

int
measure_check_gate(
	const struct key_reader *reader, const struct yaml_node *gate, const char *const *measured)
{
	return check_entries(reader, gate, measured) < 0
		       ? -1
		       : check_entries(reader, keys_find(gate, "per_op"), measured);
}
