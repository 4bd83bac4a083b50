/*
 * The section `gate`: its thresholds, the table of its fields, its overlays for modes and branches,
 * the units of its costs, and its sections that are one metric's.
 */
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/units.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#define BRANCHES_MAX 64

_Static_assert(
	offsetof(struct gate_section, gate) == 0 && offsetof(struct gate_overlay, values) == 0,
	"one table fills both");

/* In the order of enum policy_action and enum policy_decide. */
static const char *const action_choices[] = {"pass", "warn", "fail", NULL};
/* The same; an error of the base fails the job with exit code 2. */
static const char *const base_choices[] = {"pass", "warn", "error", NULL};
/* "fail" is another word for the same. */
static const char *const missing_choices[] = {"pass", "warn", "error", "fail", NULL};
static const char *const decide_choices[] = {"none", "instructions", "auto", NULL};

/* Where a pair of thresholds stands, for threshold_check(). */
struct threshold_nodes {
	const struct yaml_node *warn; /* NULL: comes from elsewhere */
	const struct yaml_node *fail;
	const struct yaml_node *otherwise; /* pointed at if both come from elsewhere */
	const char *where;                 /* "", " of 'total' in a paired gate" */
	const char *advice;                /* where to set one that comes from elsewhere */
};

/* `warn` above `fail` is an error. */
static int
threshold_check(const struct key_reader *reader, const struct threshold_nodes *nodes,
	const struct threshold *threshold)
{
	const struct yaml_node *at = nodes->warn ? nodes->warn : nodes->fail;

	/* "never" is NAN and above nothing. */
	if (!(threshold->warn > threshold->fail))
		return 0;
	keys_refuse(reader, at ? at : nodes->otherwise,
		"'warn' (%.10g%%) is above 'fail' (%.10g%%)%s", threshold->warn * 100,
		threshold->fail * 100, nodes->where);
	if (!nodes->warn || !nodes->fail)
		err_note(reader->err, "'%s' comes from the defaults; %s",
			nodes->warn ? "fail" : "warn", nodes->advice);
	return -1;
}

int
threshold_check_mapping(const struct key_reader *reader, const struct yaml_node *node,
	const struct threshold *threshold)
{
	const struct threshold_nodes nodes = {
		.warn = keys_find(node, "warn"),
		.fail = keys_find(node, "fail"),
		.otherwise = node,
		.where = "",
		.advice = "set it here too",
	};

	return threshold_check(reader, &nodes, threshold);
}

/* For `gate` itself; overlays are checked once they are laid over it. */
static int
section_check(const struct key_reader *reader, const struct yaml_node *node, void *threshold)
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

static int
overlay_check(const struct key_reader *reader, const struct yaml_node *node, void *into)
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
	.section = gate_fields, .section_scope = IN_MODE, .read = overlay_check

const struct key gate_fields[] = {
	{.name = "branch",
		.type = KEY_TEXT,
		.offset = offsetof(struct gate_overlay, branch),
		.scopes = IN_BRANCH},
	{.name = "total", .type = KEY_SECTION, GATE(total), .read = section_check},
	{THRESHOLD(total, warn), .defaults = {"10%", "3%", "0.1%"}},
	{THRESHOLD(total, fail), .defaults = {"20%", "5%", "0.5%"}},
	{.name = "functions", .type = KEY_SECTION, GATE(functions), .read = section_check},
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

/* Lays what `overlay` sets over `policy`. */
static void
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

/* Files are checked with one branch overlay at a time; thresholds of several together may cross. */
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
		if (fnmatch(overlays->branches[i].branch, branch, 0) == 0)
			gate_overlay_apply(&overlays->branches[i], &policy);
	}
	uncross(&policy.total);
	uncross(&policy.functions);
	return policy;
}

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

/*
 * The units of costs: a cost is in the unit of its metric, and is dropped for a metric of another.
 */

/* By metric_kind: how people write a cost, for messages. */
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

/* Whether costs of both metrics are in one unit. */
static bool
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

static void
overlay_drop_costs(struct gate_overlay *overlay)
{
	for (size_t i = 0; gate_fields[i].name; i++) {
		if (gate_fields[i].type == KEY_COST)
			overlay->set &= ~(UINT64_C(1) << i);
	}
}

static void
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
		rules[i].max_cost = NAN;
	}
	branches_drop_costs(arena, overlays);
	overlay_drop_costs(&overlays->stored);
	overlay_drop_costs(&overlays->paired);
	gate->min_cost = 0;
	gate->rules = rules;
}

static void
lay_over(const struct gate_overlay *overlay, struct gate_overlay *over)
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
	if (!cost_same_unit(metric, from))
		section->gate.min_cost = metric_find(metric)->min_cost;
	if (!cost_same_unit(metric, METRIC_INSTRUCTIONS))
		overlay_drop_costs(&overlays->counted);
	gate_overlay_apply(&overlays->counted, &section->gate);
	lay_over(&overlays->counted, &overlays->stored);
	lay_over(&overlays->counted, &overlays->paired);
	overlays->counted.set = 0;
}

/*
 * The sections of `gate` that are one metric's. The first metric of a workload has the thresholds
 * directly in `gate`; each other is judged by what gate.METRIC says.
 */

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

/*
 * The mapping `gate` without the sections of metrics, and for a further metric of the list
 * without the thresholds that are the first one's. Of `per_op`, what is named as a metric is that
 * metric's; all is kept where `metric` is NULL. The arena's.
 */
static const struct yaml_node *
gate_common(const struct yaml_node *gate, const char *metric, bool is_further, struct arena *arena)
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
gate_of_metric(const struct yaml_node *gate, const char *metric)
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
gate_check_measured(
	const struct key_reader *reader, const struct yaml_node *gate, const char *const *measured)
{
	return check_entries(reader, gate, measured) < 0
		       ? -1
		       : check_entries(reader, keys_find(gate, "per_op"), measured);
}

int
gate_read(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_metric *of, struct gate_policy *policy, struct gate_overlays *overlays)
{
	const struct yaml_node *own = of ? gate_of_metric(gate, of->name) : NULL;
	const bool is_further = of && of->is_further;

	if (gate && gate_section_read(reader,
			    gate_common(gate, of ? of->name : NULL, is_further, reader->arena),
			    policy, overlays) < 0)
		return -1;
	if (is_further)
		branches_drop_costs(reader->arena, overlays);
	else if (of && !cost_same_unit(of->first, of->name))
		gate_drop_costs(reader->arena, policy, overlays);
	return own ? gate_section_read(reader, own, policy, overlays) : 0;
}
