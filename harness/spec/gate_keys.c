#include "spec/gate_keys.h"

#include "spec/cost_keys.h"
#include "spec/overlay_keys.h"
#include "spec/policy_fields.h"
#include "spec/rule_keys.h"

#include <math.h>

/* What the section is read into. */
struct gate_section {
	struct gate_policy gate;
	struct gate_overlays overlays;
};

/* In the order of enum policy_decide. */
static const char *const decide_choices[] = {"none", "instructions", NULL};
static const char *const action_choices[] = {"pass", "warn", "fail", NULL};

#define GATE(field) offsetof(struct gate_section, gate.field)
#define OVERLAYS(field) offsetof(struct gate_section, overlays.field)
#define ACTION_KEY(field)                                                  \
	{                                                                  \
		.name = #field, .type = KEY_CHOICE, .offset = GATE(field), \
		.choices = action_choices                                  \
	}

/* `policy` only groups what the conditions do. */
static const struct key action_keys[] = {
	ACTION_KEY(regression),
	ACTION_KEY(new_functions),
	ACTION_KEY(gone_functions),
	ACTION_KEY(inconclusive),
	ACTION_KEY(missing_baseline),
	ACTION_KEY(other_machine),
	ACTION_KEY(changed_program),
	ACTION_KEY(changed_workload),
	ACTION_KEY(waivers),
	ACTION_KEY(self_check),
	{.name = NULL},
};

static const struct key total_keys[] = {
	THRESHOLD_KEY("warn", GATE(total.warn)),
	THRESHOLD_KEY("fail", GATE(total.fail)),
	{.name = NULL},
};

static const struct key function_keys[] = {
	{.name = "min_share", .type = KEY_PERCENT, .offset = GATE(min_share), .min = 0, .max = 1},
	{.name = "floor", .type = KEY_PERCENT, .offset = GATE(floor), .min = 0, .max = 1},
	{.name = "min_cost", .type = KEY_CUSTOM, .offset = GATE(min_cost), .read = cost_read},
	THRESHOLD_KEY("warn", GATE(functions.warn)),
	THRESHOLD_KEY("fail", GATE(functions.fail)),
	{.name = NULL},
};

static int
total_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const struct gate_section *section = into;

	return threshold_check(reader, node, &section->gate.total);
}

static int
functions_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	const struct gate_section *section = into;

	return threshold_check(reader, node, &section->gate.functions);
}

/* `rules_read` adds to a struct gate_policy, which is the section's first member. */
_Static_assert(offsetof(struct gate_section, gate) == 0, "rules are read into the gate");

static const struct key gate_keys[] = {
	{.name = "total", .type = KEY_SECTION, .section = total_keys, .read = total_check},
	{.name = "functions",
		.type = KEY_SECTION,
		.section = function_keys,
		.read = functions_check},
	{.name = "rules", .type = KEY_CUSTOM, .read = rules_read},
	{.name = "alpha", .type = KEY_RATIO, .offset = GATE(alpha), .min = 0.0001, .max = 0.5},
	{.name = "strict", .type = KEY_BOOL, .offset = GATE(strict)},
	{.name = "confirm", .type = KEY_BOOL, .offset = GATE(confirm)},
	{.name = "decide", .type = KEY_CHOICE, .offset = GATE(decide), .choices = decide_choices},
	{.name = "policy", .type = KEY_SECTION, .section = action_keys},
	{.name = "paired",
		.type = KEY_SECTION,
		.offset = OVERLAYS(paired),
		.section = overlay_keys},
	{.name = "stored",
		.type = KEY_SECTION,
		.offset = OVERLAYS(stored),
		.section = overlay_keys},
	{.name = "counted",
		.type = KEY_SECTION,
		.offset = OVERLAYS(counted),
		.section = overlay_keys},
	{.name = "branches",
		.type = KEY_CUSTOM,
		.offset = offsetof(struct gate_section, overlays),
		.read = branches_read},
	{.name = NULL},
};

