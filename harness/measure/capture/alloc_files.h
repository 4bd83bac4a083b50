/*
 * The files that the allocation shim (shim/) leaves of a run, one a process, as one perf.data file:
 * a sample for each stack and event, whose period is what was counted.
 */
#ifndef CAPTURE_ALLOC_FILES_H
#define CAPTURE_ALLOC_FILES_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The counts of a stack: an event each of one perf.data file. */
enum alloc_event {
	ALLOC_EVENT_BYTES, /* requested */
	ALLOC_EVENT_COUNT, /* of requests */
	ALLOC_EVENT_LIVE,  /* bytes that were not freed when the process ended */
	ALLOC_EVENT_PEAK, /* bytes that were live when most were, of each process at its own peak */
	ALLOC_EVENTS,
};

/* "alloc:bytes", ...; by enum alloc_event. */
extern const char *const alloc_event_names[ALLOC_EVENTS];

/* The sum of all processes of a run. */
struct alloc_totals {
	double events[ALLOC_EVENTS];
	uint64_t not_counted; /* allocations for which the shim had no room, or in whose middle a
				 signal came */
	uint64_t processes;
	uint64_t stacks;
	uint64_t broken_stacks;
	bool first_seen; /* a file is of the process that profile_run started */
	bool overridden; /* a process has its own malloc */
};

/*
 * Writes the files that the shim left in `dir` as one perf.data file, whose first event is `first`;
 * `command` is the program's, `pid` the process that we started. No file at all is no error.
 */
int alloc_files_join(const char *dir, pid_t pid, const char *const *command, enum alloc_event first,
	const char *into, struct alloc_totals *totals, struct err *err);

#endif
