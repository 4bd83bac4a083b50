/*
 * Measuring workloads: build and set-up, warm-up, captured runs, each folded into a column.
 *
 * Used by the gate, by `baseline update` and by `calibrate`, so that both sides of a comparison are
 * taken the same way. Runs go round: run 1 of every workload, then run 2 of every workload, and so
 * on, so that a slow drift of the machine falls on all of them alike and within each one's
 * variance.
 *
 * With a second build, a run is a pair: one of each build, right after one another, in random order
 * and with the same sampling period. A pair counts whole or not at all.
 */
#ifndef PIPELINE_MEASURE_H
#define PIPELINE_MEASURE_H

#include "base/err.h"
#include "builds/build_side.h"
#include "capture/backend.h"
#include "compare/comparison.h"
#include "gate/more_runs.h"
#include "machine/cpus.h"
#include "pipeline/stack_plan.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stddef.h>

/* One build of a workload. */
struct measured_side {
	struct workload
		workload; /* as it is run in this build; its strings live in the one measured */
	struct profile profile; /* a column a run, sorted when all are there */
	char program_hash[65];  /* of the files that the command names */
	bool begun;             /* to be torn down */
};

struct measurement {
	const struct workload *workload; /* borrowed */
	const struct capture_backend *backend;
	struct capture_event event;
	struct cpu_plan cpus;
	struct stack_plan stacks;
	char *callgraph_before; /* of what it will be compared with; NULL if not known */
	struct measured_side sides[MEASURE_SIDES];
	size_t nsides; /* 2: pairs */
	struct arena arena;
	char *error; /* why it could not be measured; NULL if it was */

	struct run_plan runs; /* the caller may want more */
	unsigned attempts;    /* captured runs a side, those that were too poor to keep included */
	unsigned poor_runs;   /* those, or pairs */
	double build_s;       /* wall time of build and setup */
	double measure_s;     /* of warm-up and runs */
	double process_s;     /* of reading and folding the captures */
};

/*
 * How the stacks of the baseline of `m`, whose event has been chosen, were captured: "fp", "dwarf";
 * NULL if there is none. free() it.
 */
typedef char *(*measure_callgraph_of)(void *context, const struct measurement *m);

/* What is kept of each capture once it is folded. */
enum measure_keep {
	MEASURE_KEEP_NOTHING,
	MEASURE_KEEP_CONDENSED, /* the call chains that were found in place of stacks, compressed */
	MEASURE_KEEP_RAW,       /* all, as it was taken */
};

struct measure_options {
	const char *scratch_dir; /* exists; each workload's captures go to scratch_dir/NAME/ */
	enum measure_keep keep;
	measure_callgraph_of callgraph_of; /* NULL: nobody will compare */
	void *context;                     /* for it */
	const struct build_side *against;  /* a second build, measured in pairs; NULL: none */
	double deadline_s; /* of clock_seconds(): no run is begun that would end after it; 0: none
			    */
};

/* Measuring that can be gone on with. */
struct measure_session;

/*
 * Builds, sets up and warms up all of `list` into measurements[list->nworkloads], each to be wanted
 * capture.runs times. A workload that cannot be measured has its `error` set and does not stop the
 * others. NULL for an interruption and for a system that cannot go on; measurements are to be
 * released in either case.
 */
struct measure_session *measure_begin(struct measurement *measurements,
	const struct workload_list *list, const struct measure_options *options, struct err *err);

/*
 * Takes runs of this stage until every workload has what it wants, has been tried often enough, or
 * the deadline is there: at least 3 runs of each are taken all the same.
 */
int measure_more(struct measure_session *session, unsigned stage, struct err *err);

/* The mean wall time of a run (or pair) so far, folding included; 0 before the first. */
double measure_run_seconds(const struct measure_session *session, const struct measurement *m);

/* Tears the workloads down and sorts the profiles. NULL is allowed. */
void measure_end(struct measure_session *session);

/* All of it in one: one stage. -1 as measure_begin(). */
int measure_workloads(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err);

/* Removes the captures that were kept. `scratch_dir` as for measure_begin(). */
void measurement_drop_captures(const struct measurement *measurement, const char *scratch_dir);
void measurement_release(struct measurement *measurement);

#endif
