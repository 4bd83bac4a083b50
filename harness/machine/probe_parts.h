/*
 * The parts of probe.c: each tries one thing and fills in one result.
 */
#ifndef MACHINE_PROBE_PARTS_H
#define MACHINE_PROBE_PARTS_H

#include "machine/probe.h"
#include "perf_event/trial.h"

#include <stddef.h>
#include <stdint.h>

enum probe_trial {
	TRIAL_CYCLES,
	TRIAL_INSTRUCTIONS,
	TRIAL_CPU_CLOCK,
	TRIAL_TASK_CLOCK,
	NTRIALS,
};

/* The same work, done again and again with nothing in between. */
struct probe_pace {
	double cpu_share;    /* CPU time over wall time */
	double spread;       /* of the CPU time of one piece of work: (p90 - p10) / median */
	double steal_share;  /* time the hypervisor gave to others, of all CPUs, meanwhile */
	double steal_before; /* the same since boot */
	double others_share; /* of the CPUs' time, at work for others meanwhile; NAN: not told */
};

/* What several parts need, tried once. */
struct probe_context {
	struct trial trials[NTRIALS];
	struct stack_trial stacks;
	struct probe_pace pace;
	const char *root; /* of the files that are read; "" but for tests */
};

/* What concerns the machine and not the sampling; ends with NULL (probe_system.c). */
extern probe_part *const probe_system_parts[];

/* What makes runs differ; ends with NULL (probe_noise.c). */
extern probe_part *const probe_noise_parts[];

/* Takes the pace of this machine: some 150 ms (probe_system.c). */
void probe_pace_take(struct probe_pace *pace);

#endif
