/*
 * Files of speedscope: their frames, and what they say of the whole file. Their profiles are read
 * in speedscope_parts.c.
 *
 * Source: file-format-spec.ts of github.com/jlfwong/speedscope.
 */
#include "base/err.h"
#include "base/json_pull.h"
#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"
#include "ingest/speedscope_internal.h"
#include "profile/profile.h"
#include "profile/weights.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "speedscope.app/file-format-schema"
/* Our own files have the process at the root of each stack. */
#define OWN_EXPORTER "profile_run "

static bool
detect_speedscope(const char *bytes, size_t len)
{
	return json_file_begins(bytes, len) && memmem(bytes, len, SCHEMA, strlen(SCHEMA));
}

struct described_frame {
	struct buf name;
	struct buf file;
	double line;
};

static void
add_frame(struct speedscope_reading *reading, const struct described_frame *described)
{
	static const char unknown[] = "[unknown]";
	struct profile *profile = reading->profile;
	const bool named = described->name.len > 0;
	const frame_id id =
		profile_frame_text(profile, named ? buf_text(&described->name) : unknown,
			named ? described->name.len : strlen(unknown));
	struct frame *frame = &profile->frames.frames[id];

	describe_set(profile, &frame->file, buf_text(&described->file));
	if (frame->line == 0 && described->line >= 1 && described->line <= UINT32_MAX)
		frame->line = (uint32_t)described->line;
	reading->frames = mem_grow(reading->frames, &reading->frames_capacity, reading->nframes + 1,
		sizeof(*reading->frames));
	reading->frames[reading->nframes++] = id;
}

