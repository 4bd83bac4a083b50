/*
 * Which events of a perf.data file are read, and as which view.
 */
#ifndef INGEST_EVENT_CHOICE_H
#define INGEST_EVENT_CHOICE_H

#include "base/err.h"
#include "base/key_map.h"
#include "ingest/event_totals.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The views: what else than its samples an event of a perf.data file can be read as (--event). A
 * view is requested, or a file is written for it: its first event has the view's name.
 *
 * To add one: a line of views[] (event_choice.c), and its weights, in timings.c.
 */

enum view_kind {
	VIEW_CALL_NS,     /* of system calls, how long each took */
	VIEW_IO_BYTES,    /* of those that read or write, how many bytes each moved */
	VIEW_IO_NUMBER,   /* ... one each */
	VIEW_LOCK_NS,     /* of waits for locks, how long */
	VIEW_LOCK_NUMBER, /* ... one each */
	VIEW_LOCK_WAKERS, /* how long, by the stacks that ended them */
};

struct view {
	const char *name;
	enum view_kind kind;
	const char *metric; /* of the profile */
	const char *unit;   /* of its weights */
	const char *missed; /* without any of it: "no thread waited ..." */
};

/* The view to read the file as: `wanted` (--event), or if that is NULL that of its first event. */
const struct view *view_of(const struct perfdata_reader *reader, const char *wanted);

/* Whether it is of system calls, else of context switches. */
bool view_is_of_calls(const struct view *view);

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

/*
 * The members of a group of events that is read together, '{a,b}:S': the leader's samples have the
 * values of all. These are totals, so that a sample weighs what was counted since the one before.
 *
 * Source: perf_event_open(2), PERF_FORMAT_GROUP; deliver_sample_group() of
 * tools/perf/util/session.c.
 */

/* All zeros: no member is read. */
struct group_reads {
	struct key_map ids; /* of the members that are read */
	uint64_t *last;     /* by number: the value of the sample before */
};

/* Reads the chosen events that have no samples of their own. */
void group_reads_init(struct group_reads *reads, const struct perfdata_reader *reader,
	const struct event_choice *choice);
void group_reads_release(struct group_reads *reads);

static inline bool
group_reads_are_any(const struct group_reads *reads)
{
	return reads->ids.count > 0;
}

/* Takes each sample, in the order of time; returns what it weighs, 0: nothing was counted. */
uint64_t group_reads_take(struct group_reads *reads, const struct record_sample *sample);

#endif
