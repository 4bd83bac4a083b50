#include "replay/record_input.h"

#include "baseline/baseline.h"
#include "replay/record_profile.h"
#include "spec/suite.h"

#include <assert.h>

/* If a struct has grown, its new field must be written, too: see RECORD_FORMAT. */
static_assert(sizeof(struct gate_policy) == 176, "record_policy() names every field");
static_assert(sizeof(struct gate_rule_spec) == 72,
	"record_rule() names every field, but for metric, which is that of the workload");
static_assert(sizeof(struct counter_limit) == 48, "record_limit() names every field");
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
	CODEC_WHOLE(codec, rule->kind, RULE_KINDS - 1);
	CODEC_WHOLE(codec, rule->of, QUANTITY_TOTAL);
}

static void
record_limit(struct codec *codec, void *item)
{
	struct counter_limit *limit = item;

	codec_text(codec, &limit->name);
	record_threshold(codec, &limit->threshold);
	codec_double(codec, &limit->max);
	codec_text(codec, &limit->file);
	codec_u32(codec, &limit->line);
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
	codec_path(codec, &waiver->file);
	CODEC_WHOLE(codec, waiver->kind, RULE_KINDS - 1);
	codec_u32(codec, &waiver->line);
	codec_chars(codec, waiver->last_day, sizeof(waiver->last_day));
}

void
record_policy(struct codec *codec, struct gate_policy *policy)
{
	enum policy_action *const actions[] = {&policy->regression, &policy->new_functions,
		&policy->gone_functions, &policy->inconclusive, &policy->missing_baseline,
		&policy->other_machine, &policy->changed_program, &policy->changed_workload,
		&policy->waivers, &policy->self_check, &policy->base_fails};
	const size_t nactions = sizeof(actions) / sizeof(actions[0]);
	const size_t nknown =
		codec_has_format(codec, RECORD_HAS_BASE_FAILS) ? nactions : nactions - 1;

	record_threshold(codec, &policy->total);
	record_threshold(codec, &policy->functions);
	codec_double(codec, &policy->min_share);
	codec_double(codec, &policy->floor);
	codec_double(codec, &policy->min_cost);
	policy->rules = codec_array(
		codec, policy->rules, &policy->nrules, sizeof(*policy->rules), record_rule);
	if (codec_has_format(codec, RECORD_HAS_GATE_COUNTERS))
		policy->counters = codec_array(codec, policy->counters, &policy->ncounters,
			sizeof(*policy->counters), record_limit);
	codec_double(codec, &policy->alpha);
	codec_bool(codec, &policy->strict);
	codec_double(codec, &policy->disturbed);
	codec_bool(codec, &policy->confirm);
	CODEC_WHOLE(codec, policy->decide, DECIDE_AUTO);
	policy->base_fails = codec_is_reading(codec) ? POLICY_WARN : policy->base_fails;
	for (size_t i = 0; i < nknown; i++)
		CODEC_WHOLE(codec, *actions[i], POLICY_FAIL);
	policy->waivers_list = codec_array(codec, policy->waivers_list, &policy->nwaivers,
		sizeof(*policy->waivers_list), record_waiver);
}

/*
 * Without how it is run, except how often, since its environment may hold secrets; and without its
 * gate, since the resolved policy is written.
 */
void
record_workload(struct codec *codec, struct workload *workload)
{
	codec_path(codec, &workload->path);
	codec_text(codec, &workload->name);
	if (codec_is_reading(codec) && workload->name[0] && !unit_is_name(workload->name))
		codec_fail(codec, "a workload without a name");
	if (codec_is_reading(codec))
		workload->folder = unit_folder(workload->name, codec->arena);
	codec_text(codec, &workload->summary);
	codec_text(codec, &workload->capture.metric);
	CODEC_WHOLE(codec, workload->capture.max_runs, UINT32_MAX);
	codec_chars(codec, workload->hash, sizeof(workload->hash));
	if (codec_has_format(codec, RECORD_HAS_BASE_FAILS))
		codec_bool(codec, &workload->counted_instead);
}

void
record_machine(struct codec *codec, struct machine *machine)
{
	for (const struct field *field = machine_fields; field->name; field++)
		record_field(codec, field, machine, NULL);
}

