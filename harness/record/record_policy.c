#include "record/record_policy.h"

#include "baseline/store_fields.h"
#include "record/record_profile.h"

#include <assert.h>

/* A struct that has grown has a field to be written, too: see RECORD_FORMAT. */
static_assert(sizeof(struct gate_policy) == 144, "record_policy() names every field");
static_assert(sizeof(struct gate_rule_spec) == 64, "record_rule() names every field");
static_assert(sizeof(struct waiver) == 80, "record_waiver() names every field");

static void
record_threshold(struct codec *codec, struct threshold *threshold)
{
	codec_double(codec, &threshold->warn);
	codec_double(codec, &threshold->fail);
}

static void
record_rule(struct codec *codec, void *item)
{
	struct gate_rule_spec *rule = item;

	codec_text(codec, &rule->pattern);
	record_threshold(codec, &rule->threshold);
	codec_double(codec, &rule->max_share);
	codec_double(codec, &rule->max_cost);
	codec_text(codec, &rule->file);
	codec_u32(codec, &rule->line);
	CODEC_WHOLE(codec, rule->kind, RULE_TOTAL);
	CODEC_WHOLE(codec, rule->of, QUANTITY_TOTAL);
}

static void
record_waiver(struct codec *codec, void *item)
{
	struct waiver *waiver = item;

	codec_text(codec, &waiver->pattern);
	codec_text(codec, &waiver->workload);
	codec_text(codec, &waiver->reason);
	codec_text(codec, &waiver->owner);
	codec_double(codec, &waiver->max_effect);
	codec_i64(codec, &waiver->expires);
	codec_text(codec, &waiver->file);
	CODEC_WHOLE(codec, waiver->kind, RULE_TOTAL);
	codec_u32(codec, &waiver->line);
	codec_chars(codec, waiver->last_day, sizeof(waiver->last_day));
}

void
record_policy(struct codec *codec, struct gate_policy *policy)
{
	enum policy_action *const actions[] = {&policy->regression, &policy->new_functions,
		&policy->gone_functions, &policy->inconclusive, &policy->missing_baseline,
		&policy->other_machine, &policy->changed_program, &policy->changed_workload,
		&policy->waivers, &policy->self_check};

	record_threshold(codec, &policy->total);
	record_threshold(codec, &policy->functions);
	codec_double(codec, &policy->min_share);
	codec_double(codec, &policy->floor);
	codec_double(codec, &policy->min_cost);
	policy->rules = codec_array(
		codec, policy->rules, &policy->nrules, sizeof(*policy->rules), record_rule);
	codec_double(codec, &policy->alpha);
	codec_bool(codec, &policy->strict);
	codec_bool(codec, &policy->confirm);
	CODEC_WHOLE(codec, policy->decide, DECIDE_INSTRUCTIONS);
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		CODEC_WHOLE(codec, *actions[i], POLICY_FAIL);
	policy->waivers_list = codec_array(codec, policy->waivers_list, &policy->nwaivers,
		sizeof(*policy->waivers_list), record_waiver);
}

void
record_workload(struct codec *codec, struct workload *workload)
{
	codec_text(codec, &workload->path);
	codec_text(codec, &workload->name);
	codec_text(codec, &workload->summary);
	codec_text(codec, &workload->capture.metric);
	codec_chars(codec, workload->hash, sizeof(workload->hash));
}

void
record_machine(struct codec *codec, struct machine *machine)
{
	for (const struct field *field = machine_fields; field->name; field++)
		record_field(codec, field, machine, NULL);
}

void
record_baseline_info(struct codec *codec, struct baseline_info *info)
{
	for (const struct field *field = info_fields; field->name; field++)
		record_field(codec, field, info, NULL);
	record_machine(codec, &info->machine);
}
