#include "profile/metric.h"
#include "spec/sections_internal.h"

#include <math.h>
#include <string.h>

/* Where the thresholds of a gate are set, for errors about those that cross. */
struct place {
	const struct yaml_node *overlay; /* the section of the mode or the branch; NULL: not here */
	const struct yaml_node *gate;
	const char *where; /* "a paired gate", "branch 'x'" */
};

/* In a section, or the percentage in place of it. */
static const struct yaml_node *
threshold_node(const struct yaml_node *node, const char *section, const char *key)
{
	const struct yaml_node *in = keys_find(node, section);

	return in && in->kind == YAML_SCALAR ? in : keys_find(in, key);
}

static const struct yaml_node *
find_threshold(const struct place *place, const char *section, const char *key)
{
	const struct yaml_node *own = threshold_node(place->overlay, section, key);

	return own ? own : threshold_node(place->gate, section, key);
}

static int
check_policy(const struct key_reader *reader, const struct place *place,
	const struct gate_policy *policy)
{
	static const char *const sections[] = {"total", "functions"};
	const struct threshold *const thresholds[] = {&policy->total, &policy->functions};

	for (size_t i = 0; i < 2; i++) {
		const struct threshold_nodes nodes = {
			.warn = find_threshold(place, sections[i], "warn"),
			.fail = find_threshold(place, sections[i], "fail"),
			.otherwise = place->gate,
			.where = arena_printf(
				reader->arena, " of '%s' in %s", sections[i], place->where),
			.advice = "set it in the same place",
		};

		if (threshold_check(reader, &nodes, thresholds[i]) < 0)
			return -1;
	}
	return 0;
}

/* `inherited` branches come from elsewhere; the others are those of this file, in its order. */
static int
check_branches(const struct key_reader *reader, const struct place *mode,
	const struct gate_policy *policy, const struct gate_overlays *overlays, size_t inherited)
{
	const struct yaml_node *list = keys_find(mode->gate, "branches");
	const struct yaml_node *node = NULL;

	for (size_t i = 0; i < overlays->nbranches; i++) {
		struct gate_policy with_branch = *policy;
		struct place place = *mode;

		gate_overlay_apply(&overlays->branches[i], &with_branch);
		place.where = arena_printf(reader->arena, "%s of branch '%.80s'", mode->where,
			overlays->branches[i].branch);
		if (i >= inherited)
			place.overlay = node = node ? node->next : list->first;
		if (check_policy(reader, &place, &with_branch) < 0)
			return -1;
	}
	return 0;
}

/*
 * Refuses thresholds that cross once overlays are applied: in either mode, with each branch by
 * itself; and in a gate of counted metrics, if `gate` has `counted`. Not with branches of the
 * latter: thresholds that cross there are lowered, because a branch may be written for other
 * metrics.
 */
static int
check_overlays(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_section *section, size_t inherited)
{
	const struct gate_overlays *overlays = &section->overlays;
	const struct place counted = {
		keys_find(gate, "counted"), gate, "a gate of what is counted"};
	const struct place modes[] = {
		{keys_find(gate, "stored"), gate, "a stored gate"},
		{keys_find(gate, "paired"), gate, "a paired gate"},
	};
	struct gate_policy policies[] = {section->gate, section->gate};

	gate_overlay_apply(&overlays->stored, &policies[0]);
	gate_overlay_apply(&overlays->paired, &policies[1]);
	for (size_t i = 0; counted.overlay && i < 2; i++) {
		struct gate_policy policy = policies[i];

		gate_overlay_apply(&overlays->counted, &policy);
		if (check_policy(reader, &counted, &policy) < 0)
			return -1;
	}
	for (size_t i = 0; i < 2; i++) {
		if (check_policy(reader, &modes[i], &policies[i]) < 0 ||
			check_branches(reader, &modes[i], &policies[i], overlays, inherited) < 0)
			return -1;
	}
	return 0;
}

