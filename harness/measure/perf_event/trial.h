/*
 * Tries events on this process, to see whether they really deliver samples, and chooses one.
 */
#ifndef PERF_EVENT_TRIAL_H
#define PERF_EVENT_TRIAL_H

#include "perf_event/events.h"
#include "perf_event/ring.h"

#include <stdbool.h>
#include <stdint.h>

struct trial {
	int errnum;       /* why it could not be opened; 0 if it was */
	uint64_t samples; /* delivered */
	double expected;  /* samples that should have come */
	double units_hz;  /* units of the event a second of CPU time */
	bool kernel;      /* kernel code may be sampled */
	bool callchain;   /* some sample held callers */
};

/* Whether copies of the stack come with samples. */
struct stack_trial {
	int errnum;
	uint64_t samples;
	uint64_t copies; /* samples with registers and a copy */
};

/*
 * Spins for at most some 20 ms of CPU time under the event, and two times 15 more where only a part
 * of the samples comes.
 */
void trial_run(const struct event_kind *kind, struct trial *trial);
/* The same with stack copies, in user code only; `trial` is the one without them. */
void trial_stacks(
	const struct event_kind *kind, const struct trial *trial, struct stack_trial *stacks);
/* Whether at least half of the samples came. */
bool trial_delivers(const struct trial *trial);

/*
 * Counts in *counts what the event `name` records of act(context), in this thread. -1 where it
 * cannot be opened.
 */
int trial_record(const char *name, const struct perf_event_attr *attr, void (*act)(void *context),
	void *context, struct ring_counts *counts, struct err *err);

/*
 * Chooses the event for `wanted`: "auto" (cycles, else cpu-clock) or a name. An unknown or
 * undeliverable event is an error that says what would be needed.
 */
int trial_choose_event(const char *wanted, struct capture_event *event, struct err *err);

#endif
