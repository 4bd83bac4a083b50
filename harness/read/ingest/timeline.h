/*
 * When threads gave their CPU away and got it back, as the context switches of a perf.data file
 * tell: how long each of these took, and the time on the CPU that each sample of a clock stands
 * for.
 *
 * The length of a wait is known only at its end, so that the file is read twice: timeline_read()
 * goes through it first, timeline_take() then gives the times of the records in the same order.
 *
 * Threads begin to wait at a PERF_RECORD_SWITCH (perf_event_attr.context_switch), whose stack is
 * that of the sample of `context-switches` just before it, or at a sample of sched:sched_switch. A
 * wait ends with the thread's next switch to a CPU. If the thread has none until the end, it lasts
 * until the last record; a thread's exit is no wait. Waits during which records were lost are left
 * out: the lost ones may have ended them.
 *
 * Where there are samples of sched:sched_waking, too, a wait for an event ends with the thread's
 * wake-up; from there on it waits for a CPU.
 */
#ifndef INGEST_TIMELINE_H
#define INGEST_TIMELINE_H

#include "base/err.h"
#include "base/file.h"
#include "ingest/ingest.h"
#include "ingest/slow_operations.h"
#include "ingest/wait_reason.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread was doing. */
enum wait_kind {
	WAIT_NONE,      /* it ran */
	WAIT_FOR_EVENT, /* it could not go on */
	WAIT_FOR_CPU,   /* it could, but others had the CPU */
	WAIT_UNSAMPLED, /* it ran, for too short to be sampled */
};

/* Longer than any wait. */
#define TIMELINE_NS_MAX ((UINT64_C(1) << 58) - 1)

struct timeline_entry {
	uint64_t ns : 62; /* with queued_ns 0: nothing begins with the record */
	enum wait_kind kind : 2;
	uint64_t queued_ns : 58;   /* behind that: it waited for a CPU */
	enum wait_reason lock : 6; /* if it waits at a futex: what kind; 0: that is not known */
};

struct timeline;

/*
 * Which events of a file have times: the first of the context switches, and with it the first of a
 * clock, and the wake-ups. SIZE_MAX where there is none.
 */
struct timeline_events {
	size_t switches;
	size_t clock;
	size_t wakes;
	bool of_wakers; /* times are of the wake-ups, not of what waited: of the waits they ended */
	struct slow_operations
		*operations; /* borrowed: only the times within its slow operations; NULL: all */
};

/*
 * A thread comes to the marks of an operation while it runs, so that a wait lies in one or in none.
 * The time on the CPU inside a slow one belongs to its samples of the clock; if there are none, to
 * its end.
 */

/* The event of context switches. */
#define TIMELINE_SWITCHES "context-switches"

/* Whether the event is one of context switches. */
bool timeline_is_switches(const struct perfdata_event *event);

/*
 * The events for reading `wanted` (--event; NULL: what the file is of). No `switches` where neither
 * asks for times: those of a clock only, or a counter, are plain samples.
 */
struct timeline_events timeline_events(const struct perfdata_reader *reader, const char *wanted);

/* Reads the whole file. NULL on error. */
struct timeline *timeline_read(const struct file_view *view, const char *path,
	const struct timeline_events *events, struct err *err);
void timeline_free(struct timeline *timeline);

/* Whether waits have an end in this file: else the switches have no times, and are only counted. */
bool timeline_is_known(const struct timeline *timeline);

/*
 * Whether the record belongs to the timeline, and then what begins with it, or ends with a clock's
 * sample. To be called for each record in the file's order.
 */
bool timeline_take(
	struct timeline *timeline, const struct record *record, struct timeline_entry *entry);

/*
 * A part of a capture's time (--from, --to): which samples lie in it, and how much of each time.
 */

/* By the capture's clock: from this on, and before that. */
struct time_range {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* The range of `options` in a capture that starts at `start_ns`. */
struct time_range time_range_at(const struct ingest_options *options, uint64_t start_ns);

static inline bool
time_range_has(const struct time_range *range, uint64_t time_ns)
{
	return time_ns >= range->from_ns && time_ns < range->to_ns;
}

/*
 * When the time of a record at `time_ns` begins and ends: a wait begins with its record, a time on
 * the CPU ends with it. What it waited for a CPU, `queued_ns`, follows.
 */
uint64_t timed_entry_begin(uint64_t time_ns, struct timeline_entry entry);

/* Takes away what lies outside of the range. Returns when the rest begins. */
uint64_t time_range_clip(
	const struct time_range *range, uint64_t time_ns, struct timeline_entry *entry);

#endif
