#include "spec/overlay_keys.h"

#include "spec/cost_keys.h"
#include "spec/policy_fields.h"
#include "spec/rule_keys.h"

#include <string.h>

#define BRANCHES_MAX 64

static const char *const action_choices[] = {"pass", "warn", "fail", NULL};
/* By index, for -1 is "not set". */
static const char *const switch_choices[] = {"false", "true", NULL};

#define OVERLAY(field) offsetof(struct gate_overlay, field)
#define CHOICE_KEY(field, of)                                                                 \
	{                                                                                     \
		.name = #field, .type = KEY_CHOICE, .offset = OVERLAY(field), .choices = (of) \
	}

static const struct key total_keys[] = {
	THRESHOLD_KEY("warn", OVERLAY(total.warn)),
	THRESHOLD_KEY("fail", OVERLAY(total.fail)),
	{.name = NULL},
};

static const struct key function_keys[] = {
	{.name = "min_share",
		.type = KEY_PERCENT,
		.offset = OVERLAY(min_share),
		.min = 0,
		.max = 1},
	{.name = "floor", .type = KEY_PERCENT, .offset = OVERLAY(floor), .min = 0, .max = 1},
	{.name = "min_cost", .type = KEY_CUSTOM, .offset = OVERLAY(min_cost), .read = cost_read},
	THRESHOLD_KEY("warn", OVERLAY(functions.warn)),
	THRESHOLD_KEY("fail", OVERLAY(functions.fail)),
	{.name = NULL},
};

static const struct key action_keys[] = {
	CHOICE_KEY(regression, action_choices),
	CHOICE_KEY(new_functions, action_choices),
	CHOICE_KEY(gone_functions, action_choices),
	CHOICE_KEY(inconclusive, action_choices),
	CHOICE_KEY(self_check, action_choices),
	{.name = NULL},
};

#define KEYS_OF_EVERY_OVERLAY                                                            \
	{.name = "total", .type = KEY_SECTION, .section = total_keys},                   \
		{.name = "functions", .type = KEY_SECTION, .section = function_keys},    \
		{.name = "alpha",                                                        \
			.type = KEY_RATIO,                                               \
			.offset = OVERLAY(alpha),                                        \
			.min = 0.0001,                                                   \
			.max = 0.5},                                                     \
		CHOICE_KEY(strict, switch_choices), CHOICE_KEY(confirm, switch_choices), \
		{.name = "policy", .type = KEY_SECTION, .section = action_keys},         \
	{                                                                                \
		.name = NULL                                                             \
	}

const struct key overlay_keys[] = {KEYS_OF_EVERY_OVERLAY};

static const struct key branch_keys[] = {
	{.name = "branch", .type = KEY_TEXT, .offset = OVERLAY(branch)},
	KEYS_OF_EVERY_OVERLAY,
};

int
branches_read(const struct key_reader *reader, const struct yaml_node *node, void *into)
{
	struct gate_overlays *overlays = into;
	size_t count = overlays->nbranches;

	if (node->kind != YAML_SEQUENCE)
		return keys_refuse(reader, node,
			"'branches' must be a list of settings, each with its 'branch'; %s",
			keys_found(reader, node));
	for (const struct yaml_node *at = node->first; at; at = at->next)
		count++;
	if (count > BRANCHES_MAX)
		return keys_refuse(reader, node, "%zu branches are too many; at most %d are taken",
			count, BRANCHES_MAX);
	struct gate_overlay *branches = arena_alloc(reader->arena, (count + 1) * sizeof(*branches));
	size_t n = overlays->nbranches;

	if (n > 0)
		memcpy(branches, overlays->branches, n * sizeof(*branches));
	for (const struct yaml_node *at = node->first; at; at = at->next, n++) {
		branches[n] = gate_overlay_none();
		if (keys_read(reader, at, "a branch", branch_keys, &branches[n]) < 0)
			return -1;
		if (!branches[n].branch)
			return keys_refuse(reader, at,
				"'branch' is missing: the pattern of the branches it is about, such as \"release/*\"");
	}
	overlays->branches = branches;
	overlays->nbranches = count;
	return 0;
}

/* Where one looks for thresholds that cross: the nearest place first. */
struct crossing {
	const struct yaml_node *overlay; /* the section of the mode or the branch; NULL: not here */
	const struct yaml_node *gate;
	const char *where; /* "a paired gate", "branch 'x'" */
};

