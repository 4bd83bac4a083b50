/*
 * The profiles of a speedscope file: sampled ones, which list stacks with weights, and evented
 * ones, which say when functions open and close.
 */
#include "base/log.h"
#include "base/mem.h"
#include "base/unit.h"
#include "ingest/speedscope_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum part_type { TYPE_OTHER, TYPE_SAMPLED, TYPE_EVENTED };

/* The keys of a part, and their places in `part_keys`. */
enum part_key {
	PART_TYPE,
	PART_NAME,
	PART_UNIT,
	PART_START,
	PART_SAMPLES,
	PART_WEIGHTS,
	PART_EVENTS,
	PART_NKEYS,
};

static const char *const part_keys[PART_NKEYS + 1] = {
	"type", "name", "unit", "startValue", "samples", "weights", "events", NULL};

/*
 * A profile of the file, mostly that of a thread; it is called a part here, as struct profile is
 * the result of all.
 */
struct part {
	struct json_fields fields;
	size_t number;
	node_id root;
	const char *items; /* "samples" or "events" */
	enum part_type type;
	char *name; /* owned */
	char *unit; /* owned */
	double start;
	double first_at;          /* of its first event; INFINITY without one */
	bool begun;               /* type, name and unit are known, or known to be absent */
	bool left_out;            /* its quantity is another one */
	bool is_read[PART_NKEYS]; /* of its lists */
	struct json_place later[PART_NKEYS];
};

/* Reports an error of the part, unless the reader of JSON has failed, which has its own error. */
static int
refuse_part(const struct speedscope_reading *reading, const struct part *part, const char *what,
	struct err *err)
{
	if (json_pull_failed(&reading->json))
		return -1;
	return err_set(err, ERR_INPUT, "%s: profiles[%zu]: %s", reading->path, part->number, what);
}

/* Reports an error of one of the part's samples or events, as refuse_part() does. */
static int
refuse_item(const struct speedscope_reading *reading, const struct part *part, size_t item,
	const char *what, struct err *err)
{
	if (json_pull_failed(&reading->json))
		return -1;
	return err_set(err, ERR_INPUT, "%s: profiles[%zu].%s[%zu]: %s", reading->path, part->number,
		part->items, item, what);
}

/* Adds a weight to the node of a stack; an empty stack gets none, since nothing ran. */
static void
add_weight(struct speedscope_reading *reading, const struct part *part, node_id node, double weight)
{
	if (node == part->root || !(weight > 0))
		return;
	ctree_add(&reading->profile->tree, reading->column, node, weight * reading->scale);
}

/* Reads a stack, and finds its node below *node; false where it has an unknown frame. */
static bool
read_stack(struct speedscope_reading *reading, node_id *node)
{
	size_t depth = 0;
	bool as_before = true;
	uint64_t frame;

	while (json_pull_item(&reading->json)) {
		if (!json_pull_whole(&reading->json, reading->nframes, &frame))
			return false;
		as_before = as_before && depth < reading->nsteps &&
			    reading->steps[depth].frame == frame;
		if (!as_before) {
			reading->steps = mem_grow(reading->steps, &reading->steps_capacity,
				depth + 1, sizeof(*reading->steps));
			reading->steps[depth] = (struct speedscope_step){
				frame, ctree_child(&reading->profile->tree, *node,
					       reading->frames[frame])};
			reading->nsteps = depth + 1;
		}
		*node = reading->steps[depth++].node;
	}
	return true;
}

static int
read_samples(struct speedscope_reading *reading, struct part *part, struct err *err)
{
	struct json_pull *json = &reading->json;

	if (!json_pull_list(json))
		return refuse_part(reading, part, "has no list \"samples\"", err);
	while (json_pull_item(json)) {
		const size_t number = reading->nnodes;
		node_id node = part->root;

		if (!json_pull_list(json))
			return refuse_item(reading, part, number, "it is no list of frames", err);
		if (!read_stack(reading, &node))
			return refuse_item(reading, part, number,
				"it has a frame that shared.frames does not have", err);
		reading->nodes = mem_grow(reading->nodes, &reading->nodes_capacity, number + 1,
			sizeof(*reading->nodes));
		reading->nodes[reading->nnodes++] = node;
	}
	return 0;
}

/* Reads the weights of the samples, in their order. */
static int
read_weights(struct speedscope_reading *reading, struct part *part, struct err *err)
{
	struct json_pull *json = &reading->json;
	size_t number = 0;
	double weight;

	if (json_pull_list(json)) {
		for (; json_pull_item(json); number++) {
			const bool is_number = json_pull_number(json, &weight);

			if (number == reading->nnodes)
				return refuse_part(
					reading, part, "has more weights than samples", err);
			if (!is_number || !(weight >= 0) || !isfinite(weight))
				break;
			add_weight(reading, part, reading->nodes[number], weight);
		}
	}
	return number == reading->nnodes
		       ? 0
		       : refuse_item(reading, part, number,
				 "it has no weight: a number of 0 or more in \"weights\"", err);
}

