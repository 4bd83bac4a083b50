/*
 * The sections of `gate` for single metrics. The thresholds directly in `gate` are those of a
 * workload's first metric; each further metric is judged by the section gate.METRIC.
 */
#include "profile/metric.h"
#include "spec/sections_internal.h"

#include <string.h>

/* Whether a key of `gate` says how much a cost may grow. */
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

/* The metric that entries of a gate are selected for. */
struct selection {
	const char *metric; /* NULL: none in particular */
	bool is_further;    /* not the first metric of the workload */
};

/* The key of rules that are for this metric only; NULL: there is none. */
static const char *
rule_key_of(const struct selection *selection)
{
	const struct metric *metric = selection->metric ? metric_find(selection->metric) : NULL;

	return metric ? metric->rule_key : NULL;
}

/* Whether an entry of `gate` is for the metric. */
static bool
is_gate_entry(const struct selection *selection, const char *key)
{
	if (selection->is_further && strcmp(key, "rules") == 0)
		return rule_key_of(selection) != NULL;
	return !metric_find(key) && !(selection->is_further && is_threshold(key));
}

/* Whether an entry of `per_op` is for the metric. */
static bool
is_per_op_entry(const struct selection *selection, const char *key)
{
	return metric_find(key) ? strcmp(key, selection->metric) == 0 : !selection->is_further;
}

/* A copy of a mapping with the entries that are kept. The arena's. */
static struct yaml_node *
keep_entries(const struct yaml_node *mapping, const struct selection *selection,
	bool (*is_kept)(const struct selection *selection, const char *key), struct arena *arena)
{
	struct yaml_node *kept = arena_alloc(arena, sizeof(*kept));
	struct yaml_node **end = &kept->first;

	*kept = *mapping;
	for (const struct yaml_node *at = mapping->first; at; at = at->next) {
		if (!is_kept(selection, at->key->text))
			continue;
		struct yaml_node *copy = arena_alloc(arena, sizeof(*copy));

		*copy = *at;
		*end = copy;
		end = &copy->next;
	}
	*end = NULL;
	return kept;
}

/* Leaves in a copied list the rules that have this key. */
static void
keep_rules(struct yaml_node *rules, const char *key, struct arena *arena)
{
	const struct yaml_node *first = rules->first;
	struct yaml_node **end = &rules->first;

	for (const struct yaml_node *at = first; at; at = at->next) {
		if (!keys_find(at, key))
			continue;
		*end = arena_alloc(arena, sizeof(**end));
		**end = *at;
		end = &(*end)->next;
	}
	*end = NULL;
}

/*
 * The mapping `gate` without the sections of metrics. For a further metric of a workload it is also
 * without the thresholds, which are those of the first metric, but for rules that only this one can
 * have. In `per_op`, an entry that is named after a metric is kept for that metric only, or where
 * `metric` is NULL. The arena's.
 */
static const struct yaml_node *
gate_common(const struct yaml_node *gate, const char *metric, bool is_further, struct arena *arena)
{
	const struct selection selection = {.metric = metric, .is_further = is_further};

	if (!gate || gate->kind != YAML_MAPPING)
		return gate;
	struct yaml_node *common = keep_entries(gate, &selection, is_gate_entry, arena);

	for (struct yaml_node *at = common->first; metric && at; at = at->next) {
		if (is_further && strcmp(at->key->text, "rules") == 0)
			keep_rules(at, rule_key_of(&selection), arena);
		if (strcmp(at->key->text, "per_op") != 0 || at->kind != YAML_MAPPING)
			continue;
		struct yaml_node *next = at->next;

		*at = *keep_entries(at, &selection, is_per_op_entry, arena);
		at->next = next;
	}
	return common;
}

const struct yaml_node *
gate_of_metric(const struct yaml_node *gate, const char *metric)
{
	return metric_find(metric) ? keys_find(gate, metric) : NULL;
}

/* Refuses entries of a mapping that are named after a metric that is not measured. */
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
gate_check_measured(
	const struct key_reader *reader, const struct yaml_node *gate, const char *const *measured)
{
	return check_entries(reader, gate, measured) < 0
		       ? -1
		       : check_entries(reader, keys_find(gate, "per_op"), measured);
}

int
gate_read(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_metric *metric, struct gate_policy *policy,
	struct gate_overlays *overlays)
{
	const struct yaml_node *own = metric ? gate_of_metric(gate, metric->name) : NULL;
	const bool is_further = metric && metric->is_further;

	if (gate &&
		gate_section_read(reader,
			gate_common(gate, metric ? metric->name : NULL, is_further, reader->arena),
			policy, overlays) < 0)
		return -1;
	if (is_further)
		branches_drop_costs(reader->arena, overlays);
	else if (metric && !cost_same_unit(metric->first, metric->name))
		gate_drop_costs(reader->arena, policy, overlays);
	return own ? gate_section_read(reader, own, policy, overlays) : 0;
}
