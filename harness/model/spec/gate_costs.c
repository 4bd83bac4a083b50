/*
 * The costs among the settings of a gate, min_cost and max_cost: each is in the unit of its metric,
 * is refused in another one, and is dropped where the settings are taken over for a metric with
 * another unit.
 */
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/units.h"

#include <math.h>
#include <string.h>

/* How people write a cost, for messages; by enum metric_kind. */
static const char *const examples[] = {
	[METRIC_TIME] = "a time such as 2ms",
	[METRIC_COUNT] = "a count such as 250k",
	[METRIC_BYTES] = "bytes such as 64KiB",
};

/* The unit of costs; by enum metric_kind. */
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

/* Refuses a cost that is in another unit than that of the metric `wanted`. */
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
	/* The recursion is as deep as yaml.h lets a file nest. */
	for (const struct yaml_node *at = gate->first; at; at = at->next) {
		const char *key = at->key ? at->key->text : "";
		const char *inside = strcmp(key, "counted") == 0 ? "instructions"
				     : metric_find(key)          ? key
								 : metric;
		int result = at->kind == YAML_SCALAR ? check_scalar(reader, at, metric, wanted)
						     : cost_check_units(reader, at, inside);

		if (result < 0)
			return -1;
	}
	return 0;
}

static void
overlay_drop_costs(struct gate_overlay *overlay)
{
	for (size_t i = 0; gate_fields[i].name; i++) {
		if (gate_fields[i].type == KEY_COST)
			overlay->set &= ~(UINT64_C(1) << i);
	}
}

void
branches_drop_costs(struct arena *arena, struct gate_overlays *overlays)
{
	struct gate_overlay *branches =
		arena_alloc(arena, (overlays->nbranches + 1) * sizeof(*branches));

	for (size_t i = 0; i < overlays->nbranches; i++) {
		branches[i] = overlays->branches[i];
		overlay_drop_costs(&branches[i]);
	}
	overlays->branches = branches;
}

void
gate_drop_costs(struct arena *arena, struct gate_policy *gate, struct gate_overlays *overlays)
{
	struct gate_rule_spec *rules = arena_alloc(arena, (gate->nrules + 1) * sizeof(*rules));

	for (size_t i = 0; i < gate->nrules; i++) {
		rules[i] = gate->rules[i];
		if (!rules[i].metric)
			rules[i].max_cost = NAN;
	}
	branches_drop_costs(arena, overlays);
	overlay_drop_costs(&overlays->stored);
	overlay_drop_costs(&overlays->paired);
	gate->min_cost = 0;
	gate->rules = rules;
}

/* Applies an overlay to another one: what the first sets, the second sets then, too. */
static void
merge_overlay(const struct gate_overlay *overlay, struct gate_overlay *over)
{
	gate_overlay_apply(overlay, &over->values);
	over->set |= overlay->set;
}

void
gate_begin_metric(struct arena *arena, struct gate_section *section, const char *from,
	const char *metric, const char *event)
{
	struct gate_overlays *overlays = &section->overlays;

	if (!cost_same_unit(metric, from))
		gate_drop_costs(arena, &section->gate, overlays);
	if (!metric_is_counted_by(metric, event))
		return;
	/* A file has no second size, and a new function is growth of the whole. */
	if (metric_find(metric)->of_files) {
		section->gate.confirm = false;
		section->gate.new_functions = POLICY_PASS;
	}
	if (!cost_same_unit(metric, from))
		section->gate.min_cost = metric_find(metric)->min_cost;
	if (!cost_same_unit(metric, METRIC_INSTRUCTIONS))
		overlay_drop_costs(&overlays->counted);
	gate_overlay_apply(&overlays->counted, &section->gate);
	merge_overlay(&overlays->counted, &overlays->stored);
	merge_overlay(&overlays->counted, &overlays->paired);
	overlays->counted.set = 0;
}
