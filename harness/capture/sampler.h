/*
 * The sampling of one process, or of all: the events, one ring buffer a CPU, and the perf.data file
 * that the records go to.
 */
#ifndef CAPTURE_SAMPLER_H
#define CAPTURE_SAMPLER_H

#include "base/err.h"
#include "capture/backend.h"
#include "perf_event/ring_drain.h"
#include "perfdata/writer.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sampler {
	struct perf_event_attr attr;
	int *fds; /* those that own the buffers first, one a CPU; then all others */
	uint64_t *ids;
	size_t nfds;
	size_t fds_capacity;
	size_t ids_capacity;
	int *cpus;          /* whose records we take */
	struct ring *rings; /* one a CPU */
	size_t ring_bytes;
	size_t ncpus;
	bool no_room;    /* the last buffer was more than we may lock */
	bool everywhere; /* all processes are sampled */
	struct ring_counts counts;
	struct share *share; /* NULL: stack copies are written whole */
	struct perfdata_writer writer;
	bool writing;
};

/*
 * Opens events for `tasks` (an unstarted child, which they wait for to exec; or with `attach` the
 * threads of a running process) and starts the file. On error nothing is left.
 */
int sampler_open(struct sampler *sampler, const struct capture_request *request, const pid_t *tasks,
	size_t ntasks, struct err *err);
/*
 * Begins now, without waiting for an exec; what is there already of the processes that are sampled
 * is put into the file first.
 */
int sampler_enable(struct sampler *sampler, const struct capture_request *request, struct err *err);
/* No more samples from here on. */
void sampler_disable(struct sampler *sampler);
/* Moves what stands in all buffers to the file. `context` is the sampler. */
int sampler_drain(void *context, struct err *err);
/* How many units of the event went by, sampled or not. */
double sampler_units(const struct sampler *sampler);
/* Drains, fills in the counts of `run`, and puts the file in its place. */
int sampler_finish(struct sampler *sampler, const struct capture_request *request, struct run *run,
	struct err *err);
/* Closes all. What was not finished is removed. */
void sampler_close(struct sampler *sampler);

/* Its events and their buffers (sampler_events.c). */

/* PERF_FORMAT_LOST since Linux 6.0; older headers do not know it. */
#define SAMPLER_FORMAT_LOST (1U << 4)

/*
 * Fills in attr, fds, ids, cpus and rings. As the kernel and the limits allow: with fewer features
 * than wished where it is an older one, and with smaller buffers. On error
 * sampler_events_close() is still to be called.
 */
int sampler_events_open(struct sampler *sampler, const struct capture_request *request,
	const pid_t *tasks, size_t ntasks, struct err *err);
void sampler_events_close(struct sampler *sampler);

#endif
