#include "replay/record_profile.h"

#include "profile/counters.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* If a struct has grown, its new field must be written, too: see RECORD_FORMAT. */
static_assert(sizeof(struct frame) == 32,
	"record_frames() names every field of struct frame, but for build_id and at_line, which no "
	"report has");

/* For a run and its column: four doubles, the rest in a byte each. */
#define RUN_LEAST_BYTES 59

/* Whole numbers up to here are exact as doubles. */
#define EXACT_MAX 9007199254740992.0 /* 2^53 */

static void
record_str_id(struct codec *codec, const struct strtab *strings, str_id *id)
{
	assert(strings);
	CODEC_WHOLE(codec, *id, strings->nentries - 1);
}

void
record_field(
	struct codec *codec, const struct field *field, void *object, const struct strtab *strings)
{
	void *at = (char *)object + field->offset;

	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_HASH:
		codec_chars(codec, at, field->size);
		return;
	case FIELD_COMMIT:
		codec_chars(codec, at, field->size);
		/* It is part of commands. */
		if (codec_is_reading(codec) && strspn(at, "0123456789abcdef") != strlen(at))
			codec_fail(codec, "a commit that is no hash");
		return;
	case FIELD_STR_ID:
	case FIELD_LINES:
		record_str_id(codec, strings, at);
		return;
	case FIELD_BOOL:
		codec_bool(codec, at);
		return;
	case FIELD_U32:
		codec_u32(codec, at);
		return;
	case FIELD_U64:
		codec_u64(codec, at);
		return;
	case FIELD_DOUBLE:
		codec_amount(codec, at);
		return;
	case FIELD_TIME:
		codec_i64(codec, at);
		return;
	}
}

/* The number of items with ids; one takes less memory than this. */
static void
record_count(struct codec *codec, size_t *count, size_t least_bytes)
{
	codec_count(codec, count, least_bytes);
	if (codec_is_reading(codec))
		codec_take(codec, *count, 64);
}

/* In order of their ids; id 0 is the empty string, which every table has. */
static void
record_strings(struct codec *codec, struct strtab *strings)
{
	size_t count = strings->nentries;

	record_count(codec, &count, 1);
	for (size_t id = 1; id < count && !codec->problem; id++) {
		const char *text = "";
		size_t len = 0;

		if (!codec_is_reading(codec)) {
			text = strtab_str(strings, (str_id)id);
			len = strtab_len(strings, (str_id)id);
		}
		codec_bytes(codec, &text, &len);
		if (codec_is_reading(codec) && !codec->problem &&
			strtab_intern(strings, text, len) != id)
			codec_fail(codec, "a string that is there twice");
	}
}

static void
record_frames(struct codec *codec, struct profile *profile)
{
	const struct strtab *strings = &profile->strings;
	size_t count = profile->frames.nframes;

	record_count(codec, &count, 6);
	for (size_t id = 1; id < count && !codec->problem; id++) {
		struct frame frame = {0};

		if (!codec_is_reading(codec))
			frame = profile->frames.frames[id];
		record_str_id(codec, strings, &frame.name);
		CODEC_WHOLE(codec, frame.kind, FRAME_WAIT);
		record_str_id(codec, strings, &frame.module);
		record_str_id(codec, strings, &frame.file);
		codec_u32(codec, &frame.line);
		record_str_id(codec, strings, &frame.full);
		if (!codec_is_reading(codec) || codec->problem)
			continue;
		if (frame_intern(&profile->frames, frame.name, frame.kind) == id)
			profile->frames.frames[id] = frame;
		else
			codec_fail(codec, "a frame that is there twice");
	}
}

/* In order of ids, so that reading assigns the same ones: parents come before their children. */
static void
record_nodes(struct codec *codec, struct profile *profile)
{
	struct ctree *tree = &profile->tree;
	size_t count = tree->nnodes;

	record_count(codec, &count, 2);
	for (size_t id = 1; id < count && !codec->problem; id++) {
		node_id back = 1;
		frame_id frame = 0;

		if (!codec_is_reading(codec)) {
			back = (node_id)id - tree->nodes[id].parent;
			frame = tree->nodes[id].frame;
		}
		CODEC_WHOLE(codec, back, id);
		CODEC_WHOLE(codec, frame, profile->frames.nframes - 1);
		if (!codec_is_reading(codec) || codec->problem)
			continue;
		if (back == 0 || ctree_child(tree, (node_id)id - back, frame) != id)
			codec_fail(codec, "a call tree that is none");
	}
}

/* Nearly all weights are numbers of samples: 2n for n of them, and 1 before any other double. */
static void
record_node_weight(struct codec *codec, double *weight)
{
	bool whole = *weight >= 0 && *weight < EXACT_MAX && *weight == floor(*weight) &&
		     !signbit(*weight);
	uint64_t code = whole ? (uint64_t)*weight << 1 : 1;

	codec_u64(codec, &code);
	if (code & 1)
		codec_amount(codec, weight);
	else if (codec_is_reading(codec))
		*weight = (double)(code >> 1);
}

