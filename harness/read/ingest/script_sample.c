/* The samples of perf script's text: from their fields and frames to weights of the call tree. */
#include "ingest/script_internal.h"

#include "base/mem.h"
#include "ingest/sample_weights.h"

#include <stdlib.h>
#include <string.h>

/* More than perf opens at once; of further ones only those that are wanted are taken. */
#define EVENTS_MAX 1024

void
script_events_release(struct script_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free((char *)events->totals[i].name);
	free(events->totals);
	free(events->later);
	text_map_release(&events->names);
	*events = (struct script_events){0};
}

static size_t
add_event(struct script_events *events, struct line name)
{
	char *text = mem_dup(name.at, name.len);
	const bool may_be_wanted = !events->wanted || event_name_is(events->wanted, text);

	if (events->count >= EVENTS_MAX && !(events->wanted && may_be_wanted)) {
		free(text);
		return SCRIPT_EVENT_NONE;
	}
	events->totals = mem_grow(
		events->totals, &events->capacity, events->count + 1, sizeof(*events->totals));
	events->totals[events->count] =
		(struct event_total){.name = text, .is_unlisted = !may_be_wanted};
	events->last = text_map_add(&events->names, name.at, name.len, (uint32_t)events->count);
	return events->count++;
}

size_t
script_events_take(struct script_events *events, struct line name, double period)
{
	struct text_entry *last = events->last;

	if (!last || last->len != name.len || memcmp(last->text, name.at, name.len) != 0)
		last = text_map_find(&events->names, name.at, name.len);
	const size_t event = last ? last->value : add_event(events, name);

	if (event == SCRIPT_EVENT_NONE)
		return event;
	struct event_total *total = &events->totals[event];

	events->last = last ? last : events->last;
	total->weight += period;
	total->samples++;
	return total->is_unlisted ? SCRIPT_EVENT_NONE : event;
}

bool
script_events_are_first(struct script_events *events, size_t event)
{
	if (!events->any)
		events->first = event;
	events->any = true;
	return events->first == event;
}

void
script_events_keep(struct script_events *events, const struct script_sample *sample)
{
	events->later = mem_grow(
		events->later, &events->later_capacity, events->nlater + 1, sizeof(*events->later));
	events->later[events->nlater++] = *sample;
}

int
script_events_choose(struct script_events *events, const char *path, struct err *err)
{
	return event_totals_choose(
		events->totals, events->count, path, events->wanted, &events->chosen, err);
}

bool
script_events_are_all(const struct script_events *events)
{
	if (events->any && !events->totals[events->first].chosen)
		return false;
	for (size_t i = 0; i < events->nlater; i++)
		if (!events->totals[events->later[i].event].chosen)
			return false;
	return true;
}

static int
refuse_at(const struct script_reading *reading, struct line line, const char *at, unsigned number,
	const char *why, struct err *err)
{
	struct location location = lines_location(&reading->lines, reading->path, line, at);

	location.line = number;
	err_set_at(err, &location, "%s", why);
	return err_note(err, "text that can be read: " SCRIPT_COMMAND " 2>/dev/null");
}

int
script_refuse(
	const struct script_reading *reading, struct line line, const char *why, struct err *err)
{
	return refuse_at(reading, line, line.at, reading->lines.number, why, err);
}

static void
keep_time(char into[SCRIPT_TIME_SIZE], struct line time)
{
	size_t len = time.len < SCRIPT_TIME_SIZE ? time.len : SCRIPT_TIME_SIZE - 1;

	memcpy(into, time.at, len);
	into[len] = '\0';
}

/* The frame in the first line of a sample without a call chain. */
static int
add_frame_of_header(struct script_reading *reading, struct err *err)
{
	struct script_frame frame;
	struct line text;

	switch (script_rest_parse(reading->rest, reading->event_name, &text)) {
	case SCRIPT_REST_EMPTY:
		return 0;
	case SCRIPT_REST_UNKNOWN:
		return refuse_at(reading, reading->header, reading->rest.at, reading->header_number,
			"the text after the event can be read in several ways", err);
	case SCRIPT_REST_FRAME:
		break;
	}
	if (script_stacks_add_known(&reading->stacks, text))
		return 0;
	const struct line whole = text;

	if (!script_rest_cut(&text) || !script_frame_parse(text, &reading->layout, &frame))
		return refuse_at(reading, reading->header, text.at, reading->header_number,
			"a frame that is not like those of the other samples", err);
	/* Fields behind it differ each time. */
	if (whole.len == text.len)
		script_stacks_learn(&reading->stacks, whole, &frame);
	script_stacks_add(&reading->stacks, &frame);
	return 0;
}

