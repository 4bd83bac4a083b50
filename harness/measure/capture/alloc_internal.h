/*
 * The parts of the alloc backend: its events, the files that the shim left, and why there may be
 * none. Internal to capture/.
 */
#ifndef CAPTURE_ALLOC_INTERNAL_H
#define CAPTURE_ALLOC_INTERNAL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a stack is counted by: an event each of one perf.data file. */
enum alloc_event {
	ALLOC_EVENT_BYTES, /* requested */
	ALLOC_EVENT_COUNT, /* of requests */
	ALLOC_EVENT_LIVE,  /* bytes that were not freed when the process ended */
	ALLOC_EVENT_PEAK, /* bytes that were live when most were, of each process at its own peak */
	ALLOC_EVENTS,
};

/* "alloc:bytes", ...; by enum alloc_event. */
extern const char *const alloc_event_names[ALLOC_EVENTS];

/* What all processes of a run did together. */
struct alloc_totals {
	double events[ALLOC_EVENTS];
	uint64_t not_counted; /* allocations that the shim had no room or could not stop for */
	uint64_t processes;
	uint64_t stacks;
	uint64_t broken_stacks;
	bool first_seen; /* a file is of the process that we started */
	bool overridden; /* ... which has its own malloc */
};

/*
 * Writes the files that the shim left in `dir` as one perf.data file, whose first event is `first`;
 * `command` is the program's, `pid` the process that we started. No file at all is no error.
 */
int alloc_files_join(const char *dir, pid_t pid, const char *const *command, enum alloc_event first,
	const char *into, struct alloc_totals *totals, struct err *err);

/*
 * Sets the error that the program at argv[0] cannot be counted, with the reason as far as its file
 * tells: static, Go, another C library, with the rights of another user. 0 where nothing is known
 * against it.
 */
int alloc_check_program(
	const char *const *argv, const char *const *env, const char *cwd, struct err *err);

#endif