/* Reads a frame; returns whether it has a name. */
static bool
read_frame(struct json_pull *json, struct described_frame *frame)
{
	static const char *const keys[] = {"name", "file", "line", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_text text;
	bool named = false;

	buf_clear(&frame->name);
	buf_clear(&frame->file);
	frame->line = 0;
	if (!json_pull_object(json))
		return false;
	for (int key; (key = json_pull_field(json, &fields)) >= 0;) {
		if (key == 2) {
			json_pull_number(json, &frame->line);
		} else if (json_pull_text(json, &text)) {
			buf_put(key == 0 ? &frame->name : &frame->file, text.at, text.len);
			named |= key == 0;
		}
	}
	return named;
}

static int
read_frames(struct speedscope_reading *reading, struct err *err)
{
	struct json_pull *json = &reading->json;
	struct described_frame frame = {.line = 0};
	int result = 0;

	reading->has_frames = json_pull_list(json);
	while (reading->has_frames && result == 0 && json_pull_item(json)) {
		if (read_frame(json, &frame))
			add_frame(reading, &frame);
		else
			result = json_pull_failed(json)
					 ? -1
					 : err_set(err, ERR_INPUT,
						   "%s: shared.frames[%zu]: it has no name",
						   reading->path, reading->nframes);
	}
	buf_release(&frame.name);
	buf_release(&frame.file);
	return result;
}

static int
read_shared(struct speedscope_reading *reading, struct err *err)
{
	static const char *const keys[] = {"frames", NULL};
	struct json_fields fields = JSON_FIELDS(keys);

	if (!json_pull_object(&reading->json))
		return 0;
	while (json_pull_field(&reading->json, &fields) >= 0)
		if (read_frames(reading, err) < 0)
			return -1;
	return 0;
}

static void
read_own_weights(struct json_pull *json, struct speedscope_weights *weights)
{
	static const char *const keys[] = {
		"unit", "metric", "event", "weight", "samples", "effective_samples", NULL};
	char **const texts[] = {&weights->unit, &weights->metric, &weights->event};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_text weight;

	if (!json_pull_object(json))
		return;
	for (int key; (key = json_pull_field(json, &fields)) >= 0;) {
		if (key < 3)
			json_pull_text_dup(json, texts[key]);
		else if (key == 3)
			weights->periods = json_pull_text(json, &weight) &&
					   json_text_is(weight, WEIGHT_PERIOD);
		else
			json_pull_number(
				json, key == 4 ? &weights->samples : &weights->effective_samples);
	}
}

/*
 * Describes the weights of a file that profile_run wrote. That samples weigh their periods must be
 * known: otherwise sampled instructions would be taken for counted ones.
 */
static void
describe_own(struct profile *profile, struct run *run, const struct speedscope_weights *weights)
{
	describe_set(profile, &profile->unit, weights->unit ? weights->unit : "");
	describe_set(profile, &profile->metric, weights->metric ? weights->metric : "");
	describe_set(profile, &profile->event, weights->event ? weights->event : "");
	if (weights->periods)
		weights_set_periods(profile, run, weights->samples, weights->effective_samples);
}

static bool
is_own(struct json_pull *json)
{
	struct json_text exporter;

	return json_pull_text(json, &exporter) && exporter.len >= strlen(OWN_EXPORTER) &&
	       memcmp(exporter.at, OWN_EXPORTER, strlen(OWN_EXPORTER)) == 0;
}

enum root_key { ROOT_EXPORTER, ROOT_WEIGHTS, ROOT_SHARED, ROOT_PROFILES };

/* Reads the file's members: the profiles last, after the frames and the program that wrote it. */
static int
read_members(struct speedscope_reading *reading, struct err *err)
{
	static const char *const keys[] = {"exporter", "weights", "shared", "profiles", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_pull *json = &reading->json;
	struct json_place later = {0};
	bool wait = false;
	int result = 0;

	if (json_pull_object(json)) {
		for (int key; result == 0 && (key = json_pull_field(json, &fields)) >= 0;) {
			if (key == ROOT_EXPORTER) {
				reading->own = is_own(json);
			} else if (key == ROOT_WEIGHTS) {
				read_own_weights(json, &reading->weights);
			} else if (key == ROOT_SHARED) {
				result = read_shared(reading, err);
			} else if (reading->has_frames && json_fields_has(&fields, ROOT_EXPORTER)) {
				result = speedscope_read_parts(reading, err);
			} else {
				wait = true;
				later = json_pull_place(json);
				json_pull_skip(json);
			}
		}
	}
	if (result < 0 || json_pull_failed(json))
		return -1;
	if (!reading->has_frames)
		return err_set(err, ERR_INPUT, "%s: has no list shared.frames", reading->path);
	const struct json_place end = json_pull_place(json);

	if (wait) {
		json_pull_go(json, later);
		result = speedscope_read_parts(reading, err);
		json_pull_go(json, end);
	}
	return result;
}

static int
read_root(struct speedscope_reading *reading, struct err *err)
{
	struct profile *profile = reading->profile;

	reading->column = profile_add_run(profile);
	const int result = read_members(reading, err);

	if (json_pull_end(&reading->json, result, JSON_FILE_MORE, err) < 0)
		return -1;
	if (reading->own)
		describe_own(profile, &profile->runs[reading->column], &reading->weights);
	if (reading->unit)
		describe_unit(profile, reading->unit, strlen(reading->unit));
	return 0;
}

static int
read_speedscope(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct speedscope_reading reading = {.profile = profile, .path = path};

	(void)options;
	json_pull_init(&reading.json, path, view);
	int result = read_root(&reading, err);

	json_pull_release(&reading.json);
	free(reading.frames);
	free(reading.unit);
	free(reading.weights.unit);
	free(reading.weights.metric);
	free(reading.weights.event);
	free(reading.steps);
	free(reading.nodes);
	return result;
}

const struct input_format ingest_speedscope = {
	.name = "speedscope",
	.summary = "the JSON of speedscope, sampled or evented",
	.detect = detect_speedscope,
	.read = read_speedscope,
	.labels = LABEL_BIT(LABEL_THREAD),
	.if_weightless =
		"it has no stacks, or they end when they begin: export it from a longer recording",
};
