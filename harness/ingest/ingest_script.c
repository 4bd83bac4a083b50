#include "ingest/script_internal.h"

#include "base/lines.h"
#include "base/log.h"
#include "base/mem.h"
#include "ingest/describe.h"

#include <stdlib.h>
#include <string.h>

static bool
detect(const char *bytes, size_t len)
{
	struct file_view view = {.data = bytes, .len = len};
	struct lines lines;
	struct line line;
	struct script_header header;
	struct err ignored = {0};

	if (memchr(bytes, '\0', len))
		return false;
	lines_init(&lines, &view);
	while (lines_next(&lines, &line, &ignored) > 0) {
		line = script_line_trim(line);
		if (line.len > 0 && line.at[0] != '#')
			return script_header_parse(line, &header) && header.has_event;
	}
	return false;
}

#define TIME_SIZE 32

struct reading {
	struct profile *profile;
	const char *path;
	const struct ingest_options *options;
	struct lines lines;
	struct run run;
	size_t column;
	struct script_events events;
	struct script_roots roots;
	struct script_stacks stacks;
	uint64_t left_out; /* samples that the options do not select */
	char first_time[TIME_SIZE];
	char last_time[TIME_SIZE];
	size_t event; /* of the sample being read */
	bool open;    /* a sample is being read */
	bool skipped; /* it does not count */
};

static void
keep_time(char into[TIME_SIZE], struct line time)
{
	size_t len = time.len < TIME_SIZE ? time.len : TIME_SIZE - 1;

	memcpy(into, time.at, len);
	into[len] = '\0';
}

/* Enters a sample. */
static void
put_sample(struct reading *reading, const struct script_sample *sample)
{
	ctree_add(&reading->profile->tree, reading->column, sample->node, 1);
	reading->run.samples++;
	reading->run.unknown_frames += !sample->leaf_is_known;
}

/* Puts the sample being read into the tree, or keeps it. */
static void
close_sample(struct reading *reading)
{
	bool leaf_is_known = true;

	if (reading->open && !reading->skipped) {
		const node_id node = script_stacks_end(&reading->stacks, &leaf_is_known);
		const struct script_sample sample = {
			.node = node,
			.event = (uint32_t)reading->event,
			.leaf_is_known = leaf_is_known,
			.period = 1,
		};

		if (script_events_are_first(&reading->events, reading->event))
			put_sample(reading, &sample);
		else
			script_events_keep(&reading->events, &sample);
	}
	reading->open = false;
}

/* Leaves the samples of the events that are read. */
static int
choose_events(struct reading *reading, struct err *err)
{
	struct script_events *events = &reading->events;

	if (script_events_choose(events, reading->path, err) < 0)
		return -1;
	if (events->any && !events->totals[events->first].chosen) {
		for (node_id node = 1; node < reading->profile->tree.nnodes; node++)
			ctree_set(&reading->profile->tree, reading->column, node, 0);
		reading->run.samples = reading->run.unknown_frames = 0;
	}
	for (size_t i = 0; i < events->nlater; i++)
		if (events->totals[events->later[i].event].chosen)
			put_sample(reading, &events->later[i]);
	return 0;
}

static void
open_sample(struct reading *reading, const struct script_header *header, node_id root)
{
	struct script_frame frame;

	close_sample(reading);
	reading->open = true;
	reading->event = script_events_take(&reading->events, header->event, 1);
	reading->skipped = reading->event == SCRIPT_EVENT_NONE;
	if (!reading->skipped && root == SCRIPT_ROOT_NONE) {
		reading->skipped = true;
		reading->left_out++;
	}
	if (reading->skipped)
		return;
	script_stacks_begin(&reading->stacks, root);
	if (script_frame_parse(header->rest, &frame))
		script_stacks_add(&reading->stacks, &frame);
	if (!reading->events.any)
		keep_time(reading->first_time, header->time);
	keep_time(reading->last_time, header->time);
}

