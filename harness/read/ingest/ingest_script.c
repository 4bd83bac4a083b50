/*
 * The reader of perf script's text: makes samples of its lines, and adds their weights to the call
 * tree.
 */
#include "base/lines.h"
#include "ingest/event_totals.h"
#include "ingest/ingest_internal.h"
#include "ingest/sample_weights.h"
#include "ingest/script_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_TIME_SIZE 32

/* Where the stack of the sample being read is. */
enum script_chain {
	SCRIPT_CHAIN_NONE,  /* not met so far: in the sample's first line, if anywhere */
	SCRIPT_CHAIN_LINES, /* in the lines behind its first one */
};

struct script_reading {
	struct profile *profile;
	const char *path;
	const struct ingest_options *options;
	struct script_layout layout;
	struct lines lines;
	struct run run;
	size_t column;
	struct script_events events;
	struct script_roots roots;
	struct script_stacks stacks;
	struct sample_weights weights;
	uint64_t headers; /* first lines of samples */
	struct script_tally tally;
	unsigned blanks; /* empty lines that belong to a message */
	bool in_message; /* the lines that follow are a message's, too */
	char first_time[SCRIPT_TIME_SIZE];
	char last_time[SCRIPT_TIME_SIZE];
	/* The sample being read: */
	bool open;
	bool skipped; /* the sample does not count */
	size_t event; /* the index of its event in `events` */
	uint64_t period;
	enum script_chain chain;
	node_id root;
	struct line header; /* its first line */
	unsigned header_number;
	struct line rest; /* ... after the event */
	struct line event_name;
};

static int
refuse_at(const struct script_reading *reading, struct line line, const char *at, unsigned number,
	const char *why, struct err *err)
{
	struct location location = lines_location(&reading->lines, reading->path, line, at);

	location.line = number;
	err_set_at(err, &location, "%s", why);
	return err_note(err, "text that can be read: " SCRIPT_COMMAND " 2>/dev/null");
}

