/*
 * The section `gate`: the table of its fields, their defaults, and how they are read and overridden
 * by the settings of a mode, of counted metrics and of a branch (overlays). What is refused of its
 * thresholds is in gate_thresholds.c, the units of its costs in gate_costs.c, and its sections of
 * single metrics in gate_metrics.c.
 */
#include "base/text.h"
#include "spec/sections_internal.h"

#include <math.h>
#include <string.h>

#define BRANCHES_MAX 64

_Static_assert(
	offsetof(struct gate_section, gate) == 0 && offsetof(struct gate_overlay, values) == 0,
	"one table fills both");

/* The choices stand in the order of enum policy_action and enum policy_decide. */
static const char *const action_choices[] = {"pass", "warn", "fail", NULL};
/* "error" is at the place of POLICY_FAIL: the job fails with exit code 2. */
static const char *const base_choices[] = {"pass", "warn", "error", NULL};
/* "fail" means the same as "error": see gate_section_read(). */
static const char *const missing_choices[] = {"pass", "warn", "error", "fail", NULL};
static const char *const decide_choices[] = {"none", "instructions", "auto", NULL};

/* Checks thresholds in `gate` itself; those of overlays are checked once they are applied. */
static int
thresholds_read(const struct key_reader *reader, const struct yaml_node *node, void *threshold)
{
	return reader->scope == IN_GATE ? threshold_check_mapping(reader, node, threshold) : 0;
}

/* The fields set in the mapping `node` that overlays may set, as bits of gate_overlay.set. */
static uint64_t
gate_fields_set(const struct yaml_node *node)
{
	uint64_t set = 0;

	for (size_t i = 0; gate_fields[i].name; i++) {
		const struct key *field = &gate_fields[i];
		const struct yaml_node *in = field->in ? keys_find(node, field->in) : node;

		const bool all =
			field->in && field->type == KEY_THRESHOLD && in && in->kind == YAML_SCALAR;

		if (field->scopes == 0 && field->type != KEY_SECTION &&
			(all || keys_find(in, field->name)))
			set |= UINT64_C(1) << i;
	}
	return set;
}

/* Adds the fields that the mapping of an overlay sets to those that it has set. */
static int
overlay_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct gate_overlay *overlay = into;

	(void)reader;
	overlay->set |= gate_fields_set(node);
	return 0;
}

static int branches_read(
	const struct key_reader *reader, const struct yaml_node *node, void *overlays);
static int fallback_read(
	const struct key_reader *reader, const struct yaml_node *node, void *fallback);

#define GATE(field) .offset = offsetof(struct gate_policy, field)
#define OVERLAYS(field) .offset = offsetof(struct gate_section, overlays.field)
#define THRESHOLD(pair, which)       \
	.in = #pair, .name = #which, \
	THRESHOLD_AT(offsetof(struct gate_policy, pair) + offsetof(struct threshold, which))
#define SHARE(field) .in = "functions", .name = #field, .type = KEY_PERCENT, GATE(field), .max = 1
#define COST(field) \
	.in = "functions", .name = #field, .type = KEY_COST, GATE(field), .max = HUGE_VAL
#define SWITCH(field) \
	.name = #field, .type = KEY_BOOL, GATE(field), .quoted_in = IN_MODE | IN_BRANCH
#define ACTION(field) \
	.in = "policy", .name = #field, .type = KEY_CHOICE, GATE(field), .choices = action_choices
#define OVERLAY(field)                                                           \
	.name = #field, .type = KEY_SECTION, OVERLAYS(field), .scopes = IN_GATE, \
	.section = gate_fields, .section_scope = IN_MODE, .read = overlay_read