static node_id
next_weighted(const struct ctree *tree, size_t column, node_id after)
{
	node_id node = after + 1;

	while (node < tree->nnodes && !(ctree_weight(tree, column, node) > 0))
		node++;
	return node;
}

/* Node after node that has a weight, each as its distance from the one before; 0 ends it. */
static void
record_column(struct codec *codec, struct ctree *tree, size_t column)
{
	bool reading = codec_is_reading(codec);

	if (reading)
		ctree_reserve(tree, column);
	for (node_id at = 0; !codec->problem;) {
		node_id next = reading ? at : next_weighted(tree, column, at);
		node_id step = next < tree->nnodes ? next - at : 0;
		double weight = 0;

		CODEC_WHOLE(codec, step, tree->nnodes - 1 - at);
		if (step == 0)
			break;
		at += step;
		if (!reading)
			weight = ctree_weight(tree, column, at);
		record_node_weight(codec, &weight);
		if (reading)
			ctree_add(tree, column, at, weight);
	}
}

static void
record_runs(struct codec *codec, struct profile *profile)
{
	size_t count = profile->nruns;

	codec_count(codec, &count, RUN_LEAST_BYTES);
	if (codec_is_reading(codec) &&
		!codec_take(codec, count, profile->tree.nnodes * sizeof(double)))
		return;
	for (size_t i = 0; i < count && !codec->problem; i++) {
		if (codec_is_reading(codec))
			profile_add_run(profile);
		for (const struct run_field *field = run_fields; field->field.name; field++)
			if (!(field->field.files & FIELD_UNJUDGED))
				record_field(codec, &field->field, &profile->runs[i], NULL);
		record_column(codec, &profile->tree, i);
	}
}

/* A counter of every run. One that we do not know by this name, NCOUNTERS, is read over. */
static void
record_counter(struct codec *codec, struct profile *profile, enum counter_id id)
{
	for (size_t i = 0; i < profile->nruns && !codec->problem; i++) {
		struct run *run = &profile->runs[i];
		double value = 0;

		if (!codec_has(codec, id < NCOUNTERS && (run->counters.known >> id & 1)))
			continue;
		if (!codec_is_reading(codec))
			value = run->counters.values[id];
		codec_amount(codec, &value);
		if (codec_is_reading(codec) && id < NCOUNTERS)
			counter_set(run, id, value);
	}
}

static enum counter_id
find_stored(const char *name, size_t len)
{
	for (enum counter_id id = 0; id < NCOUNTERS; id++) {
		const struct counter_kind *kind = &counter_kinds[id];

		if (!kind->derive && strlen(kind->name) == len &&
			memcmp(kind->name, name, len) == 0)
			return id;
	}
	return NCOUNTERS;
}

/* By name, so that a new kind of counter is no new format. */
static void
record_counters(struct codec *codec, struct profile *profile)
{
	enum counter_id id = 0;

	for (;;) {
		if (!codec_is_reading(codec))
			while (id < NCOUNTERS &&
				(counter_kinds[id].derive || !counter_is_known(profile, id)))
				id++;
		if (!codec_has(codec, id < NCOUNTERS))
			return;
		const char *name = codec_is_reading(codec) ? "" : counter_kinds[id].name;
		size_t len = strlen(name);

		codec_bytes(codec, &name, &len);
		if (codec_is_reading(codec))
			id = find_stored(name, len);
		record_counter(codec, profile, id);
		if (!codec_is_reading(codec))
			id++;
	}
}

/* The weights of samples, which no baseline has. */
static void
record_sample_weights(struct codec *codec, struct profile *profile)
{
	record_str_id(codec, &profile->strings, &profile->weight);
	for (size_t i = 0; i < profile->nruns && !codec->problem; i++)
		codec_amount(codec, &profile->runs[i].effective_samples);
}

void
record_profile(struct codec *codec, struct profile *profile)
{
	record_strings(codec, &profile->strings);
	record_frames(codec, profile);
	record_nodes(codec, profile);
	record_runs(codec, profile);
	if (codec_has_format(codec, RECORD_HAS_COUNTERS))
		record_counters(codec, profile);
	for (const struct field *field = profile_fields; field->name; field++)
		if (!(field->files & FIELD_UNJUDGED))
			record_field(codec, field, profile, &profile->strings);
	if (codec_has_format(codec, RECORD_HAS_STEADINESS))
		record_str_id(codec, &profile->strings, &profile->unsteady);
	if (codec_has_format(codec, RECORD_HAS_WEIGHTS))
		record_sample_weights(codec, profile);
	if (codec_has_format(codec, RECORD_HAS_CPU_CHOICE))
		record_str_id(codec, &profile->strings, &profile->cpu_choice);
	if (codec_has_format(codec, RECORD_HAS_VARIANTS))
		record_str_id(codec, &profile->strings, &profile->variants);
	if (codec_is_reading(codec) && !codec->problem) {
		profile_shorten_names(profile);
		profile_sort(profile);
	}
}
