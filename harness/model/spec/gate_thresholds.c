/*
 * Thresholds of a gate that cross: `warn` above `fail`, in one mapping or once the overlays of a
 * mode and of a branch are applied. They are refused where the file is read.
 */
#include "spec/sections_internal.h"

/* Where `warn` and `fail` of a threshold are set, for the error. */
struct threshold_nodes {
	const struct yaml_node *warn;      /* NULL: in another file, or a default */
	const struct yaml_node *fail;      /* NULL: likewise */
	const struct yaml_node *otherwise; /* the error points at it if both are NULL */
	const char *where;                 /* "", " of 'total' in a paired gate" */
	const char *advice;                /* where to set the one that is NULL */
};

/* Refuses a threshold whose `warn` is above its `fail`. */
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

/* The sections of a file that set the thresholds of a gate in one mode or for one branch. */
struct place {
	const struct yaml_node *overlay; /* of the mode or the branch; NULL: the file has none */
	const struct yaml_node *gate;
	const char *where; /* "a paired gate", "branch 'x'" */
};

/* The node of the threshold `key` in a section: its own, or the percentage that is both. */
static const struct yaml_node *
threshold_node(const struct yaml_node *node, const char *section, const char *key)
{
	const struct yaml_node *in = keys_find(node, section);

	return in && in->kind == YAML_SCALAR ? in : keys_find(in, key);
}

/* The node that sets a threshold: in the overlay, else in `gate`; NULL: the file does not. */
static const struct yaml_node *
find_threshold(const struct place *place, const char *section, const char *key)
{
	const struct yaml_node *own = threshold_node(place->overlay, section, key);

	return own ? own : threshold_node(place->gate, section, key);
}

/* Refuses a policy with a threshold that crosses. */
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

/*
 * Checks the policy of a mode with each branch. The first `inherited` branches come from another
 * file; the others are those of this file, in its order.
 */
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

int
thresholds_check_overlays(const struct key_reader *reader, const struct yaml_node *gate,
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
