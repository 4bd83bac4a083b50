/*
 * Rehearsal: how often a gate gives a false alarm on runs that are all of one build.
 *
 * Measured pairs are resampled: random pairs are chosen and their sides swapped at random, so that
 * the sides differ by chance alone; then they are measured and judged as the gate would
 * (struct simulated_gate): at the same looks, until it is decided. Any alarm is then a false one.
 */
#ifndef GATE_REHEARSAL_H
#define GATE_REHEARSAL_H

#include "gate/judgement.h"
#include "gate/more_runs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rehearsal_workload {
	/*
	 * As it is set up for judge_gate(), in paired mode and with both sides of one build;
	 * borrowed.
	 */
	const struct judgement *judgement;
	unsigned runs; /* of a gate's plan */
	unsigned max_runs;
};

struct rehearsal_options {
	size_t ngates;
	uint64_t seed;     /* the same seed gives the same gates */
	bool default_time; /* there is no budget: pairs are added for as long as by default */
};

/* Number of gates by status, that of their severest finding about a growth. */
struct rehearsal_tally {
	size_t ngates; /* 0: there are too few pairs for a first look */
	size_t npairs; /* that all of these took */
	size_t with[STATUS_SKIPPED + 1];
};

struct rehearsal {
	struct rehearsal_tally whole;      /* of all workloads together */
	struct rehearsal_tally *workloads; /* owned; by workload */
	unsigned first;                    /* pairs of the first look, where the most are needed */
};

/*
 * Fills in `rehearsal`. No gate takes more pairs of a workload than were measured: that is then its
 * last look. None is simulated where some workload has too few for its first one.
 */
void rehearsal_run(struct rehearsal *rehearsal, const struct rehearsal_workload *workloads,
	size_t nworkloads, const struct rehearsal_options *options);
void rehearsal_release(struct rehearsal *rehearsal);

/*
 * A gate without measuring: its runs come from a function of the caller's, and when it is judged,
 * which workloads get more runs, and when it ends is as in a real gate
 * (commands/gate/gate_steps.c): the same plans of runs (more_runs.h), the same looks (looks.h),
 * the same time for what is added. Counting takes none of that time, as in a gate without a budget
 * where it takes ten seconds at most, or in one whose budget leaves the time. For calibrate's
 * rehearsal and for simulations with a known truth.
 */

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
