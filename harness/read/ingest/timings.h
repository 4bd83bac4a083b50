/*
 * The weights of the records of a perf.data file where they are not one or a period each: the times
 * of waits, and of system calls.
 */
#ifndef INGEST_TIMINGS_H
#define INGEST_TIMINGS_H

#include "base/err.h"
#include "base/file.h"
#include "ingest/event_choice.h"
#include "ingest/ingest.h"
#include "ingest/slow_operations.h"
#include "ingest/timeline.h"
#include "perfdata/reader.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The samples that system calls begin and end with. */
#define CALL_TIMES_START "raw_syscalls:sys_enter"
#define CALL_TIMES_END "raw_syscalls:sys_exit"

struct call_times;

/* All zeros: records weigh nothing of their own. */
struct timings {
	const struct view *view;            /* NULL: none is wanted */
	struct timeline *timeline;          /* NULL: no waits are wanted */
	struct timeline_events events;      /* of the timeline */
	struct slow_operations *operations; /* the marks of operations; NULL: there are none */
	bool only_operations;               /* only times in slow ones of these are wanted */
	struct call_times *calls; /* of system calls, in place of their number; NULL: not wanted */
	bool stated;              /* the samples of `event` state their times */
	size_t event;
	size_t ends; /* the event of the ends of calls; SIZE_MAX: there is none */
};

/*
 * Finds them for options->event (NULL: what the file is of) and the operations of `options`, where
 * *event is the event that was chosen; it becomes the one that describes what is read.
 * timings_release() is needed in any case.
 */
int timings_find(struct timings *timings, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, const struct ingest_options *options,
	size_t *event, struct err *err);
void timings_release(struct timings *timings);

/* Whether there are any: then a record without one is no sample. */
bool timings_are_known(const struct timings *timings);

/*
 * Whether the record has a time, and then which. To be called for each record in the file's order.
 */
bool timings_take(
	struct timings *timings, const struct record *record, struct timeline_entry *entry);

/* Whether they are times, in ns. */
bool timings_are_times(const struct timings *timings);

/* Whether only those of locks are wanted, as the names of functions tell. */
bool timings_are_of_locks(const struct timings *timings);

/* Whether the samples of `event` only help to find those of others. */
bool timings_need(const struct timings *timings, size_t event);

/* Sets what the weights are in the profile: before describe_capture(). */
void timings_describe(const struct timings *timings, struct profile *profile);

#endif
