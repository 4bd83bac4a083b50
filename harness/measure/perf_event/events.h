/*
 * The events of perf_event_open(2) that a program is sampled on or counted by: their names and
 * attributes, opening them, and why the kernel refuses one.
 */
#ifndef PERF_EVENT_EVENTS_H
#define PERF_EVENT_EVENTS_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* An event that the machine delivers, found by trial. */
struct capture_event {
	char name[64];       /* "cycles", "cpu-clock" */
	uint32_t type;       /* perf_event_attr.type */
	uint64_t config;     /* perf_event_attr.config */
	uint64_t end_config; /* of a tracepoint: another one, at the end of each of its calls, which
				is recorded besides, without stacks; 0: none */
	uint64_t
		wake_config; /* of the tracepoint of wake-ups, which is recorded besides; 0: none */
	bool is_clock;       /* the period is in ns of CPU time */
	double rate_hz;      /* units a second of CPU time: 1e9 for clocks, measured for counters */
	bool kernel;         /* kernel code is sampled too */
	bool callchain;      /* frame-pointer call chains are delivered */
	bool counts_all; /* nothing is sampled: every event is counted, with its stack; such a run
			    has no period, and no need of a warm-up or of a trial of its stacks */
	bool own_stacks; /* its backend finds the stacks, without call chains and stack copies */
	bool timed; /* every context switch is recorded with its time, besides the event if that
		       is a clock */
	bool locks; /* with `timed`: wake-ups have stacks, and mappings of data are recorded */
	bool own_format;    /* the capture is not perf.data but the file of another tool */
	char presented[64]; /* the processor that its simulator presents, which programs choose
			       code by; "": the machine's own */
	bool placed;        /* ... and its programs can see their folder at a fixed path */
	char reason[160];   /* why this one: "cycles: not supported by this machine (ENOENT)" */
};

/* Whether samples are taken at a frequency. */
static inline bool
event_is_sampled(const struct capture_event *event)
{
	return !event->counts_all && (!event->timed || event->is_clock);
}

/* Whether each of something is recorded: one execution makes a run, and stacks are not tried. */
static inline bool
event_is_traced(const struct capture_event *event)
{
	return event->counts_all || event->timed;
}

/* A record's size is a 16-bit number. */
#define CAPTURE_STACK_MAX 65528

struct event_kind {
	const char *name;
	uint64_t config;
	uint32_t type;
	bool is_clock;
};

/* Every event we know by name; ends with a NULL name. */
extern const struct event_kind event_kinds[];

/* NULL if there is none of that name. */
const struct event_kind *event_kind_find(const char *name);

/*
 * The attributes for sampling `event`: every `period` units, or if that is 0 `frequency_hz` times a
 * second. They do not depend on the task or CPU that the event is opened for.
 */
void event_attr(struct perf_event_attr *attr, const struct capture_event *event, uint64_t period,
	double frequency_hz, bool callchain);
/*
 * Adds to them the registers of the user's code and a copy of `stack_bytes` of its stack, for
 * unwinding by DWARF; a multiple of 8, at most CAPTURE_STACK_MAX. False where the registers of this
 * kind of processor are not known.
 */
bool event_attr_add_stack(struct perf_event_attr *attr, uint32_t stack_bytes);

/* Adds the stack pointer only, where the registers are known. */
void event_attr_add_stack_pointer(struct perf_event_attr *attr);

/* perf_event_open(2), close-on-exec; the descriptor, or -1 and errno. */
int event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* Sets `err` for a perf_event_open(2) of event `name` that failed with `errnum`: why, and how to
 * fix it. Returns -1. */
int event_refused(const char *name, int errnum, struct err *err);

/* /proc/sys/kernel/`name` as a number; `otherwise` if it cannot be read. */
long event_sysctl(const char *name, long otherwise);

/* The advice where events are not permitted, by the kernel's setting. */
#define EVENT_ADVICE_SIZE 256
void event_advise(char advice[EVENT_ADVICE_SIZE]);
/* Why this process cannot sample its own CPU time, as errno; 0 if it can. */
int event_find_refusal(void);

/*
 * The kernel's tracepoints, as events of perf_event_open(2).
 */

/*
 * The id of a tracepoint "raw_syscalls/sys_enter": perf_event_attr.config. It is read from tracefs
 * where that is mounted, else from a mount of it that nobody else sees. 0 and an error where both
 * are refused.
 */
uint64_t tracepoint_id(const char *name, struct err *err);

/*
 * Counters beside the samples, of a process and its descendants: exact CPU time, context switches,
 * migrations; and where the machine has a PMU what its hardware counts of their user code. The
 * kernel is left out of that: it is counted only for users with the right to, and spreads more.
 */

enum event_counter {
	EVENT_CPU_NS,
	EVENT_SWITCHES,
	EVENT_MIGRATIONS,
	EVENT_CYCLES, /* the first of the hardware's */
	EVENT_INSTRUCTIONS,
	EVENT_BRANCHES,
	EVENT_BRANCH_MISSES,
	EVENT_CACHE_MISSES,
	NEVENT_COUNTERS,
};

/* The count of an event, in the part of the time in which the hardware had room for it. */
struct event_count {
	bool known;
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

struct event_counters {
	int *fds[NEVENT_COUNTERS]; /* one a task, or a CPU */
	size_t nfds;
	/* Sums of the earlier tasks, after event_counters_follow(). */
	struct event_count before[NEVENT_COUNTERS];
};

/*
 * Opens what the kernel allows, of several tasks not the hardware's; enabled by the task's exec if
 * `at_exec`, or else by event_counters_enable(), for its descendants, too.
 */
void event_counters_open(
	struct event_counters *counters, const pid_t *tasks, size_t ntasks, bool at_exec);
/* For all processes on these CPUs, without their CPU time. */
void event_counters_open_cpus(struct event_counters *counters, const cpu_set_t *cpus);
/* Continues with another task, opened as by event_counters_open(). */
void event_counters_follow(struct event_counters *counters, pid_t task);
void event_counters_enable(const struct event_counters *counters);
void event_counters_disable(const struct event_counters *counters);
/* The sum over all of them; -1 if it was refused. */
int64_t event_counters_read(const struct event_counters *counters, enum event_counter counter);
/*
 * What the hardware would have counted with room all the time, and the share of the time in which
 * it had room. Both are NAN where it was refused; of an event that never ran only the count is.
 */
double event_counters_scaled(
	const struct event_counters *counters, enum event_counter counter, double *running);
void event_counters_close(struct event_counters *counters);

#endif
