/*
 * The records of traced system calls: samples as of the tracepoint raw_syscalls:sys_enter, and what
 * the kernel would have said of processes meanwhile, written into a perf.data file. Internal to
 * capture/call_tracer.c.
 */
#ifndef CAPTURE_CALL_SAMPLES_H
#define CAPTURE_CALL_SAMPLES_H

#include "base/buf.h"
#include "base/err.h"
#include "capture/backend.h"
#include "perf_event/ring.h"
#include "perfdata/writer.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call_samples {
	const char *path; /* NULL: they are only counted */
	struct perf_event_attr attr;
	struct written_event event;
	struct perfdata_writer writer;
	bool writing;
	struct ring ring; /* filled by us: draining it is what shares stacks */
	struct share *share;
	struct ring_counts counts;
	struct buf record; /* the one in the making */
};

/* A stopped thread at a call. */
struct stopped_call {
	uint64_t number;
	uint64_t args[6];
};

int call_samples_open(
	struct call_samples *samples, const struct capture_request *request, struct err *err);
/* Adds the call that thread `tid` of process `pid` is stopped at. */
int call_samples_put(struct call_samples *samples, pid_t pid, pid_t tid, struct stopped_call *call,
	struct err *err);
/* A process or thread was made by thread `maker` of process `parent`. */
int call_samples_fork(struct call_samples *samples, pid_t pid, pid_t tid, pid_t parent, pid_t maker,
	struct err *err);
/* The names and executable mappings of a process are new, after an exec wholly. */
int call_samples_process(struct call_samples *samples, pid_t pid, bool is_exec, struct err *err);
/* Puts the file in its place. */
int call_samples_finish(
	struct call_samples *samples, const struct capture_request *request, struct err *err);
/* Closes everything; a file that was not finished is removed. */
void call_samples_close(struct call_samples *samples);

#endif
