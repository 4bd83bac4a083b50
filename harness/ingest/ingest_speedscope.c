/*
 * Files of speedscope: sampled profiles, which list stacks with weights, and evented ones, which
 * say when functions open and close.
 *
 * Source: file-format-spec.ts of github.com/jlfwong/speedscope.
 */
#include "base/log.h"
#include "base/mem.h"
#include "base/unit.h"
#include "ingest/describe.h"
#include "ingest/ingest.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "speedscope.app/file-format-schema"
/* Our own files have the process at the root of each stack. */
#define OWN_EXPORTER "profile_run "

struct reading {
	struct profile *profile;
	const char *path;
	size_t column;
	frame_id *frames; /* by their number in the file */
	size_t nframes;
	const char *unit; /* of the first profile */
	const char *base; /* of its quantity, in which weights are */
	double scale;     /* of the current profile's unit to it */
	bool own;
	double total;
	size_t left_out; /* profiles of another quantity */
};

/* One of the file's profiles: a thread's, mostly. */
struct part {
	const cJSON *json;
	size_t number;
	node_id root;
};

static bool
detect(const char *bytes, size_t len)
{
	return len > 0 && memmem(bytes, len, SCHEMA, strlen(SCHEMA)) &&
	       bytes[strspn(bytes, " \t\r\n")] == '{';
}

static const char *
text_of(const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

	return text ? text : "";
}

/* NULL if it is no list, or an empty one. */
static const cJSON *
first_of(const cJSON *list)
{
	return cJSON_IsArray(list) ? list->child : NULL;
}

static int
refuse(const struct reading *reading, const struct part *part, const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: profiles[%zu]: %s", reading->path, part->number, what);
}

static void
add_frame(struct reading *reading, const cJSON *json)
{
	struct profile *profile = reading->profile;
	const char *name = text_of(json, "name");
	const cJSON *line = cJSON_GetObjectItemCaseSensitive(json, "line");
	const frame_id id = profile_frame_text(
		profile, *name ? name : "[unknown]", strlen(*name ? name : "[unknown]"));
	struct frame *frame = &profile->frames.frames[id];

	describe_set(profile, &frame->file, text_of(json, "file"));
	if (frame->line == 0 && cJSON_IsNumber(line) && line->valuedouble >= 1 &&
		line->valuedouble <= UINT32_MAX)
		frame->line = (uint32_t)line->valuedouble;
	reading->frames[reading->nframes++] = id;
}

static int
read_frames(struct reading *reading, const cJSON *root, struct err *err)
{
	const cJSON *shared = cJSON_GetObjectItemCaseSensitive(root, "shared");
	const cJSON *frames = cJSON_GetObjectItemCaseSensitive(shared, "frames");
	if (!cJSON_IsArray(frames))
		return err_set(err, ERR_INPUT, "%s: has no list shared.frames", reading->path);
	reading->frames =
		mem_zalloc((size_t)cJSON_GetArraySize(frames) + 1, sizeof(*reading->frames));
	for (const cJSON *frame = frames->child; frame; frame = frame->next)
		add_frame(reading, frame);
	return 0;
}

/* Whether it is the number of a frame. */
static bool
is_frame(const struct reading *reading, const cJSON *json, frame_id *frame)
{
	if (!cJSON_IsNumber(json) || !(json->valuedouble >= 0) ||
		json->valuedouble >= (double)reading->nframes)
		return false;
	*frame = reading->frames[(size_t)json->valuedouble];
	return true;
}

/* Without a stack nothing ran. */
static void
add_weight(struct reading *reading, const struct part *part, node_id node, double weight)
{
	if (node == part->root || !(weight > 0))
		return;
	ctree_add(&reading->profile->tree, reading->column, node, weight * reading->scale);
	reading->total += weight;
}

static int
read_sampled(struct reading *reading, const struct part *part, struct err *err)
{
	const cJSON *samples = cJSON_GetObjectItemCaseSensitive(part->json, "samples");
	const cJSON *weights = cJSON_GetObjectItemCaseSensitive(part->json, "weights");
	const cJSON *weight = first_of(weights);

	for (const cJSON *sample = first_of(samples); sample; sample = sample->next) {
		node_id node = part->root;
		frame_id frame;

		if (!weight || !cJSON_IsNumber(weight) || !(weight->valuedouble >= 0) ||
			!isfinite(weight->valuedouble))
			return refuse(reading, part, "a sample has no weight", err);
		for (const cJSON *json = first_of(sample); json; json = json->next) {
			if (!is_frame(reading, json, &frame))
				return refuse(reading, part,
					"a sample has a frame that shared.frames does not have",
					err);
			node = ctree_child(&reading->profile->tree, node, frame);
		}
		add_weight(reading, part, node, weight->valuedouble);
		weight = weight->next;
	}
	return 0;
}

