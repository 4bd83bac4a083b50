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
#include "ingest/json_file.h"
#include "profile/weights.h"

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
	size_t left_out; /* profiles of another quantity */
};

/* One of the file's profiles: a thread's, mostly. */
struct part {
	const cJSON *json;
	size_t number;
	node_id root;
	const char *items; /* "samples" or "events" */
};

static bool
detect_speedscope(const char *bytes, size_t len)
{
	return json_file_begins(bytes, len) && memmem(bytes, len, SCHEMA, strlen(SCHEMA));
}

static int
refuse_speedscope(
	const struct reading *reading, const struct part *part, const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: profiles[%zu]: %s", reading->path, part->number, what);
}

/* The same of one of its samples or events. */
static int
refuse_item(const struct reading *reading, const struct part *part, size_t item, const char *what,
	struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: profiles[%zu].%s[%zu]: %s", reading->path, part->number,
		part->items, item, what);
}

static void
add_frame(struct reading *reading, const cJSON *json)
{
	struct profile *profile = reading->profile;
	const char *name = json_file_text(json, "name");
	const cJSON *line = cJSON_GetObjectItemCaseSensitive(json, "line");
	const frame_id id = profile_frame_text(
		profile, *name ? name : "[unknown]", strlen(*name ? name : "[unknown]"));
	struct frame *frame = &profile->frames.frames[id];

	describe_set(profile, &frame->file, json_file_text(json, "file"));
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
	for (const cJSON *frame = frames->child; frame; frame = frame->next) {
		if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(frame, "name")))
			return err_set(err, ERR_INPUT, "%s: shared.frames[%zu]: it has no name",
				reading->path, reading->nframes);
		add_frame(reading, frame);
	}
	return 0;
}

/* Whether it is the number of a frame. */
static bool
is_frame(const struct reading *reading, const cJSON *json, frame_id *frame)
{
	size_t number;

	if (!json_file_whole(json, (double)reading->nframes, &number))
		return false;
	*frame = reading->frames[number];
	return true;
}

/* Without a stack nothing ran. */
static void
add_weight(struct reading *reading, const struct part *part, node_id node, double weight)
{
	if (node == part->root || !(weight > 0))
		return;
	ctree_add(&reading->profile->tree, reading->column, node, weight * reading->scale);
}

static int
read_sampled(struct reading *reading, struct part *part, struct err *err)
{
	const cJSON *samples = cJSON_GetObjectItemCaseSensitive(part->json, "samples");
	const cJSON *weights = cJSON_GetObjectItemCaseSensitive(part->json, "weights");
	const cJSON *weight = json_file_first(weights);
	size_t number = 0;

	part->items = "samples";
	if (!cJSON_IsArray(samples))
		return refuse_speedscope(reading, part, "has no list \"samples\"", err);
	for (const cJSON *sample = json_file_first(samples); sample; sample = sample->next) {
		node_id node = part->root;
		frame_id frame;

		if (!weight || !cJSON_IsNumber(weight) || !(weight->valuedouble >= 0) ||
			!isfinite(weight->valuedouble))
			return refuse_item(reading, part, number,
				"it has no weight: a number of 0 or more in \"weights\"", err);
		if (!cJSON_IsArray(sample))
			return refuse_item(reading, part, number, "it is no list of frames", err);
		for (const cJSON *json = json_file_first(sample); json; json = json->next) {
			if (!is_frame(reading, json, &frame))
				return refuse_item(reading, part, number,
					"it has a frame that shared.frames does not have", err);
			node = ctree_child(&reading->profile->tree, node, frame);
		}
		add_weight(reading, part, node, weight->valuedouble);
		weight = weight->next;
		number++;
	}
	return weight ? refuse_speedscope(reading, part, "has more weights than samples", err) : 0;
}

/* The functions that are open, outermost first: the numbers of the events that opened them. */
struct open_frames {
	size_t *events;
	size_t count;
	size_t capacity;
};

/* Takes the event `number`, which opens or closes `frame`, below *node. */
static int
take_event(struct reading *reading, const struct part *part, const cJSON *event, size_t number,
	struct open_frames *open, node_id *node, struct err *err)
{
	struct ctree *tree = &reading->profile->tree;
	const char *type = json_file_text(event, "type");
	frame_id frame;

	if (!is_frame(reading, cJSON_GetObjectItemCaseSensitive(event, "frame"), &frame))
		return refuse_item(reading, part, number,
			"it has a frame that shared.frames does not have", err);
	if (strcmp(type, "O") == 0) {
		*node = ctree_child(tree, *node, frame);
		open->events = mem_grow(
			open->events, &open->capacity, open->count + 1, sizeof(*open->events));
		open->events[open->count++] = number;
		return 0;
	}
	if (strcmp(type, "C") != 0)
		return refuse_item(reading, part, number,
			"it is neither \"O\" nor \"C\", open nor close", err);
	if (open->count == 0)
		return refuse_item(
			reading, part, number, "it closes a function that is not open", err);
	if (tree->nodes[*node].frame != frame) {
		refuse_item(reading, part, number,
			"it closes another function than the innermost open one", err);
		return err_note(err, "events[%zu] opened that one", open->events[open->count - 1]);
	}
	open->count--;
	*node = tree->nodes[*node].parent;
	return 0;
}