struct event {
	double at;
	frame_id frame;
	bool has_at;
	bool has_frame;
	char type; /* 'O', 'C' or '?' */
};

/* The functions that are open, outermost first: the numbers of the events that opened them. */
struct open_frames {
	size_t *events;
	size_t count;
	size_t capacity;
};

static struct event
read_event(struct speedscope_reading *reading)
{
	static const char *const keys[] = {"type", "frame", "at", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_pull *json = &reading->json;
	struct event event = {.type = '?'};
	struct json_text type;
	uint64_t frame;

	if (!json_pull_object(json))
		return event;
	for (int key; (key = json_pull_field(json, &fields)) >= 0;) {
		if (key == 0 && json_pull_text(json, &type) && type.len == 1) {
			event.type = *type.at;
		} else if (key == 1 && json_pull_whole(json, reading->nframes, &frame)) {
			event.frame = reading->frames[frame];
			event.has_frame = true;
		} else if (key == 2) {
			event.has_at = json_pull_number(json, &event.at) && isfinite(event.at);
		}
	}
	return event;
}

/* Takes the event `number`, which opens or closes a function, below *node. */
static int
take_event(struct speedscope_reading *reading, const struct part *part, const struct event *event,
	size_t number, struct open_frames *open, node_id *node, struct err *err)
{
	struct ctree *tree = &reading->profile->tree;

	if (!event->has_frame)
		return refuse_item(reading, part, number,
			"it has a frame that shared.frames does not have", err);
	if (event->type == 'O') {
		*node = ctree_child(tree, *node, event->frame);
		open->events = mem_grow(
			open->events, &open->capacity, open->count + 1, sizeof(*open->events));
		open->events[open->count++] = number;
		return 0;
	}
	if (event->type != 'C')
		return refuse_item(reading, part, number,
			"it is neither \"O\" nor \"C\", open nor close", err);
	if (open->count == 0)
		return refuse_item(
			reading, part, number, "it closes a function that is not open", err);
	if (tree->nodes[*node].frame != event->frame) {
		refuse_item(reading, part, number,
			"it closes another function than the innermost open one", err);
		return err_note(err, "events[%zu] opened that one", open->events[open->count - 1]);
	}
	open->count--;
	*node = tree->nodes[*node].parent;
	return 0;
}

/* Reads the events in order: the time between two is that of the innermost open function. */
static int
read_event_list(struct speedscope_reading *reading, struct part *part, struct open_frames *open,
	struct err *err)
{
	node_id node = part->root;
	double last = -INFINITY;
	size_t number = 0;

	for (; json_pull_item(&reading->json); number++) {
		const struct event event = read_event(reading);

		if (json_pull_failed(&reading->json))
			return -1;
		if (!event.has_at)
			return refuse_item(
				reading, part, number, "its time \"at\" is no number", err);
		if (event.at < last)
			return refuse_item(reading, part, number,
				"its time is before that of the event ahead of it", err);
		if (number == 0)
			part->first_at = event.at;
		add_weight(reading, part, node, event.at - last);
		last = event.at;
		if (take_event(reading, part, &event, number, open, &node, err) < 0)
			return -1;
	}
	return open->count == 0 ? 0
				: refuse_item(reading, part, open->events[open->count - 1],
					  "the function that it opens is never closed", err);
}

static int
read_events(struct speedscope_reading *reading, struct part *part, struct err *err)
{
	struct open_frames open = {0};

	if (!json_pull_list(&reading->json))
		return refuse_part(reading, part, "has no list \"events\"", err);
	int result = read_event_list(reading, part, &open, err);

	free(open.events);
	return result;
}

/* Leaves the part out; warns of the first only: there can be many, and their units can be long. */
static void
leave_out(struct speedscope_reading *reading, const struct part *part)
{
	if (reading->left_out++ > 0)
		return;
	log_warn("%s: profiles[%zu] is left out: its unit is '%s', that of the first '%s'",
		reading->path, part->number, part->unit, reading->unit);
}

/* Whether the part's unit is of the first part's quantity; sets the scale to that unit's base. */
static bool
take_unit(struct speedscope_reading *reading, const struct part *part)
{
	const struct unit *known = unit_find(part->unit, strlen(part->unit));

	if (!reading->unit) {
		reading->unit = mem_strdup(part->unit);
		reading->base = known ? known->base : reading->unit;
	}
	reading->scale = known ? known->scale : 1;
	return strcmp(known ? known->base : part->unit, reading->base) == 0;
}

/* Begins a part, once its type, name and unit are known. */
static int
begin_part(struct speedscope_reading *reading, struct part *part, struct err *err)
{
	struct profile *profile = reading->profile;

	part->begun = true;
	if (!take_unit(reading, part)) {
		part->left_out = true;
		leave_out(reading, part);
		return 0;
	}
	if (part->type == TYPE_OTHER)
		return refuse_part(
			reading, part, "its type is neither \"sampled\" nor \"evented\"", err);
	part->items = part->type == TYPE_SAMPLED ? "samples" : "events";
	if (!reading->own && *part->name)
		part->root = ctree_child(&profile->tree, CTREE_ROOT,
			profile_frame(profile, part->name, strlen(part->name), FRAME_USER));
	return 0;
}

/* Whether the part's type has this list, and it can be read now. */
static bool
is_ready(const struct part *part, enum part_key key)
{
	if (!part->begun || part->left_out)
		return false;
	if (key == PART_EVENTS)
		return part->type == TYPE_EVENTED;
	return part->type == TYPE_SAMPLED && (key == PART_SAMPLES || part->is_read[PART_SAMPLES]);
}

static int
read_part_list(
	struct speedscope_reading *reading, struct part *part, enum part_key key, struct err *err)
{
	part->is_read[key] = true;
	if (key == PART_EVENTS)
		return read_events(reading, part, err);
	return key == PART_SAMPLES ? read_samples(reading, part, err)
				   : read_weights(reading, part, err);
}

static void
read_type(struct json_pull *json, struct part *part)
{
	struct json_text text;

	if (!json_pull_text(json, &text))
		return;
	if (json_text_is(text, "sampled"))
		part->type = TYPE_SAMPLED;
	else if (json_text_is(text, "evented"))
		part->type = TYPE_EVENTED;
}

static int
read_part_field(
	struct speedscope_reading *reading, struct part *part, enum part_key key, struct err *err)
{
	const uint32_t heading = 1U << PART_TYPE | 1U << PART_NAME | 1U << PART_UNIT;
	struct json_pull *json = &reading->json;

	if (key == PART_TYPE) {
		read_type(json, part);
	} else if (key == PART_NAME || key == PART_UNIT) {
		json_pull_text_dup(json, key == PART_NAME ? &part->name : &part->unit);
	} else if (key == PART_START) {
		json_pull_number(json, &part->start);
	} else if (is_ready(part, key)) {
		return read_part_list(reading, part, key, err);
	} else {
		part->later[key] = json_pull_place(json);
		json_pull_skip(json);
	}
	return !part->begun && (part->fields.seen & heading) == heading && !json_pull_failed(json)
		       ? begin_part(reading, part, err)
		       : 0;
}

/* Reads the lists that had to wait for other members; reports lists that are missing. */
static int
end_part(struct speedscope_reading *reading, struct part *part, struct err *err)
{
	struct json_pull *json = &reading->json;
	const struct json_place end = json_pull_place(json);

	if (json_pull_failed(json) || (!part->begun && begin_part(reading, part, err) < 0))
		return -1;
	for (int key = PART_SAMPLES; key < PART_NKEYS; key++) {
		if (!json_fields_has(&part->fields, key) || part->is_read[key] ||
			!is_ready(part, (enum part_key)key))
			continue;
		json_pull_go(json, part->later[key]);
		if (read_part_list(reading, part, (enum part_key)key, err) < 0)
			return -1;
	}
	json_pull_go(json, end);
	if (part->left_out)
		return 0;
	if (part->type == TYPE_SAMPLED && !part->is_read[PART_SAMPLES])
		return refuse_part(reading, part, "has no list \"samples\"", err);
	if (part->type == TYPE_SAMPLED && !part->is_read[PART_WEIGHTS] && reading->nnodes > 0)
		return refuse_item(reading, part, 0,
			"it has no weight: a number of 0 or more in \"weights\"", err);
	if (part->type == TYPE_EVENTED && !part->is_read[PART_EVENTS])
		return refuse_part(reading, part, "has no list \"events\"", err);
	return part->first_at < part->start
		       ? refuse_item(reading, part, 0,
				 "its time is before the profile's startValue", err)
		       : 0;
}

static int
read_part(struct speedscope_reading *reading, size_t number, struct err *err)
{
	struct part part = {.fields = JSON_FIELDS(part_keys),
		.number = number,
		.root = CTREE_ROOT,
		.name = mem_strdup(""),
		.unit = mem_strdup(""),
		.first_at = INFINITY};
	int result = 0;

	reading->nsteps = 0;
	reading->nnodes = 0;
	if (json_pull_object(&reading->json)) {
		for (int key;
			result == 0 && (key = json_pull_field(&reading->json, &part.fields)) >= 0;)
			result = read_part_field(reading, &part, (enum part_key)key, err);
	}
	if (result == 0)
		result = end_part(reading, &part, err);
	free(part.name);
	free(part.unit);
	return result;
}

int
speedscope_read_parts(struct speedscope_reading *reading, struct err *err)
{
	if (json_pull_list(&reading->json))
		for (size_t number = 0; json_pull_item(&reading->json); number++)
			if (read_part(reading, number, err) < 0)
				return -1;
	if (reading->left_out > 1 && !json_pull_failed(&reading->json))
		log_warn("%s: so are %zu others of its profiles", reading->path,
			reading->left_out - 1);
	return 0;
}