static int
take_line(struct reading *reading, struct line raw, struct err *err)
{
	const struct line line = script_line_trim(raw);
	struct script_header header;
	struct script_frame frame;
	node_id root = SCRIPT_ROOT_NONE;

	if (line.len == 0) {
		close_sample(reading);
		return 0;
	}
	if (line.at[0] == '#')
		return 0;
	bool inside = reading->open && (line.at[0] == ' ' || line.at[0] == '\t');

	/* perf puts a tab ahead of frames only. */
	if (inside && line.at[0] == '\t' && script_frame_parse(line, &frame)) {
		if (!reading->skipped)
			script_stacks_add(&reading->stacks, &frame);
		return 0;
	}
	if (script_roots_parse(&reading->roots, line, &header, &root) &&
		(header.has_event || !inside)) {
		open_sample(reading, &header, root);
		lines_done(&reading->lines, line.at);
		return 0;
	}
	/* Inside of a sample all lines are frames, or other fields that the user selected. */
	if (inside) {
		if (!reading->skipped && script_frame_parse(line, &frame))
			script_stacks_add(&reading->stacks, &frame);
		return 0;
	}
	struct location at = lines_location(&reading->lines, reading->path, line, line.at);

	return err_set_at(err, &at,
		"expected the first line of a sample as perf script writes it: \"comm pid time: "
		"period event:\"");
}

static int
read_samples(struct reading *reading, struct err *err)
{
	struct lines *lines = &reading->lines;
	struct line line;
	int more;

	while ((more = lines_next(lines, &line, err)) > 0) {
		if (take_line(reading, line, err) < 0)
			return -1;
		if (!reading->open)
			continue;
		if (!reading->skipped)
			script_stacks_take(&reading->stacks, lines);
		else
			while (more > 0 && lines->at < lines->end && *lines->at == '\t')
				more = lines_next(lines, &line, err);
		if (more < 0)
			break;
	}
	close_sample(reading);
	return more;
}

static void
describe_profile(struct reading *reading)
{
	struct profile *profile = reading->profile;
	const char *name = reading->events.totals[reading->events.chosen].name;
	double first_s = strtod(reading->first_time, NULL);
	double last_s = strtod(reading->last_time, NULL);

	describe_set(profile, &profile->event, name);
	describe_set(profile, &profile->unit, "samples");
	if (strstr(name, "clock") || strstr(name, "cycles"))
		describe_set(profile, &profile->metric, "cpu");
	if (last_s > first_s)
		profile->duration_s += last_s - first_s;
	profile->runs[reading->column] = reading->run;
}

/* The error where no sample was read. */
static int
no_samples(const struct reading *reading, struct err *err)
{
	err_set(err, ERR_INPUT, "%s: holds no samples", reading->path);
	if (reading->left_out > 0)
		err_note(err, "%llu samples of other threads were ignored",
			(unsigned long long)reading->left_out);
	return -1;
}

/* *all: all stacks that were read have weights. */
static int
read_into(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, bool *all, struct err *err)
{
	struct reading reading = {
		.profile = profile,
		.path = path,
		.options = options,
		.events.wanted = options->event,
	};

	lines_init(&reading.lines, view);
	script_roots_init(&reading.roots, profile, options);
	script_stacks_init(&reading.stacks, profile);
	reading.column = profile_add_run(profile);
	int result = read_samples(&reading, err);

	if (result == 0 && reading.events.count > 0)
		result = choose_events(&reading, err);
	if (result == 0 && reading.run.samples == 0)
		result = no_samples(&reading, err);
	if (result == 0) {
		script_roots_name_processes(&reading.roots);
		describe_profile(&reading);
		*all = script_events_are_all(&reading.events);
		if (!options->event)
			event_totals_warn(reading.events.totals, reading.events.count, path);
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
	.detect = detect,
	.read = read_script,
	.by_thread = true,
	.labels = LABELS_OF_THREADS,
	.streams = true,
};