/* Functions open and close in order: the time between two events is that of the innermost one. */
static int
read_events(struct reading *reading, const struct part *part, const cJSON *events,
	struct open_frames *open, struct err *err)
{
	const cJSON *start = cJSON_GetObjectItemCaseSensitive(part->json, "startValue");
	double last = cJSON_IsNumber(start) ? start->valuedouble : 0;
	node_id node = part->root;
	size_t number = 0;

	for (const cJSON *event = json_file_first(events); event; event = event->next) {
		const cJSON *at = cJSON_GetObjectItemCaseSensitive(event, "at");

		if (!cJSON_IsNumber(at) || !isfinite(at->valuedouble))
			return refuse_item(
				reading, part, number, "its time \"at\" is no number", err);
		if (at->valuedouble < last)
			return refuse_item(reading, part, number,
				number == 0 ? "its time is before the profile's startValue"
					    : "its time is before that of the event ahead of it",
				err);
		add_weight(reading, part, node, at->valuedouble - last);
		last = at->valuedouble;
		if (take_event(reading, part, event, number, open, &node, err) < 0)
			return -1;
		number++;
	}
	return open->count == 0 ? 0
				: refuse_item(reading, part, open->events[open->count - 1],
					  "the function that it opens is never closed", err);
}

static int
read_evented(struct reading *reading, struct part *part, struct err *err)
{
	const cJSON *events = cJSON_GetObjectItemCaseSensitive(part->json, "events");
	struct open_frames open = {0};

	part->items = "events";
	if (!cJSON_IsArray(events))
		return refuse_speedscope(reading, part, "has no list \"events\"", err);
	int result = read_events(reading, part, events, &open, err);

	free(open.events);
	return result;
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
	const char *unit = json_file_text(part->json, "unit");
	const struct unit *known = unit_find(unit, strlen(unit));
	const char *base = known ? known->base : unit;

	if (!reading->unit) {
		reading->unit = unit;
		reading->base = base;
		describe_unit(reading->profile, unit, strlen(unit));
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
	const char *type = json_file_text(part->json, "type");
	const char *name = json_file_text(part->json, "name");

	if (!take_unit(reading, part))
		return 0;
	if (!reading->own && *name)
		part->root = ctree_child(&profile->tree, CTREE_ROOT,
			profile_frame(profile, name, strlen(name), FRAME_USER));
	if (strcmp(type, "sampled") == 0)
		return read_sampled(reading, part, err);
	if (strcmp(type, "evented") == 0)
		return read_evented(reading, part, err);
	return refuse_speedscope(
		reading, part, "its type is neither \"sampled\" nor \"evented\"", err);
}

static double
number_of(const cJSON *object, const char *key)
{
	const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

/*
 * Samples that weigh their periods: without this, sampled instructions would be taken for counted
 * ones.
 */
static void
describe_periods(struct profile *profile, struct run *run, const cJSON *weights)
{
	if (strcmp(json_file_text(weights, "weight"), WEIGHT_PERIOD) == 0)
		weights_set_periods(profile, run, number_of(weights, "samples"),
			number_of(weights, "effective_samples"));
}

/* In our own files weights that the format has no unit for are described beside it. */
static void
describe_own(struct profile *profile, const cJSON *root)
{
	const cJSON *weights = cJSON_GetObjectItemCaseSensitive(root, "weights");

	describe_set(profile, &profile->unit, json_file_text(weights, "unit"));
	describe_set(profile, &profile->metric, json_file_text(weights, "metric"));
	describe_set(profile, &profile->event, json_file_text(weights, "event"));
}

static int
read_root(struct reading *reading, const cJSON *root, struct err *err)
{
	const cJSON *profiles = cJSON_GetObjectItemCaseSensitive(root, "profiles");
	struct part part = {.number = 0};

	reading->own =
		strncmp(json_file_text(root, "exporter"), OWN_EXPORTER, strlen(OWN_EXPORTER)) == 0;
	if (reading->own)
		describe_own(reading->profile, root);
	reading->column = profile_add_run(reading->profile);
	if (reading->own)
		describe_periods(reading->profile, &reading->profile->runs[reading->column],
			cJSON_GetObjectItemCaseSensitive(root, "weights"));
	if (read_frames(reading, root, err) < 0)
		return -1;
	for (part.json = json_file_first(profiles); part.json; part.json = part.json->next) {
		part.root = CTREE_ROOT;
		if (read_part(reading, &part, err) < 0)
			return -1;
		part.number++;
	}
	if (reading->left_out > 1)
		log_warn("%s: so are %zu others of its profiles", reading->path,
			reading->left_out - 1);
	return 0;
}

static int
read_speedscope(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct reading reading = {.profile = profile, .path = path};
	cJSON *root = json_file_parse(view, path, err);

	(void)options;
	if (!root)
		return -1;
	int result = read_root(&reading, root, err);

	free(reading.frames);
	cJSON_Delete(root);
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
