/*
<<<<<<< HEAD
 * A gate without measuring: a function of the caller's gives the runs. How the gate is judged,
which
 * workloads get more runs and when it ends is as in a real gate (commands/gate/gate_steps.c): the
 * same plans of runs (more_runs.h), the same looks (looks.h), the same time for added runs.
Counting
 * instructions takes none of that time, as in a gate without a budget where counting takes ten
 * seconds at most, or in one whose budget leaves the time. For the rehearsal of `calibrate`, and
for
 * simulations in which the true effects are known.
=======
 * A gate without measuring: a function of the caller's gives the runs. How the gate is judged,
 * which workloads get more runs and when it ends is as in a real gate
 * (commands/gate/gate_steps.c): the same plans of runs (more_runs.h), the same looks (looks.h),
 * the same time for added runs. Counting instructions takes none of that time, as in a gate without
 * a budget where counting takes ten seconds at most, or in one whose budget leaves the time. For
 * the rehearsal of `calibrate`, and for simulations in which the true effects are known.
>>>>>>> 08bac739 (wip2)
 */
#ifndef GATE_SIMULATED_GATE_H
#define GATE_SIMULATED_GATE_H

#include "gate/judgement.h"
#include "gate/more_runs.h"

#include <stdbool.h>
#include <stddef.h>

struct simulated_workload {
	struct judgement *judgement; /* borrowed; its input is set, but for its looks */
	struct run_plan plan;        /* no runs are taken yet */
	double count_seconds;        /* of counting its instructions, where a run takes 1 */
	bool counted;
};

/*
 * Adds `count` runs of a stage, a side, to what a workload is judged by, or as many as there are;
 * returns how many.
 */
typedef unsigned simulated_draw(void *context, size_t workload, int stage, unsigned count);

/*
 * Sets the states of the code, or the instructions, in what a workload is judged by, of the frames
 * of its comparison, in place of those that were there.
 */
typedef void simulated_read(void *context, size_t workload);

struct simulated_gate {
	struct simulated_workload *workloads; /* borrowed */
	size_t nworkloads;
	simulated_draw *draw;
	simulated_read *code;  /* NULL: the machine code of a side is not known */
	simulated_read *count; /* NULL: instructions cannot be counted */
	void *context;         /* of these */
	/*
	 * Runs are added for as long as without a budget, where a run of any workload takes as long
	 * as one of another; else without a limit.
	 */
	bool default_time;
};

/* The judgements are those of all runs that were taken. Returns the status of the gate. */
enum status simulated_gate_run(const struct simulated_gate *gate);

#endif
