/*
 * The header of a part of a callgrind file: its process, and the events that its costs count.
 */
#include "base/buf.h"
#include "base/lines.h"
#include "ingest/callgrind_internal.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"
#include "ingest/labels.h"
#include "ingest/selection.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void
callgrind_part_release(struct callgrind_part *part)
{
	buf_release(&part->events);
	buf_release(&part->event);
	buf_release(&part->command);
	buf_release(&part->program);
}

void
callgrind_part_begin_file(struct callgrind_part *part)
{
	buf_clear(&part->command);
	buf_clear(&part->program);
	part->pid = part->thread = 0;
	part->positions = 1;
	part->line_position = 0;
	part->nevents = 0;
	part->metric = NULL;
}

static void
select_event(struct callgrind_part *part, struct event_sum sum, struct line name)
{
	part->sum = sum;
	buf_clear(&part->event);
	buf_put(&part->event, name.at, name.len);
}

/* Selects the sum of a metric if the file has its events. */
static bool
select_metric(struct callgrind_part *part, const struct metric *metric, struct line names)
{
	struct event_sum sum;

	if (!metric || !event_sum_of_metric(&sum, metric, names.at, names.len))
		return false;
	select_event(part, sum, (struct line){metric->name, strlen(metric->name)});
	return true;
}

/* "Ir Dr": finds the event that is wanted, else that of the file's metric, else the first. */
static void
take_events(struct callgrind_part *part, struct line names, const char *wanted)
{
	struct line rest = names;
	struct line name;

	part->sum = (struct event_sum){0};
	buf_clear(&part->events);
	part->nevents = 0;
	for (size_t i = 0; words_take(&rest, &name); i++) {
		part->nevents++;
		buf_puts(&part->events, i > 0 ? ", " : "");
		buf_put(&part->events, name.at, name.len);
		if (part->sum.nterms == 0 && (wanted ? words_are(name, wanted) : i == 0))
			select_event(part, event_sum_single(i), name);
	}
	if (!wanted)
		select_metric(part, part->metric, names);
	else if (part->sum.nterms == 0)
		select_metric(part, metric_find(wanted), names);
}

/* "Metric: l1_misses", as captures of ours have it in their description. */
static void
take_description(struct callgrind_part *part, struct line value)
{
	struct line key;
	char name[32];

	words_take(&value, &key);
	value = words_trim(value);
	if (!words_are(key, EVENT_SUM_KEY) || value.len >= sizeof(name))
		return;
	memcpy(name, value.at, value.len);
	name[value.len] = '\0';
	part->metric = metric_find(name);
}

/* "instr line" */
static void
take_positions(struct callgrind_part *part, struct line names)
{
	struct line name;

	part->line_position = SIZE_MAX;
	for (part->positions = 0; words_take(&names, &name); part->positions++)
		if (words_are(name, "line"))
			part->line_position = part->positions;
}

/* A number at the start of the text, cut to 32 bits. */
static uint32_t
number_of(struct line text)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++)
		value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(text.at[i] - '0');
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* The program's name is that of its file, which has a bound: it is needed for each part. */
static void
take_command(struct callgrind_part *part, struct line value)
{
	struct line rest = value;
	struct line program;

	words_take(&rest, &program);
	const char *slash = memrchr(program.at, '/', program.len);

	if (slash) {
		program.len -= (size_t)(slash + 1 - program.at);
		program.at = slash + 1;
	}
	buf_clear(&part->command);
	buf_put(&part->command, value.at, value.len);
	buf_clear(&part->program);
	buf_put(&part->program, program.at, program.len < NAME_MAX ? program.len : NAME_MAX);
}

void
callgrind_part_take(struct callgrind_part *part, const struct callgrind_line *line,
	const struct ingest_options *options)
{
	const struct line value = line->value;

	if (callgrind_line_is(line, "events")) {
		take_events(part, value, options->event);
	} else if (callgrind_line_is(line, "desc")) {
		take_description(part, value);
	} else if (callgrind_line_is(line, "positions")) {
		take_positions(part, value);
	} else if (callgrind_line_is(line, "cmd")) {
		take_command(part, value);
	} else if (callgrind_line_is(line, "pid")) {
		part->pid = number_of(value);
	} else if (callgrind_line_is(line, "thread")) {
		part->thread = number_of(value);
	}
}

/* A process without a thread line has one thread. */
static uint32_t
thread_of(const struct callgrind_part *part)
{
	return part->thread > 0 ? part->thread : part->pid;
}

node_id
callgrind_part_root(const struct callgrind_part *part, const struct ingest_options *options,
	struct profile *profile)
{
	const struct labels *by = labels_or_thread(&options->by);
	node_id node = CTREE_ROOT;

	for (size_t i = 0; i < by->count; i++) {
		char *value = selection_value(by->all[i].kind, buf_text(&part->program),
			part->program.len, part->pid, thread_of(part));

		node = ctree_child(&profile->tree, node,
			profile_frame(profile, value, strlen(value), FRAME_USER));
		free(value);
	}
	return node;
}

bool
callgrind_part_is_wanted(const struct callgrind_part *part, const struct ingest_options *options)
{
	return selection_takes(
		options, part->pid, thread_of(part), buf_text(&part->program), part->program.len);
}
