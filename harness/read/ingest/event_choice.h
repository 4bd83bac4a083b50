/*
 * Which events of a perf.data file are read.
 */
#ifndef INGEST_EVENT_CHOICE_H
#define INGEST_EVENT_CHOICE_H

#include "base/err.h"
#include "ingest/event_totals.h"
#include "ingest/views.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>

struct event_choice {
	struct event_total *totals; /* of all events, in the file's order; owned */
	size_t count;
	size_t event; /* that describes what is read: of those that are, the one of most weight */
};

/*
 * Chooses `wanted`; if that is NULL the event of the largest weight, or of a file with what
 * profile_run counted its first one. It is an error if there is none of that name, or if its call
 * chains are branch stacks (LBR), which hold only as many calls as the processor has room for.
 * `path` is for messages. event_choice_release() is needed in any case.
 */
int event_choose(struct event_choice *choice, const struct perfdata_reader *reader,
	const char *path, const char *wanted, struct err *err);
void event_choice_release(struct event_choice *choice);

/* Chooses this event alone. */
void event_choice_set(struct event_choice *choice, size_t event);

/* Whether samples of the event are read. */
static inline bool
event_choice_has(const struct event_choice *choice, size_t event)
{
	return event < choice->count && choice->totals[event].chosen;
}

/*
 * The errors of a file without samples of `event`, and of one without times, or any of a view; they
 * return -1.
 */
int event_without_times(const char *path, const struct view *view, struct err *err);
int event_without_samples(
	const struct perfdata_reader *reader, const char *path, size_t event, struct err *err);

/*
 * Whether recording began with the exec of the program that it is of: else it is of a process that
 * ran before, of a whole system, or of a program without its beginning.
 */
bool event_begins_with_exec(const struct perfdata_reader *reader);

/* Whether the event is read in the samples of a group's leader. */
bool event_is_group_read(const struct perfdata_event *event);
/*
 * Whether its values can be distinguished: each has its id, and is of one thread or CPU. Those of
 * inherited events are of the thread that was sampled.
 */
bool event_group_is_usable(const struct perfdata_event *event);

#endif