/* Functions open and close in order: the time between two events is that of the innermost one. */
static int
read_evented(struct reading *reading, const struct part *part, struct err *err)
{
	const cJSON *events = cJSON_GetObjectItemCaseSensitive(part->json, "events");
	struct ctree *tree = &reading->profile->tree;
	node_id node = part->root;
	double last = 0;

	for (const cJSON *event = first_of(events); event; event = event->next) {
		const cJSON *at = cJSON_GetObjectItemCaseSensitive(event, "at");
		frame_id frame;

		if (!cJSON_IsNumber(at) || !isfinite(at->valuedouble) ||
			(event != events->child && at->valuedouble < last))
			return refuse(reading, part, "events are not in order of time", err);
		if (!is_frame(reading, cJSON_GetObjectItemCaseSensitive(event, "frame"), &frame))
			return refuse(reading, part,
				"an event has a frame that shared.frames does not have", err);
		add_weight(reading, part, node, at->valuedouble - last);
		last = at->valuedouble;
		if (strcmp(text_of(event, "type"), "O") == 0) {
			node = ctree_child(tree, node, frame);
			continue;
		}
		if (strcmp(text_of(event, "type"), "C") != 0)
			return refuse(reading, part, "an event is neither \"O\" nor \"C\"", err);
		if (node == part->root || tree->nodes[node].frame != frame)
			return refuse(reading, part, "a function closes that is not open", err);
		node = tree->nodes[node].parent;
	}
	return 0;
}

/* Said of the first one: there can be many, and their units can be long. */
static void
leave_out(struct reading *reading, const struct part *part, const char *unit)
{
	if (reading->left_out++ > 0)
		return;
	log_warn("%s: profiles[%zu] is left out: its unit is '%s', that of the first '%s'",
		reading->path, part->number, unit, reading->unit);
}

/* Whether the part's unit is of the quantity of the first one's, to which it is then scaled. */
static bool
take_unit(struct reading *reading, const struct part *part)
{
	const char *unit = text_of(part->json, "unit");
	const struct unit *known = unit_find(unit, strlen(unit));
	const char *base = known ? known->base : unit;

	if (!reading->unit) {
		reading->unit = unit;
		reading->base = base;
		describe_unit(reading->profile, unit, strcmp(unit, "none") == 0 ? 0 : strlen(unit));
	}
	reading->scale = known ? known->scale : 1;
	if (strcmp(base, reading->base) == 0)
		return true;
	leave_out(reading, part, unit);
	return false;
}

static int
read_part(struct reading *reading, struct part *part, struct err *err)
{
	struct profile *profile = reading->profile;
	const char *type = text_of(part->json, "type");
	const char *name = text_of(part->json, "name");

	if (!take_unit(reading, part))
		return 0;
	if (!reading->own && *name)
		part->root = ctree_child(&profile->tree, CTREE_ROOT,
			profile_frame(profile, name, strlen(name), FRAME_USER));
	if (strcmp(type, "sampled") == 0)
		return read_sampled(reading, part, err);
	if (strcmp(type, "evented") == 0)
		return read_evented(reading, part, err);
	return refuse(reading, part, "its type is neither \"sampled\" nor \"evented\"", err);
}

/* In our own files weights that the format has no unit for are described beside it. */
static void
describe_own(struct profile *profile, const cJSON *root)
{
	const cJSON *weights = cJSON_GetObjectItemCaseSensitive(root, "weights");

	describe_set(profile, &profile->unit, text_of(weights, "unit"));
	describe_set(profile, &profile->metric, text_of(weights, "metric"));
	describe_set(profile, &profile->event, text_of(weights, "event"));
}

static int
read_root(struct reading *reading, const cJSON *root, struct err *err)
{
	const cJSON *profiles = cJSON_GetObjectItemCaseSensitive(root, "profiles");
	struct part part = {.number = 0};

	reading->own = strncmp(text_of(root, "exporter"), OWN_EXPORTER, strlen(OWN_EXPORTER)) == 0;
	if (reading->own)
		describe_own(reading->profile, root);
	reading->column = profile_add_run(reading->profile);
	if (read_frames(reading, root, err) < 0)
		return -1;
	for (part.json = first_of(profiles); part.json; part.json = part.json->next) {
		part.root = CTREE_ROOT;
		if (read_part(reading, &part, err) < 0)
			return -1;
		part.number++;
	}
	if (reading->left_out > 1)
		log_warn("%s: so are %zu others of its profiles", reading->path,
			reading->left_out - 1);
	if (reading->total > 0)
		return 0;
	return err_set(err, ERR_INPUT, "%s: its profiles hold no weights", reading->path);
}

static int
read_speedscope(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile, .path = path};
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(view->data, view->len, &end, false);

	(void)options;
	if (!root) {
		const size_t at = end ? (size_t)(end - view->data) : 0;
		const struct location where = location_at(path, view->data, view->len, at);

		return err_set_at(err, &where, "this is not JSON");
	}
	int result = read_root(&reading, root, err);

	free(reading.frames);
	cJSON_Delete(root);
	return result;
}

const struct input_format ingest_speedscope = {
	.name = "speedscope",
	.summary = "the JSON of speedscope, sampled or evented",
	.detect = detect,
	.read = read_speedscope,
	.labels = LABEL_BIT(LABEL_THREAD),
};