static void
record_baseline_info(struct codec *codec, struct baseline_info *info)
{
	for (const struct field *field = info_fields; field->name; field++) {
		if (!(field->files & FIELD_UNJUDGED))
			record_field(codec, field, info, NULL);
	}
	record_machine(codec, &info->machine);
}

void
record_input_fill(struct record_input *record, const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;

	*record = (struct record_input){
		.input = *input,
		.workload = *input->workload,
		.policy = *judgement_policy(judgement),
	};
	if (input->candidate)
		record->candidate = *input->candidate;
	if (input->before) {
		record->before = *input->before;
		record->before_info = *input->before_info;
	}
	if (input->code)
		record->code = *input->code;
	if (input->instructions)
		record->instructions = *input->instructions;
}

static void
record_code_state(struct codec *codec, void *item)
{
	enum code_state *state = item;

	CODEC_WHOLE(codec, *state, CODE_GONE);
}

static void
record_source_state(struct codec *codec, void *item)
{
	enum source_state *state = item;

	CODEC_WHOLE(codec, *state, SOURCE_USES);
}

static void
record_definition(struct codec *codec, void *item)
{
	uint32_t *definition = item;

	CODEC_WHOLE(codec, *definition, UINT32_MAX);
}

/* Before format 22, the changed type or macro, of which there was one, was that of entry 0. */
static void
take_definition(struct codec *codec, struct code_states *code)
{
	if (!codec_is_reading(codec) || codec->problem || !code->source || code->nframes == 0 ||
		code->source[0] != SOURCE_CHANGED ||
		!codec_take(codec, code->nframes, sizeof(*code->definition)))
		return;
	code->definition = arena_alloc(codec->arena, code->nframes * sizeof(*code->definition));
	for (size_t i = 0; i < code->nframes; i++)
		code->definition[i] = 1;
}

static void
record_code(struct codec *codec, struct code_states *code)
{
	size_t nsource = code->source ? code->nframes : 0;
	size_t ndefinitions = code->definition ? code->nframes : 0;

	code->by_frame = codec_array(
		codec, code->by_frame, &code->nframes, sizeof(*code->by_frame), record_code_state);
	if (!codec_has_format(codec, RECORD_HAS_SOURCE_STATES))
		return;
	code->source = codec_array(
		codec, code->source, &nsource, sizeof(*code->source), record_source_state);
	if (nsource != code->nframes)
		code->source = NULL;
	if (!codec_has_format(codec, RECORD_HAS_DEFINITIONS)) {
		take_definition(codec, code);
		return;
	}
	code->definition = codec_array(codec, code->definition, &ndefinitions,
		sizeof(*code->definition), record_definition);
	if (ndefinitions != code->nframes)
		code->definition = NULL;
}

static void
record_counts(struct codec *codec, struct instruction_counts *counts)
{
	codec_count(codec, &counts->nframes, 2 * sizeof(double));
	if (codec_is_reading(codec) && codec_take(codec, counts->nframes, 2 * sizeof(double))) {
		counts->before = arena_alloc(codec->arena, counts->nframes * sizeof(double));
		counts->after = arena_alloc(codec->arena, counts->nframes * sizeof(double));
	}
	for (size_t i = 0; i < counts->nframes && !codec->problem; i++) {
		codec_double(codec, &counts->before[i]);
		codec_double(codec, &counts->after[i]);
	}
}

static void
record_evidence(struct codec *codec, struct record_input *record)
{
	record_code(codec, &record->code);
	record_counts(codec, &record->instructions);
	record->input.code = record->code.nframes > 0 ? &record->code : NULL;
	record->input.instructions =
		record->instructions.nframes > 0 ? &record->instructions : NULL;
}

/* The sides that there are. */
static void
record_sides(struct codec *codec, struct record_input *record)
{
	struct gate_input *input = &record->input;

	if (codec_has(codec, input->candidate != NULL)) {
		input->candidate = &record->candidate;
		if (codec_is_reading(codec))
			profile_init(&record->candidate);
		record_profile(codec, &record->candidate);
	}
	if (codec_has(codec, input->before != NULL)) {
		input->before = &record->before;
		input->before_info = &record->before_info;
		record_baseline_info(codec, &record->before_info);
		if (codec_is_reading(codec))
			profile_init(&record->before);
		record_profile(codec, &record->before);
	}
}

/* How they ended. */
enum looks_end {
	LOOKS_OPEN,
	LOOKS_LAST,
	LOOKS_STOPPED,
};

