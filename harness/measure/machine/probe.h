/*
 * The capabilities of this machine, each found by a trial; `profile_run doctor` prints them.
 */
#ifndef MACHINE_PROBE_H
#define MACHINE_PROBE_H

#include "perf_event/trial.h"

#include <stddef.h>
#include <stdio.h>

enum probe_status {
	PROBE_OK,
	PROBE_LIMITED, /* works, with less than one would want */
	PROBE_MISSING, /* does not work; something else is used */
	PROBE_FATAL,   /* nothing can be captured */
};

struct probe_result {
	const char *name; /* "event cycles", "kernel names", "pinning", ... */
	enum probe_status status;
	char found[256];   /* what was tried and seen */
	char meaning[256]; /* what follows for captures */
	char remedy[256];  /* what to do about it; "" if nothing */
};

/* Sets a text of a result. */
#define SAY(field, ...) snprintf((field), sizeof(field), __VA_ARGS__)

enum probe_trial {
	TRIAL_CYCLES,
	TRIAL_INSTRUCTIONS,
	TRIAL_CPU_CLOCK,
	TRIAL_TASK_CLOCK,
	NTRIALS,
};

/* How steadily this machine works: measured by equal pieces of work, one right after the other. */
struct probe_pace {
	double cpu_share;    /* CPU time over wall time */
	double spread;       /* of the CPU time of one piece of work: (p90 - p10) / median */
	double steal_share;  /* of all CPUs' time meanwhile: given to others by the hypervisor */
	double steal_before; /* the same of the time since boot */
	double others_share; /* of all CPUs' time meanwhile: used by others; NAN: not known */
};

/* Trials that several parts need, made once. */
struct probe_context {
	struct trial trials[NTRIALS];
	struct stack_trial stacks;
	struct probe_pace pace;
	const char *root; /* ahead of the paths of /sys and /proc; "" but for tests */
};

/* Sets the status and the consequence of a result and, unless it is PROBE_OK, the remedy. */
void probe_conclude(struct probe_result *result, enum probe_status status, const char *meaning,
	const char *remedy);

/* Tries one thing and fills in one result but for its name. */
struct probe_part {
	const char *name; /* of the result; NULL ends a list */
	void (*run)(const struct probe_context *context, struct probe_result *result);
};

/*
 * Tries everything, in a fixed order; takes about a second. `counting` are trials of other ways of
 * measuring, which machine/ does not know; they come after those of sampling. Returns how many
 * results there are (at most `max`).
 */
size_t probe_machine(struct probe_result *results, size_t max, const struct probe_part *counting);

/* Sampling by the kernel (probe_sampling.c). */
extern const struct probe_part probe_sampling_parts[];
/* What the system grants (probe_system.c). */
extern const struct probe_part probe_system_parts[];
/* Sources of differences between runs (probe_noise.c). */
extern const struct probe_part probe_noise_parts[];

/* The trial of the event that `event: auto` takes (probe_sampling.c). */
const struct trial *probe_best_trial(const struct probe_context *context);

#endif