/* Only a stored gate has another way to judge. */
static int
check_fallback(const struct key_reader *reader, const struct yaml_node *gate)
{
	static const char *const others[] = {"paired", "counted"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct yaml_node *node = keys_find(keys_find(gate, others[i]), "fallback");

		if (node)
			return keys_refuse(reader, node,
				"'fallback' is a key of 'stored', not of '%s'", others[i]);
	}
	return 0;
}

int
gate_section_read(const struct key_reader *reader, const struct yaml_node *node,
	struct gate_policy *gate, struct gate_overlays *overlays)
{
	struct gate_section section = {.gate = *gate, .overlays = *overlays};
	struct key_reader inside = *reader;
	uint64_t set = gate_fields_set(node);

	inside.scope = IN_GATE;
	section.overlays.paired.set &= ~set;
	section.overlays.stored.set &= ~set;
	if (keys_read(&inside, node, "'gate'", gate_fields, &section) < 0 ||
		check_fallback(reader, node) < 0 ||
		check_overlays(reader, node, &section, overlays->nbranches) < 0)
		return -1;
	/* "fail" comes after "error" among its choices. */
	if (section.gate.missing_baseline > POLICY_FAIL)
		section.gate.missing_baseline = POLICY_FAIL;
	if (section.gate.changed_workload > POLICY_FAIL)
		section.gate.changed_workload = POLICY_FAIL;
	*gate = section.gate;
	*overlays = section.overlays;
	return 0;
}

void
gate_overlay_drop_costs(struct gate_overlay *overlay)
{
	for (size_t i = 0; gate_fields[i].name; i++) {
		if (gate_fields[i].type == KEY_COST)
			overlay->set &= ~(UINT64_C(1) << i);
	}
}

void
gate_branches_drop_costs(struct arena *arena, struct gate_overlays *overlays)
{
	struct gate_overlay *branches =
		arena_alloc(arena, (overlays->nbranches + 1) * sizeof(*branches));

	for (size_t i = 0; i < overlays->nbranches; i++) {
		branches[i] = overlays->branches[i];
		gate_overlay_drop_costs(&branches[i]);
	}
	overlays->branches = branches;
}

void
gate_drop_costs(struct arena *arena, struct gate_policy *gate, struct gate_overlays *overlays)
{
	struct gate_rule_spec *rules = arena_alloc(arena, (gate->nrules + 1) * sizeof(*rules));

	for (size_t i = 0; i < gate->nrules; i++) {
		rules[i] = gate->rules[i];
		rules[i].max_cost = NAN;
	}
	gate_branches_drop_costs(arena, overlays);
	gate_overlay_drop_costs(&overlays->stored);
	gate_overlay_drop_costs(&overlays->paired);
	gate->min_cost = 0;
	gate->rules = rules;
}

static void
lay_over(const struct gate_overlay *overlay, struct gate_overlay *over)
{
	gate_overlay_apply(overlay, &over->values);
	over->set |= overlay->set;
}

/* With the event `instructions`, the counter of the machine, the metric is sampled. */
static bool
is_counted(const char *metric, const char *event)
{
	const struct metric *found = metric_find(metric);

	return found && found->counted && strcmp(event, "instructions") != 0;
}

void
gate_begin_metric(struct arena *arena, struct gate_section *section, const char *from,
	const char *metric, const char *event)
{
	struct gate_overlays *overlays = &section->overlays;

	if (!cost_same_unit(metric, from))
		gate_drop_costs(arena, &section->gate, overlays);
	if (!is_counted(metric, event))
		return;
	if (!cost_same_unit(metric, from))
		section->gate.min_cost = metric_find(metric)->min_cost;
	if (!cost_same_unit(metric, "instructions"))
		gate_overlay_drop_costs(&overlays->counted);
	gate_overlay_apply(&overlays->counted, &section->gate);
	lay_over(&overlays->counted, &overlays->stored);
	lay_over(&overlays->counted, &overlays->paired);
	overlays->counted.set = 0;
}