int
gate_section_read(const struct key_reader *reader, const struct yaml_node *node,
	struct gate_policy *gate, struct gate_overlays *overlays)
{
	struct gate_section section = {.gate = *gate, .overlays = *overlays};

	gate_overlay_set_aside(&section.overlays.paired, node);
	gate_overlay_set_aside(&section.overlays.stored, node);
	if (keys_read(reader, node, "'gate'", gate_keys, &section) < 0 ||
		overlays_check(reader, node, &section.gate, &section.overlays) < 0)
		return -1;
	*gate = section.gate;
	*overlays = section.overlays;
	return 0;
}

struct gate_policy
gate_policy_defaults(void)
{
	return (struct gate_policy){
		.total = {.warn = 0.10, .fail = 0.20},
		.functions = {.warn = 0.08, .fail = 0.15},
		.min_share = 0.01,
		.floor = 0.01,
		.alpha = 0.05,
		.strict = true,
		.confirm = true,
		.regression = POLICY_FAIL,
		.new_functions = POLICY_FAIL,
		.gone_functions = POLICY_PASS,
		/* Whoever has said nothing about it is not shown a pass that was not measured. */
		.inconclusive = POLICY_FAIL,
		.missing_baseline = POLICY_WARN,
		.other_machine = POLICY_WARN,
		.changed_program = POLICY_PASS,
		.changed_workload = POLICY_WARN,
		.waivers = POLICY_WARN,
		.self_check = POLICY_PASS,
	};
}

struct gate_overlays
gate_overlays_defaults(void)
{
	struct gate_overlays overlays = gate_overlays_none();

	/* What cancels between runs that alternate on one machine need not be allowed for. */
	overlays.paired.total = (struct threshold){.warn = 0.02, .fail = 0.03};
	overlays.paired.functions = (struct threshold){.warn = 0.02, .fail = 0.03};
	overlays.paired.min_share = 0.01;
	overlays.paired.floor = 0.005;
	overlays.paired.strict = false;
	/*
	 * Counts repeat, but for what the length of paths and of the environment, and where the
	 * kernel puts things, cost while a program starts: some hundred instructions.
	 */
	overlays.counted.total = (struct threshold){.warn = 0.001, .fail = 0.005};
	overlays.counted.functions = (struct threshold){.warn = 0.0005, .fail = 0.005};
	overlays.counted.min_share = 0.001;
	overlays.counted.floor = 0.00001;
	overlays.counted.min_cost = 1000;
	overlays.counted.strict = false;
	return overlays;
}

struct gate_policy
gate_policy_copy(struct arena *arena, const struct gate_policy *from, bool costs)
{
	struct gate_policy copy = *from;
	struct gate_rule_spec *rules = arena_alloc(arena, (from->nrules + 1) * sizeof(*rules));

	copy.waivers_list = NULL;
	copy.nwaivers = 0;
	if (!costs)
		copy.min_cost = 0;
	for (size_t i = 0; i < from->nrules; i++) {
		rules[i] = from->rules[i];
		rules[i].pattern = arena_strdup(arena, from->rules[i].pattern);
		rules[i].file = arena_strdup(arena, from->rules[i].file);
		if (!costs)
			rules[i].max_cost = NAN;
	}
	copy.rules = rules;
	return copy;
}

struct gate_overlays
gate_overlays_copy(struct arena *arena, const struct gate_overlays *from, bool costs)
{
	struct gate_overlays copy = *from;
	struct gate_overlay *branches =
		arena_alloc(arena, (from->nbranches + 1) * sizeof(*branches));

	for (size_t i = 0; i < from->nbranches; i++) {
		branches[i] = from->branches[i];
		branches[i].branch = arena_strdup(arena, from->branches[i].branch);
		if (!costs)
			branches[i].min_cost = -1;
	}
	copy.branches = branches;
	if (!costs)
		copy.stored.min_cost = copy.paired.min_cost = -1;
	return copy;
}
