#include "spec/policy_fields.h"

#include "spec/keys.h"

#include <fnmatch.h>
#include <string.h>

#define FIELD(section_, key_, kind_, field)                            \
	{                                                              \
		.section = (section_), .key = (key_), .kind = (kind_), \
		.in_overlay = offsetof(struct gate_overlay, field),    \
		.in_policy = offsetof(struct gate_policy, field)       \
	}

const struct policy_field policy_fields[] = {
	FIELD("total", "warn", POLICY_NUMBER, total.warn),
	FIELD("total", "fail", POLICY_NUMBER, total.fail),
	FIELD("functions", "warn", POLICY_NUMBER, functions.warn),
	FIELD("functions", "fail", POLICY_NUMBER, functions.fail),
	FIELD("functions", "min_share", POLICY_NUMBER, min_share),
	FIELD("functions", "floor", POLICY_NUMBER, floor),
	FIELD("functions", "min_cost", POLICY_NUMBER, min_cost),
	FIELD(NULL, "alpha", POLICY_NUMBER, alpha),
	FIELD(NULL, "strict", POLICY_SWITCH, strict),
	FIELD(NULL, "confirm", POLICY_SWITCH, confirm),
	FIELD("policy", "regression", POLICY_CHOICE, regression),
	FIELD("policy", "new_functions", POLICY_CHOICE, new_functions),
	FIELD("policy", "gone_functions", POLICY_CHOICE, gone_functions),
	FIELD("policy", "inconclusive", POLICY_CHOICE, inconclusive),
	FIELD("policy", "self_check", POLICY_CHOICE, self_check),
	{.key = NULL},
};

struct gate_overlay
gate_overlay_none(void)
{
	return (struct gate_overlay){
		.total = {.warn = -1, .fail = -1},
		.functions = {.warn = -1, .fail = -1},
		.min_share = -1,
		.floor = -1,
		.min_cost = -1,
		.alpha = -1,
		.strict = -1,
		.confirm = -1,
		.regression = -1,
		.new_functions = -1,
		.gone_functions = -1,
		.inconclusive = -1,
		.self_check = -1,
	};
}

struct gate_overlays
gate_overlays_none(void)
{
	return (struct gate_overlays){
		.stored = gate_overlay_none(),
		.paired = gate_overlay_none(),
		.counted = gate_overlay_none(),
	};
}

static void
apply_field(const struct policy_field *field, const struct gate_overlay *overlay,
	struct gate_policy *policy)
{
	const char *from = (const char *)overlay + field->in_overlay;
	char *to = (char *)policy + field->in_policy;
	enum policy_action action;
	double number;
	bool on;
	int value;

	if (field->kind == POLICY_NUMBER) {
		memcpy(&number, from, sizeof(number));
		/* NAN, "never", is set. */
		if (!(number < 0))
			memcpy(to, &number, sizeof(number));
		return;
	}
	memcpy(&value, from, sizeof(value));
	if (value < 0)
		return;
	on = value != 0;
	action = (enum policy_action)value;
	if (field->kind == POLICY_SWITCH)
		memcpy(to, &on, sizeof(on));
	else
		memcpy(to, &action, sizeof(action));
}

void
gate_overlay_apply(const struct gate_overlay *overlay, struct gate_policy *policy)
{
	for (const struct policy_field *field = policy_fields; field->key; field++)
		apply_field(field, overlay, policy);
}

void
gate_overlay_lay(const struct gate_overlay *overlay, struct gate_overlay *over)
{
	for (const struct policy_field *field = policy_fields; field->key; field++) {
		const char *from = (const char *)overlay + field->in_overlay;
		char *to = (char *)over + field->in_overlay;
		double number;
		int value;

		if (field->kind == POLICY_NUMBER) {
			memcpy(&number, from, sizeof(number));
			/* NAN, "never", is set. */
			if (!(number < 0))
				memcpy(to, &number, sizeof(number));
			continue;
		}
		memcpy(&value, from, sizeof(value));
		if (value >= 0)
			memcpy(to, &value, sizeof(value));
	}
}

void
gate_overlay_set_aside(struct gate_overlay *overlay, const struct yaml_node *gate)
{
	const double no_number = -1;
	const int no_value = -1;

	for (const struct policy_field *field = policy_fields; field->key; field++) {
		const struct yaml_node *in =
			field->section ? keys_find(gate, field->section) : gate;
		char *at = (char *)overlay + field->in_overlay;

		if (!keys_find(in, field->key))
			continue;
		if (field->kind == POLICY_NUMBER)
			memcpy(at, &no_number, sizeof(no_number));
		else
			memcpy(at, &no_value, sizeof(no_value));
	}
}

/* Files are checked one overlay at a time; several branches together may still cross. */
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
		const struct gate_overlay *overlay = &overlays->branches[i];

		if (overlay->branch && fnmatch(overlay->branch, branch, 0) == 0)
			gate_overlay_apply(overlay, &policy);
	}
	uncross(&policy.total);
	uncross(&policy.functions);
	return policy;
}