const struct key gate_fields[] = {
	{.name = "branch",
		.type = KEY_TEXT,
		.offset = offsetof(struct gate_overlay, branch),
		.scopes = IN_BRANCH},
	{.name = "total", .type = KEY_SECTION, GATE(total), .read = thresholds_read},
	{THRESHOLD(total, warn), .defaults = {"10%", "3%", "0.1%"}},
	{THRESHOLD(total, fail), .defaults = {"20%", "5%", "0.5%"}},
	{.name = "functions", .type = KEY_SECTION, GATE(functions), .read = thresholds_read},
	{SHARE(min_share), .defaults = {"1%", "1%", "0.1%"}},
	/*
	 * Counts repeat, except for some hundred instructions at the start of a program, which
	 * depend on the lengths of paths and environment and on the addresses that the kernel
	 * chooses.
	 */
	{SHARE(floor), .defaults = {"1%", "1%", "0.001%"}},
	{COST(min_cost), .defaults = {"0", NULL, "1k"}},
	{THRESHOLD(functions, warn), .defaults = {"8%", "3%", "0.05%"}},
	{THRESHOLD(functions, fail), .defaults = {"15%", "5%", "0.5%"}},
	{.name = "rules", .type = KEY_CUSTOM, .scopes = IN_GATE, .read = rules_read},
	{.name = "counters", .type = KEY_CUSTOM, .scopes = IN_GATE, .read = counters_read},
	{.name = "leaks", .type = KEY_CUSTOM, .scopes = IN_GATE, .read = counters_read},
	{.name = "peak", .type = KEY_CUSTOM, .scopes = IN_GATE, .read = counters_read},
	{.name = "latency", .type = KEY_CUSTOM, .scopes = IN_GATE, .read = counters_read},
	{.name = "per_op", .type = KEY_CUSTOM, .scopes = IN_GATE, .read = counters_read},
	{.name = "alpha",
		.type = KEY_RATIO,
		GATE(alpha),
		.min = 0.0001,
		.max = 0.5,
		.defaults = {"0.05"}},
	/* Differences of the machine cancel in interleaved runs, so they need no margin. */
	{SWITCH(strict), .defaults = {"true", "false", "false"}},
	{SWITCH(confirm), .defaults = {"true"}},
	{SWITCH(select), .defaults = {"true"}},
	/* Interleaved runs are disturbed alike. */
	{.name = "disturbed",
		.type = KEY_PERCENT,
		GATE(disturbed),
		.max = 1,
		.scopes = IN_GATE,
		.defaults = {"10%"}},
	{.name = "decide",
		.type = KEY_CHOICE,
		GATE(decide),
		.scopes = IN_GATE,
		.choices = decide_choices,
		.defaults = {"auto"}},
	/* Only groups the actions of conditions. */
	{.name = "policy", .type = KEY_SECTION},
	{ACTION(regression), .defaults = {"fail"}},
	{ACTION(new_functions), .defaults = {"fail"}},
	{ACTION(gone_functions), .defaults = {"pass"}},
	/* A suspected regression that nothing confirmed or refuted is not to be merged unseen. */
	{ACTION(inconclusive), .defaults = {"fail"}},
	{.in = "policy",
		.name = "missing_baseline",
		.type = KEY_CHOICE,
		GATE(missing_baseline),
		.scopes = IN_GATE,
		.choices = missing_choices,
		.defaults = {"warn"}},
	/* A pull request that repairs a crash is not to fail. */
	{.in = "policy",
		.name = "base_fails",
		.type = KEY_CHOICE,
		GATE(base_fails),
		.scopes = IN_GATE,
		.choices = base_choices,
		.defaults = {"warn"}},
	{ACTION(other_machine), .scopes = IN_GATE, .defaults = {"warn"}},
	{ACTION(changed_program), .scopes = IN_GATE, .defaults = {"pass"}},
	{.in = "policy",
		.name = "changed_workload",
		.type = KEY_CHOICE,
		GATE(changed_workload),
		.scopes = IN_GATE,
		.choices = missing_choices,
		.defaults = {"warn"}},
	{ACTION(waivers), .scopes = IN_GATE, .defaults = {"warn"}},
	{ACTION(self_check), .defaults = {"pass"}},
	{.name = "fallback",
		.type = KEY_CUSTOM,
		.offset = offsetof(struct gate_overlay, fallback),
		.scopes = IN_MODE,
		.read = fallback_read},
	{OVERLAY(paired)},
	{OVERLAY(stored)},
	{OVERLAY(counted)},
	{.name = "branches",
		.type = KEY_CUSTOM,
		.offset = offsetof(struct gate_section, overlays),
		.scopes = IN_GATE,
		.read = branches_read},
	{.name = NULL},
};

_Static_assert(sizeof(gate_fields) / sizeof(gate_fields[0]) <= 64, "a bit each in a set");

static int
branches_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct key_reader inside = *reader;
	struct gate_overlays *overlays = into;
	size_t n = overlays->nbranches;

	if (node->kind != YAML_SEQUENCE)
		return keys_refuse(reader, node,
			"'branches' must be a list of settings, each with its 'branch'; %s",
			keys_found(reader, node));
	size_t count = n + yaml_count(node);

	if (count > BRANCHES_MAX)
		return keys_refuse(reader, node, "%zu branches are too many; the limit is %d",
			count, BRANCHES_MAX);
	struct gate_overlay *branches = arena_alloc(reader->arena, (count + 1) * sizeof(*branches));

	if (n > 0)
		memcpy(branches, overlays->branches, n * sizeof(*branches));
	inside.scope = IN_BRANCH;
	for (const struct yaml_node *at = node->first; at; at = at->next, n++) {
		if (keys_read(&inside, at, "a branch", gate_fields, &branches[n]) < 0)
			return -1;
		if (!branches[n].branch)
			return keys_refuse(reader, at,
				"'branch' is missing: a pattern of branch names, such as \"release/*\"");
		branches[n].set = gate_fields_set(at);
	}
	overlays->branches = branches;
	overlays->nbranches = count;
	return 0;
}