/* Enters a sample. */
static void
put_sample(struct script_reading *reading, const struct script_sample *sample)
{
	struct ctree *tree = &reading->profile->tree;
	double scale;
	const double weight = sample_weights_take(&reading->weights, sample->period, &scale);

	if (scale != 1)
		ctree_scale(tree, reading->column, scale);
	ctree_add(tree, reading->column, sample->node, weight);
	reading->run.samples++;
	reading->run.unknown_frames += !sample->leaf_is_known;
	reading->run.broken_stacks += sample->is_cut;
	reading->run.truncated_stacks += sample->is_cut;
}

int
script_sample_close(struct script_reading *reading, struct err *err)
{
	if (!reading->open)
		return 0;
	reading->open = false;
	if (reading->skipped)
		return 0;
	if (reading->chain == SCRIPT_CHAIN_NONE && add_frame_of_header(reading, err) < 0)
		return -1;
	const bool empty = reading->stacks.nframes == 1;

	if (empty && reading->root == CTREE_ROOT) {
		reading->tally.nameless++;
		return 0;
	}
	const struct script_stack stack = script_stacks_end(&reading->stacks);
	const struct script_sample sample = {
		.node = stack.node,
		.event = (uint32_t)reading->event,
		.leaf_is_known = stack.leaf_is_known,
		.is_cut = stack.is_cut,
		.period = reading->period,
	};

	reading->tally.with_stacks += !empty;
	if (script_events_are_first(&reading->events, reading->event))
		put_sample(reading, &sample);
	else
		script_events_keep(&reading->events, &sample);
	return 0;
}

/* Begins the weights of the samples of this event. */
static void
begin_weights(struct script_reading *reading, size_t event)
{
	sample_weights_init(&reading->weights, reading->options->weight,
		sample_weights_of_clock(reading->events.totals[event].name));
}

int
script_samples_choose(struct script_reading *reading, struct err *err)
{
	struct script_events *events = &reading->events;

	if (script_events_choose(events, reading->path, err) < 0)
		return -1;
	if (events->any && !events->totals[events->first].chosen) {
		for (node_id node = 1; node < reading->profile->tree.nnodes; node++)
			ctree_set(&reading->profile->tree, reading->column, node, 0);
		reading->run = (struct run){.samples = 0};
		begin_weights(reading, events->chosen);
	}
	for (size_t i = 0; i < events->nlater; i++)
		if (events->totals[events->later[i].event].chosen)
			put_sample(reading, &events->later[i]);
	return 0;
}

int
script_sample_open(struct script_reading *reading, struct line line,
	const struct script_header *header, node_id root, struct err *err)
{
	if (script_sample_close(reading, err) < 0)
		return -1;
	const struct event_total *first = reading->events.totals;

	/* The end of the text is missing, or two texts were joined. */
	if (first && (first->name[0] == '\0') != (header->event.len == 0))
		return script_refuse(reading, line,
			header->event.len == 0 ? "no event, but other samples have one"
					       : "an event, but other samples have none",
			err);
	reading->open = true;
	reading->chain = SCRIPT_CHAIN_NONE;
	reading->root = root;
	reading->header = line;
	reading->header_number = reading->lines.number;
	reading->rest = header->rest;
	reading->event_name = header->event;
	reading->period = header->period;
	reading->event = script_events_take(&reading->events, header->event,
		header->period != SAMPLE_PERIOD_NONE ? (double)header->period : 1);
	reading->skipped = reading->event == SCRIPT_EVENT_NONE;
	if (!reading->skipped && root == SCRIPT_ROOT_NONE) {
		reading->skipped = true;
		reading->left_out++;
	}
	if (reading->skipped)
		return 0;
	script_stacks_begin(&reading->stacks, root);
	reading->tally.without_period += header->period == SAMPLE_PERIOD_NONE;
	if (!reading->events.any) {
		keep_time(reading->first_time, header->time);
		begin_weights(reading, reading->event);
	}
	keep_time(reading->last_time, header->time);
	return 0;
}
