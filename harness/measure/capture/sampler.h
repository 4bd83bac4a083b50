/*
 * Sampling one process, or all, into a perf.data file: the events, one ring buffer a CPU, and the
 * file that the records go to. Its parts are in sampler.c, sampler_attr.c and sampler_events.c.
 */
#ifndef CAPTURE_SAMPLER_H
#define CAPTURE_SAMPLER_H

#include "base/err.h"
#include "capture/backend.h"
#include "capture/capture_phases.h"
#include "capture/operation.h"
#include "perf_event/ring.h"
#include "perf_event/ring_drain.h"
#include "perf_event/share.h"
#include "perfdata/writer.h"
#include "process/child.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * An event that is recorded beside the first one: the context switches beside a clock, the ends of
 * system calls, wake-ups, the begins and ends of operations, the begins of phases.
 */
struct further_event {
	const char *name;
	uint32_t type; /* of perf_event_attr */
	uint64_t config;
	bool everywhere;                     /* recorded of all processes */
	bool stacks;                         /* a tracepoint whose samples have stacks, too */
	const struct operation *operation;   /* the event is at its probes; NULL: at none */
	bool ends;                           /* at the probes that end it, else that begin it */
	const struct operation_probe *probe; /* the last one that was opened */
	struct perf_event_attr attr;         /* as written to the file */
	uint64_t *ids;
	int *fds; /* also among those of the sampler */
	size_t count;
	size_t ids_capacity;
	size_t fds_capacity;
};

#define FURTHER_EVENTS_MAX (4 + PHASE_PROBES_MAX)

struct held_files;
struct phase_pipe;

struct sampler {
	struct perf_event_attr attr;
	struct further_event further[FURTHER_EVENTS_MAX];
	size_t nfurther;
	int *fds; /* first those that own the buffers, one a CPU; then all others */
	uint64_t *ids;
	size_t nids;
	size_t nfds;
	size_t fds_capacity;
	size_t ids_capacity;
	int *cpus;          /* the CPUs that have a buffer */
	struct ring *rings; /* one a CPU */
	size_t ring_bytes;
	size_t ncpus;
	size_t watched;  /* the first of the `ncpus` descriptors to wait for */
	bool no_room;    /* the last buffer was larger than the memory that we may lock */
	bool everywhere; /* all processes are sampled */
	struct ring_counts counts;
	/*
	 * For earlier tasks (sampler_follow()): the units that their events counted, and the
	 * samples lost.
	 */
	uint64_t dropped_units;
	uint64_t dropped_lost;
	double spent_part;       /* the part of its first period that the next execution spends
				    before its exec: see sampler_follow() */
	struct share *share;     /* NULL: stack copies are written whole */
	struct held_files *held; /* the files that the program executes */
	struct phase_pipe *pipe; /* borrowed: phases that the program writes; NULL: none */
	struct perf_event_attr pipe_attr; /* of the event of these phases */
	uint64_t pipe_id;
	struct written_event events[2 + FURTHER_EVENTS_MAX]; /* as written to the file */
	uint64_t end_ns;                                     /* when sampling ended */
	struct perfdata_writer writer;
	bool writing;
};

/*
 * A capture from its begin to its end (sampler.c).
 */

/*
 * Opens events for `tasks`: an unstarted child, whose exec enables them, or with `attach_pid` the
 * threads of a running process; with `pipe`, also the event of the phases that come from it (NULL:
 * none). Starts the file. On error nothing is left.
 */
int sampler_open(struct sampler *sampler, const struct capture_request *request,
	struct phase_pipe *pipe, const pid_t *tasks, size_t ntasks, struct err *err);
/*
 * Continues with another unstarted child in the same file. Its first sample comes after a varying
 * part of a period: if it always came a whole period after the exec, many short executions would be
 * sampled at the same few points, and never before the first.
 */
int sampler_follow(struct sampler *sampler, const struct capture_request *request,
	struct child *child, const struct child_spec *spec, struct err *err);
/*
 * Begins sampling now, without waiting for an exec; the present maps and names of the sampled
 * processes are written to the file first.
 */
int sampler_enable(struct sampler *sampler, const struct capture_request *request, struct err *err);
/* Ends sampling; records stay in the buffers. */
void sampler_disable(struct sampler *sampler);
/*
 * Opens the files that were mapped as code since the last call, and returns after how many
 * milliseconds to look again. `context` is the sampler; as struct watch's look().
 */
unsigned sampler_look(void *context);
/* Drains all buffers into the file. `context` is the sampler; as struct watch's drain(). */
int sampler_drain(void *context, struct err *err);
/* The number of units of the event, sampled or not. */
double sampler_units(const struct sampler *sampler);
/* Drains, fills in the counts of `run`, and puts the file in its place. */
int sampler_finish(struct sampler *sampler, const struct capture_request *request, struct run *run,
	struct err *err);
/* Closes everything. Removes a file that was not finished. */
void sampler_close(struct sampler *sampler);

/*
 * The attributes of the events (sampler_attr.c).
 */

/* PERF_FORMAT_LOST since Linux 6.0; older headers do not know it. */
#define SAMPLER_FORMAT_LOST (1U << 4)

/* The purpose of an event. */
enum role {
	ROLE_WHOLE,   /* samples, and reports maps, names and tasks */
	ROLE_TELLS,   /* only reports */
	ROLE_SAMPLES, /* only samples */
	ROLE_FURTHER  /* samples of the first of the further events; the others' roles follow */
};

/*
 * Whether the wake-ups of all processes are recorded: the kernel does not report to the process
 * that is woken those by another process, or by a timer while nothing runs. Wake-ups with stacks
 * are of the program only, which is what releases its locks.
 */
bool sampler_wakes_everywhere(const struct capture_event *event);

/* Makes the sampler's attributes, and its further events. */
int sampler_attr_make(
	struct sampler *sampler, const struct capture_request *request, struct err *err);
/* Removes one feature that an older kernel may not know; false if none is left to remove. */
bool sampler_attr_drop_feature(struct perf_event_attr *attr);
/* The attributes for a role: they differ in what is delivered, not in the format of records. */
struct perf_event_attr sampler_attr_for(const struct sampler *sampler, unsigned role);
/* The attributes of the event of phases that the program writes to a pipe. */
struct perf_event_attr sampler_attr_phase(const struct sampler *sampler);
/*
 * The attributes of further event number `i` as they are written to the file. perf refuses a file
 * with a tracepoint whose format is not in it, even where only other events are of interest; it
 * wants no format for events that a program defines. The numbers of uprobes are those of this
 * machine and boot.
 */
struct perf_event_attr sampler_attr_written(const struct sampler *sampler, size_t i);

/*
 * Opening and closing the events and their buffers (sampler_events.c).
 */

/*
 * Fills in attr, fds, ids, cpus and rings. As far as the kernel and the limits allow: an older
 * kernel has fewer features, and buffers may be smaller than wanted. On error sampler_close_fds()
 * is still to be called.
 */
int sampler_events_open(struct sampler *sampler, const struct capture_request *request,
	const pid_t *tasks, size_t ntasks, struct err *err);
/* Opens the same for one more task, which delivers nothing until sampler_events_join(). */
int sampler_events_add(struct sampler *sampler, const struct capture_request *request, pid_t task,
	struct err *err);
/* Makes the events added last write into the existing buffers. */
int sampler_events_join(
	struct sampler *sampler, const struct capture_request *request, struct err *err);
/* Closes the events of all tasks but the first, which own the buffers. */
void sampler_drop_added(struct sampler *sampler);
/* Closes events and buffers. */
void sampler_close_fds(struct sampler *sampler);

#endif
