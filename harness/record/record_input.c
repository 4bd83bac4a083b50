#include "record/record_input.h"

#include "base/mem.h"
#include "record/record_policy.h"
#include "record/record_profile.h"
#include "spec/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both are asked for what the judgement's comparison has. */
static void
fill_evidence(struct record_input *record, const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;

	record->code = judgement->code;
	if (!input->read_instructions || !judgement->compared)
		return;
	record->ninstructions = judgement->comparison.nframes;
	record->instructions = mem_zalloc(record->ninstructions, sizeof(*record->instructions));
	for (frame_id frame = 0; frame < record->ninstructions; frame++)
		input->read_instructions(input->instructions_context, &judgement->comparison, frame,
			&record->instructions[frame].before, &record->instructions[frame].after);
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
	if (input->baseline)
		record->baseline = *input->baseline;
	fill_evidence(record, judgement);
}

static void
read_code(void *context, const struct comparison *comparison, struct code_states *code)
{
	const struct record_input *record = context;

	if (record->code.nframes != comparison->nframes)
		return;
	code->nframes = record->code.nframes;
	code->by_frame = mem_zalloc(code->nframes, sizeof(*code->by_frame));
	memcpy(code->by_frame, record->code.by_frame, code->nframes * sizeof(*code->by_frame));
}

static void
read_instructions(void *context, const struct comparison *comparison, frame_id frame,
	double *before, double *after)
{
	const struct record_input *record = context;
	bool known = record->ninstructions == comparison->nframes;

	*before = known ? record->instructions[frame].before : NAN;
	*after = known ? record->instructions[frame].after : NAN;
}

static void
record_code_state(struct codec *codec, void *item)
{
	enum code_state *state = item;

	CODEC_WHOLE(codec, *state, CODE_GONE);
}

static void
record_counts(struct codec *codec, void *item)
{
	struct record_instructions *counts = item;

	codec_double(codec, &counts->before);
	codec_double(codec, &counts->after);
}

static void
record_evidence(struct codec *codec, struct record_input *record)
{
	record->code.by_frame = codec_array(codec, record->code.by_frame, &record->code.nframes,
		sizeof(*record->code.by_frame), record_code_state);
	record->instructions = codec_array(codec, record->instructions, &record->ninstructions,
		sizeof(*record->instructions), record_counts);
	if (!codec_is_reading(codec))
		return;
	if (record->code.nframes > 0) {
		record->input.read_code = read_code;
		record->input.code_context = record;
	}
	if (record->ninstructions > 0) {
		record->input.read_instructions = read_instructions;
		record->input.instructions_context = record;
	}
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
	if (codec_has(codec, input->baseline != NULL)) {
		input->baseline = &record->baseline;
		record_baseline_info(codec, &record->baseline.info);
		if (codec_is_reading(codec))
			profile_init(&record->baseline.profile);
		record_profile(codec, &record->baseline.profile);
	}
}

void
record_input(struct codec *codec, struct record_input *record)
{
	struct gate_input *input = &record->input;

	record_workload(codec, &record->workload);
	/* It becomes the name of a folder. */
	if (codec_is_reading(codec) && !keys_is_name(record->workload.name))
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
	codec_text(codec, &input->machine_class);
	codec_text(codec, &input->program_hash);
	record_sides(codec, record);
	record_evidence(codec, record);
}

void
record_input_release(struct record_input *record)
{
	profile_release(&record->candidate);
	profile_release(&record->baseline.profile);
}