static void
record_looks(struct codec *codec, struct looks *looks)
{
	CODEC_WHOLE(codec, looks->count, LOOKS_MAX);
	for (size_t i = 0; i < looks->count; i++)
		codec_u32(codec, &looks->pairs[i]);
	codec_u32(codec, &looks->most);
	enum looks_end end = looks->last ? LOOKS_LAST : looks->stopped ? LOOKS_STOPPED : LOOKS_OPEN;

	CODEC_WHOLE(codec, end, LOOKS_STOPPED);
	looks->last = end == LOOKS_LAST;
	looks->stopped = end == LOOKS_STOPPED;
}

static void
record_subject(struct codec *codec, void *item)
{
	struct screen_subject *subject = item;

	CODEC_WHOLE(codec, subject->rule, FINDING_WAIVERS);
	CODEC_WHOLE(codec, subject->of, QUANTITY_TOTAL);
	codec_text(codec, &subject->name);
}

static void
record_screen(struct codec *codec, struct screen *screen)
{
	screen->subjects = codec_array(codec, screen->subjects, &screen->nsubjects,
		sizeof(*screen->subjects), record_subject);
	CODEC_WHOLE(codec, screen->nworkloads, RECORD_WORKLOADS_MAX);
}

void
record_input(struct codec *codec, struct record_input *record)
{
	struct gate_input *input = &record->input;

	record_workload(codec, &record->workload);
	/* It becomes the name of a folder. */
	if (codec_is_reading(codec) && !record->workload.name[0])
		codec_fail(codec, "a workload without a name");
	record_policy(codec, &record->policy);
	input->workload = &record->workload;
	input->policy = &record->policy;
	CODEC_WHOLE(codec, input->mode, GATE_FILES);
	codec_bool(codec, &input->same_session);
	codec_bool(codec, &input->may_confirm);
	codec_bool(codec, &input->baseline_is_of_other_machine);
	codec_i64(codec, &input->now);
	codec_text_or_null(codec, &input->against);
	codec_text_or_null(codec, &input->error);
	if (codec_has_format(codec, RECORD_HAS_SKIPPED))
		codec_bool(codec, &input->skipped);
	if (codec_has_format(codec, RECORD_HAS_BASE_FAILS)) {
		codec_text_or_null(codec, &input->base_subject);
		codec_text_or_null(codec, &input->base_problem);
		codec_bool(codec, &input->base_is_new);
		codec_text_or_null(codec, &input->stale_files);
	}
	if (codec_has_format(codec, RECORD_HAS_CHANGED_INPUT)) {
		codec_text_or_null(codec, &input->changed_input);
		codec_text_or_null(codec, &input->files_note);
	}
	if (codec_has_format(codec, RECORD_HAS_ORPHANS))
		codec_text_or_null(codec, &input->orphans);
	if (codec_has_format(codec, RECORD_HAS_PLAN)) {
		codec_text_or_null(codec, &input->not_judged);
		codec_text_or_null(codec, &input->base_note);
	}
	if (codec_has_format(codec, RECORD_HAS_UPDATE_COMMAND))
		codec_command_or_null(codec, &input->update_command);
	if (codec_has_format(codec, RECORD_HAS_CHANGED_KEYS))
		codec_text_or_null(codec, &input->changed_keys);
	if (codec_has_format(codec, RECORD_HAS_LOOKS))
		record_looks(codec, &input->looks);
	if (codec_has_format(codec, RECORD_HAS_SCREEN))
		record_screen(codec, &input->screen);
	codec_text(codec, &input->machine_class);
	codec_text(codec, &input->program_hash);
	CODEC_WHOLE(codec, input->program, PROGRAM_DIFFERS);
	codec_bool(codec, &input->not_measured);
	CODEC_WHOLE(codec, input->planned, RECORD_WORKLOADS_MAX);
	if (codec_has_format(codec, RECORD_HAS_BASE_IS_CANDIDATE))
		codec_bool(codec, &input->base_is_candidate);
	if (codec_has_format(codec, RECORD_HAS_UNREACHED))
		codec_text_or_null(codec, &input->unreached);
	record_sides(codec, record);
	record_evidence(codec, record);
}

void
record_input_release(struct record_input *record)
{
	profile_release(&record->candidate);
	profile_release(&record->before);
}