static int
fallback_read(const struct key_reader *reader, const struct yaml_node *node, void *fallback)
{
	static const struct {
		const char *first, *second;
		enum gate_fallback fallback;
	} orders[] = {
		{NULL, NULL, FALLBACK_NONE},
		{"rebuild", NULL, FALLBACK_REBUILD},
		{"counts", NULL, FALLBACK_COUNTS},
		{"rebuild", "counts", FALLBACK_REBUILD_COUNTS},
		{"counts", "rebuild", FALLBACK_COUNTS_REBUILD},
	};
	const struct yaml_node *at = node->kind == YAML_SEQUENCE ? node->first : NULL;
	const char *words[2] = {NULL, NULL};
	size_t n = 0;

	for (; at && n < 2 && at->kind == YAML_SCALAR; at = at->next)
		words[n++] = at->text;
	for (size_t i = 0;
		node->kind == YAML_SEQUENCE && !at && i < sizeof(orders) / sizeof(orders[0]); i++) {
		const char *const expected[] = {orders[i].first, orders[i].second};
		bool same = true;

		for (size_t k = 0; k < 2; k++)
			same = same && !expected[k] == !words[k] &&
			       (!words[k] || strcmp(expected[k], words[k]) == 0);
		if (same) {
			*(enum gate_fallback *)fallback = orders[i].fallback;
			return 0;
		}
	}
	return keys_refuse(reader, node,
		"'fallback' must be a list of 'rebuild' and 'counts', each at most once; [] for none");
}

void
gate_overlay_apply(const struct gate_overlay *overlay, struct gate_policy *policy)
{
	for (size_t i = 0; gate_fields[i].name; i++) {
		const struct key *field = &gate_fields[i];
		size_t size = field->type == KEY_BOOL     ? sizeof(bool)
			      : field->type == KEY_CHOICE ? sizeof(enum policy_action)
							  : sizeof(double);

		if (overlay->set >> i & 1)
			memcpy((char *)policy + field->offset,
				(const char *)&overlay->values + field->offset, size);
	}
}

struct gate_policy
gate_policy_defaults(void)
{
	struct gate_policy policy = {0};

	keys_defaults(gate_fields, 0, &policy);
	return policy;
}

/* The overlay that sets the defaults in `column` of the table: 1 paired, 2 counted. */
static struct gate_overlay
overlay_defaults(size_t column)
{
	struct gate_overlay overlay = {0};

	keys_defaults(gate_fields, column, &overlay.values);
	for (size_t i = 0; gate_fields[i].name; i++) {
		if (gate_fields[i].defaults[column])
			overlay.set |= UINT64_C(1) << i;
	}
	return overlay;
}

struct gate_overlays
gate_overlays_defaults(void)
{
	return (struct gate_overlays){
		.paired = overlay_defaults(1),
		.counted = overlay_defaults(2),
	};
}

/*
 * Lowers `warn` to `fail` where it is above it: files are checked with one branch at a time, and
 * the settings of several branches together may cross.
 */
static void
uncross(struct threshold *threshold)
{
	if (threshold->warn > threshold->fail)
		threshold->warn = threshold->fail;
}

struct gate_policy
gate_policy_resolve(const struct gate_policy *general, const struct gate_overlays *overlays,
	enum gate_mode mode, bool counted, const char *branch)
{
	struct gate_policy policy = *general;

	gate_overlay_apply(mode == GATE_PAIRED ? &overlays->paired : &overlays->stored, &policy);
	if (counted)
		gate_overlay_apply(&overlays->counted, &policy);
	for (size_t i = 0; branch && i < overlays->nbranches; i++) {
		if (text_matches(branch, overlays->branches[i].branch))
			gate_overlay_apply(&overlays->branches[i], &policy);
	}
	uncross(&policy.total);
	uncross(&policy.functions);
	return policy;
}

/* Refuses `fallback` outside of `stored`: only a stored gate has another way to judge. */
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
		thresholds_check_overlays(reader, node, &section, overlays->nbranches) < 0)
		return -1;
	/* "fail" is behind "error" among the choices, and means the same. */
	if (section.gate.missing_baseline > POLICY_FAIL)
		section.gate.missing_baseline = POLICY_FAIL;
	if (section.gate.changed_workload > POLICY_FAIL)
		section.gate.changed_workload = POLICY_FAIL;
	*gate = section.gate;
	*overlays = section.overlays;
	return 0;
}
