/*
 * The samples of traced system calls, in a perf.data file: as the tracepoint raw_syscalls:sys_enter
 * would have written them, and what the kernel would have reported of processes meanwhile.
 */
#ifndef CAPTURE_CALL_SAMPLES_H
#define CAPTURE_CALL_SAMPLES_H

#include "base/buf.h"
#include "base/err.h"
#include "capture/backend.h"
#include "perf_event/ring.h"
#include "perf_event/ring_drain.h"
#include "perf_event/share.h"
#include "perfdata/writer.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call_samples {
	const char *path; /* of the file; NULL: calls are only counted */
	struct perf_event_attr attr;
	struct written_event event;
	struct perfdata_writer writer;
	bool writing;
	struct ring ring; /* filled by this process; draining it shares stacks */
	struct share *share;
	struct ring_counts counts;
	struct buf record; /* the record that is being made */
};

/* The call that a thread is stopped at. */
struct stopped_call {
	uint64_t number;
	uint64_t args[6];
};

/* Opens the file, if the request has one. call_samples_close() is needed in any case. */
int call_samples_open(
	struct call_samples *samples, const struct capture_request *request, struct err *err);

/*
 * Adds the call that thread `tid` of process `pid` is stopped at, and sets *call to it. Its number
 * is UINT64_MAX where the thread was killed meanwhile.
 */
int call_samples_put(struct call_samples *samples, pid_t pid, pid_t tid, struct stopped_call *call,
	struct err *err);
/* Adds that a process or thread was made by thread `maker` of process `parent`. */
int call_samples_fork(struct call_samples *samples, pid_t pid, pid_t tid, pid_t parent, pid_t maker,
	struct err *err);
/* Adds the names and executable mappings of a process; after an exec they replace all earlier ones.
 */
int call_samples_process(struct call_samples *samples, pid_t pid, bool is_exec, struct err *err);

/* Writes the rest, and puts the file in its place. */
int call_samples_finish(
	struct call_samples *samples, const struct capture_request *request, struct err *err);
/* Closes everything; a file that was not finished is removed. */
void call_samples_close(struct call_samples *samples);

#endif