static const struct yaml_node *
find_threshold(const struct crossing *in, const char *section, const char *key)
{
	const struct yaml_node *own = keys_find(keys_find(in->overlay, section), key);

	return own ? own : keys_find(keys_find(in->gate, section), key);
}

static int
check_crossing(const struct key_reader *reader, const struct crossing *in, const char *section,
	const struct threshold *threshold)
{
	/* "never" is NAN and above nothing. */
	if (!(threshold->warn > threshold->fail))
		return 0;
	const struct yaml_node *warn = find_threshold(in, section, "warn");
	const struct yaml_node *fail = find_threshold(in, section, "fail");
	const struct yaml_node *at = warn ? warn : fail;

	keys_refuse(reader, at ? at : in->gate,
		"'warn' (%.10g%%) is above 'fail' (%.10g%%) of '%s' in %s", threshold->warn * 100,
		threshold->fail * 100, section, in->where);
	if (!warn || !fail)
		err_note(reader->err, "'%s' comes from the defaults; set it in the same place",
			warn ? "fail" : "warn");
	return -1;
}

static int
check_policy(const struct key_reader *reader, const struct crossing *in,
	const struct gate_policy *policy)
{
	if (check_crossing(reader, in, "total", &policy->total) < 0)
		return -1;
	return check_crossing(reader, in, "functions", &policy->functions);
}

/* The i-th branch of all, where the last ones are those of this file. */
static const struct yaml_node *
branch_node(const struct yaml_node *gate, const struct gate_overlays *overlays, size_t i)
{
	const struct yaml_node *list = keys_find(gate, "branches");
	size_t here = 0;

	if (!list)
		return NULL;
	for (const struct yaml_node *at = list->first; at; at = at->next)
		here++;
	size_t index = overlays->nbranches - here;

	for (const struct yaml_node *at = list->first; at; at = at->next, index++) {
		if (index == i)
			return at;
	}
	return NULL;
}

static int
check_branches(const struct key_reader *reader, const struct crossing *mode,
	const struct gate_policy *policy, const struct gate_overlays *overlays)
{
	for (size_t i = 0; i < overlays->nbranches; i++) {
		struct gate_policy with_branch = *policy;
		struct crossing in = *mode;

		gate_overlay_apply(&overlays->branches[i], &with_branch);
		in.where = arena_printf(reader->arena, "%s of branch '%.80s'", mode->where,
			overlays->branches[i].branch);
		const struct yaml_node *node = branch_node(mode->gate, overlays, i);

		if (node)
			in.overlay = node;
		if (check_policy(reader, &in, &with_branch) < 0)
			return -1;
	}
	return 0;
}

/*
 * Not on branches: theirs are lowered where they cross, for who writes of them may have other
 * metrics in mind.
 */
static int
check_counted(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_policy *general, const struct gate_overlays *overlays)
{
	const struct crossing in = {
		.overlay = keys_find(gate, "counted"),
		.gate = gate,
		.where = "a gate of what is counted",
	};
	const struct gate_overlay *modes[] = {&overlays->stored, &overlays->paired};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct gate_policy policy = *general;

		gate_overlay_apply(modes[i], &policy);
		gate_overlay_apply(&overlays->counted, &policy);
		if (check_policy(reader, &in, &policy) < 0)
			return -1;
	}
	return 0;
}

int
overlays_check(const struct key_reader *reader, const struct yaml_node *gate,
	const struct gate_policy *general, const struct gate_overlays *overlays)
{
	const struct {
		const char *key;
		const char *where;
		const struct gate_overlay *overlay;
	} modes[] = {
		{"stored", "a stored gate", &overlays->stored},
		{"paired", "a paired gate", &overlays->paired},
	};

	if (keys_find(gate, "counted") && check_counted(reader, gate, general, overlays) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		const struct crossing in = {
			.overlay = keys_find(gate, modes[i].key),
			.gate = gate,
			.where = modes[i].where,
		};
		struct gate_policy policy = *general;

		gate_overlay_apply(modes[i].overlay, &policy);
		if (check_policy(reader, &in, &policy) < 0 ||
			check_branches(reader, &in, &policy, overlays) < 0)
			return -1;
	}
	return 0;
}