/* Refuses the line, which was taken last; returns -1. */
static int
refuse_line(
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

/* Puts the sample being read, if there is one, into the tree, or keeps it. */
static int
close_sample(struct script_reading *reading, struct err *err)
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

/* Whether the event of this name, as perf prints it, is a clock: "cpu-clock:ppp". */
static bool
is_clock(const char *event)
{
	return event_name_is("cpu-clock", event) || event_name_is("task-clock", event);
}

/* Begins the weights of the samples of this event. */
static void
begin_weights(struct script_reading *reading, size_t event)
{
	sample_weights_init(&reading->weights, reading->options->weight,
		is_clock(reading->events.totals[event].name));
}

/* After the last sample: leaves those of the events that are read. */
static int
choose_samples(struct script_reading *reading, struct err *err)
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

/* Ends the sample before and begins one with the fields of its first line. */
static int
open_sample(struct script_reading *reading, struct line line, const struct script_header *header,
	node_id root, struct err *err)
{
	if (close_sample(reading, err) < 0)
		return -1;
	const struct event_total *first = reading->events.totals;

	/* The end of the text is missing, or two texts were joined. */
	if (first && (first->name[0] == '\0') != (header->event.len == 0))
		return refuse_line(reading, line,
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
		reading->tally.left_out++;
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

static int
take_header(struct script_reading *reading, struct line line, const struct script_header *header,
	node_id root, struct err *err)
{
	reading->in_message = false;
	reading->headers++;
	lines_done(&reading->lines, line.at);
	return open_sample(reading, line, header, root, err);
}

/* A text without any field ahead of the stacks: each begins with its first frame. */
static int
open_nameless(struct script_reading *reading, struct line line, struct err *err)
{
	if (reading->headers > 0 || !reading->layout.no_comms)
		return refuse_line(reading, line, "a frame, but no sample that it belongs to", err);
	lines_done(&reading->lines, line.at);
	return open_sample(reading, line, &script_no_header,
		script_roots_find(&reading->roots, line, &script_no_header), err);
}

static int
take_frame(struct script_reading *reading, struct line line, struct err *err)
{
	struct script_frame frame;

	if (!reading->open && open_nameless(reading, line, err) < 0)
		return -1;
	reading->in_message = false;
	reading->chain = SCRIPT_CHAIN_LINES;
	if (script_frame_parse(line, &reading->layout, &frame)) {
		if (!reading->skipped)
			script_stacks_add(&reading->stacks, &frame);
		return 0;
	}
	/* With lines of the source, that of an inlined frame says so, and no module is printed. */
	static const struct script_layout no_modules = {.no_modules = true};
	struct lines ahead = reading->lines;
	struct line next;
	bool inlined = false;

	if (lines_next(&ahead, &next, err) > 0 &&
		script_source_line_is(script_line_trim(next), &inlined) && inlined &&
		script_frame_parse(line, &no_modules, &frame)) {
		if (!reading->skipped)
			script_stacks_add(&reading->stacks, &frame);
		return 0;
	}
	return refuse_line(reading, line,
		"a frame that is not like the others: \"ADDRESS NAME (MODULE)\"", err);
}

/* Whether a line that may be anything is the first one of a sample: by its end and what follows. */
static bool
begins_sample(const struct script_reading *reading, struct line line)
{
	struct lines ahead = reading->lines;
	struct err ignored = {0};
	struct line next;

	if (reading->open && reading->chain == SCRIPT_CHAIN_LINES)
		return false;
	if (lines_next(&ahead, &next, &ignored) <= 0)
		return false;
	next = script_line_trim(next);
	return script_frame_follows_tab(next) ||
	       (!reading->layout.no_tabs && next.len == 0 && line.len > 0 &&
		       line.at[line.len - 1] == ' ');
}

/* Takes lines that belong to no stack. */
static bool
take_other(struct script_reading *reading, struct line line)
{
	unsigned blanks;
	const enum script_other kind = script_other_find(line, &blanks);

	switch (kind) {
	case SCRIPT_OTHER_METADATA:
	case SCRIPT_OTHER_RECORD:
		return true;
	case SCRIPT_OTHER_MESSAGE:
	case SCRIPT_OTHER_MORE:
		reading->tally.messages += kind == SCRIPT_OTHER_MESSAGE && !reading->in_message;
		reading->blanks = blanks;
		if (memmem(line.at, line.len, " lost ", 6))
			snprintf(reading->tally.loss, SCRIPT_LOSS_SIZE, "%.*s", (int)line.len,
				line.at);
		/* The next lines have what such a one announces. */
		reading->in_message = words_are(line, "Warning:");
		return true;
	case SCRIPT_OTHER_NONE:
		break;
	}
	return reading->in_message;
}

/* Lines that follow a frame. */
static bool
take_inside(struct script_reading *reading, struct line line, struct err *err, int *result)
{
	bool inlined;

	*result = 0;
	if (!reading->open || reading->chain == SCRIPT_CHAIN_NONE)
		return false;
	if (script_source_line_is(line, &inlined)) {
		if (inlined && !reading->skipped)
			script_stacks_inline_last(&reading->stacks);
		return true;
	}
	if (!script_fields_are(line))
		return false;
	*result = close_sample(reading, err);
	return true;
}

/* Lines that are not as perf aligns them, or that follow the only line of a sample. */
static int
take_rest(struct script_reading *reading, struct line line, struct err *err)
{
	struct line source = line;
	bool inlined;

	(void)script_rest_cut(&source);
	if (reading->open && reading->chain == SCRIPT_CHAIN_NONE &&
		(script_source_line_is(source, &inlined) || script_fields_are(line)))
		return 0;
	if (reading->open && reading->layout.no_tabs && words_blank(line.at[0]))
		return take_frame(reading, line, err);
	return refuse_line(reading, line,
		"neither a sample as perf script prints it nor a message that is known", err);
}

/* An empty line ends a sample, or belongs to a message. */
static int
take_blank(struct script_reading *reading, struct err *err)
{
	if (reading->in_message || reading->blanks > 0) {
		reading->blanks -= reading->blanks > 0;
		reading->in_message = false;
		return 0;
	}
	return close_sample(reading, err);
}

static int
take_line(struct script_reading *reading, struct line raw, struct err *err)
{
	const struct line line = script_line_trim(raw);
	struct script_header header;
	node_id root;
	int result;

	if (line.len == 0)
		return take_blank(reading, err);
	reading->blanks = 0;
	if (script_frame_follows_tab(line))
		return take_frame(reading, line, err);
	if (script_roots_parse(&reading->roots, raw, &header, &root) && !header.is_record)
		return take_header(reading, raw, &header, root, err);
	if (take_inside(reading, line, err, &result))
		return result;
	const bool parsed =
		line.at[0] != '\t' && script_header_parse(raw, &reading->layout, &header);

	if (parsed && header.is_record)
		return close_sample(reading, err);
	if ((!parsed || header.time.len == 0) && take_other(reading, line))
		return 0;
	if (parsed && (header.is_certain || header.event.len > 0 || begins_sample(reading, raw)))
		return take_header(reading, raw, &header,
			script_roots_find(&reading->roots, raw, &header), err);
	return take_rest(reading, line, err);
}

static int
read_samples(struct script_reading *reading, struct err *err)
{
	struct lines *lines = &reading->lines;
	struct line line;
	int more;

	while ((more = lines_next(lines, &line, err)) > 0) {
		if (take_line(reading, line, err) < 0)
			return -1;
		if (!reading->open)
			continue;
		const char *before = lines->at;

		if (!reading->skipped)
			script_stacks_take(&reading->stacks, lines);
		else
			while (more > 0 && lines->at < lines->end && *lines->at == '\t')
				more = lines_next(lines, &line, err);
		if (lines->at > before)
			reading->chain = SCRIPT_CHAIN_LINES;
		if (more < 0)
			break;
	}
	return more < 0 || close_sample(reading, err) < 0 ? -1 : 0;
}

static void
describe_profile(struct script_reading *reading)
{
	struct profile *profile = reading->profile;
	const char *name = reading->events.totals[reading->events.chosen].name;
	double first_s = strtod(reading->first_time, NULL);
	double last_s = strtod(reading->last_time, NULL);

	describe_set(profile, &profile->event, name);
	sample_weights_describe(&reading->weights, name, profile, &reading->run);
	describe_set(profile, &profile->unit, "samples");
	if (strstr(name, "clock") || strstr(name, "cycles"))
		describe_set(profile, &profile->metric, "cpu");
	if (last_s > first_s)
		profile->duration_s += last_s - first_s;
	profile->runs[reading->column] = reading->run;
}

static int
read_all(struct script_reading *reading, const struct file_view *view, struct err *err)
{
	if (script_layout_learn(&reading->layout, view, err) < 0 ||
		script_roots_check(&reading->roots, reading->path, err) < 0)
		return -1;
	if (reading->layout.no_names && reading->layout.no_modules) {
		err_set(err, ERR_INPUT, "%s: its frames are addresses without names",
			reading->path);
		return err_note(err, "text that can be read: " SCRIPT_COMMAND);
	}
	lines_init(&reading->lines, view);
	if (read_samples(reading, err) < 0 ||
		(reading->events.count > 0 && choose_samples(reading, err) < 0))
		return -1;
	return reading->run.samples == 0
		       ? script_refuse_without_samples(&reading->tally, reading->path, err)
		       : 0;
}

/* *all: all stacks that were read have weights. */
static int
read_into(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, bool *all, struct err *err)
{
	struct script_reading reading = {
		.profile = profile,
		.path = path,
		.options = options,
		.events.wanted = options->event,
	};

	script_roots_init(&reading.roots, profile, &reading.layout, options);
	script_stacks_init(&reading.stacks, profile, &reading.layout);
	reading.stacks.no_marks = options->no_marks;
	reading.column = profile_add_run(profile);
	int result = read_all(&reading, view, err);

	if (result == 0) {
		script_roots_name_processes(&reading.roots);
		describe_profile(&reading);
		*all = script_events_are_all(&reading.events);
		if (!options->event)
			event_totals_warn(reading.events.totals, reading.events.count, path);
		script_warn_of_gaps(&reading.tally, &reading.run, &reading.layout,
			reading.events.totals[reading.events.chosen].name, path);
	}
	script_stacks_release(&reading.stacks);
	script_roots_release(&reading.roots);
	script_events_release(&reading.events);
	return result;
}

/*
 * Processes get their names after the last sample, and those of the same name are then merged; the
 * stacks of events that are not read have no weight and are left out.
 */
static int
read_script(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	const bool is_new = profile->nruns == 0 && profile->frames.nframes <= 1;
	struct profile read;
	bool all;

	profile_init(&read);
	int result = read_into(&read, view, path, options, &all, err);

	if (result == 0 && is_new && all && !labels_have(&options->by, LABEL_PROCESS)) {
		/* Large trees are not copied. */
		profile_describe(&read, profile);
		profile_release(profile);
		*profile = read;
		return 0;
	}
	if (result == 0)
		profile_append_used(profile, &read);
	profile_release(&read);
	return result;
}

const struct input_format ingest_script = {
	.name = "perf-script",
	.summary = "the text that perf script prints",
	.detect = script_is_text,
	.read = read_script,
	.by_thread = true,
	.labels = LABELS_OF_THREADS,
	.periods = true,
	.streams = true,
	.if_weightless =
		"the periods of its samples are 0: '--weight samples' counts each sample as 1",
};
