/*
 * Measuring workloads: build and set-up, warm-up, captured runs, each folded into a column.
 *
 * Used by the gate and by `baseline update`, so that both sides of a comparison are taken the same
 * way. Runs go round: run 1 of every workload, then run 2 of every workload, and so on, so that a
 * slow drift of the machine falls on all of them alike and within each one's variance.
 */
#ifndef PIPELINE_MEASURE_H
#define PIPELINE_MEASURE_H

#include "base/err.h"
#include "capture/backend.h"
#include "capture/cpus.h"
#include "pipeline/stack_plan.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stddef.h>

struct measurement {
	const struct workload *workload; /* borrowed */
	const struct capture_backend *backend;
	struct capture_event event;
	struct cpu_plan cpus;
	struct stack_plan stacks;
	char *callgraph_before; /* of what it will be compared with; NULL if not known */
	struct profile profile; /* a column a run, sorted when all are there */
	char *error;            /* why it could not be measured; NULL if it was */
	char program_hash[65];  /* of the files that the command names */
	unsigned attempts;      /* captured runs, those that were too poor to keep included */
	unsigned poor_runs;     /* those */
	double build_s;         /* wall time of build and setup */
	double measure_s;       /* of warm-up and runs */
	double process_s;       /* of reading and folding the captures */
};

/*
 * How the stacks of the baseline were captured that `m`, whose event has been chosen, will be held
 * against: "fp", "dwarf"; NULL if there is none. free() it.
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
};

/*
 * Measures `list` into measurements[list->nworkloads]. A workload that cannot be measured has its
 * `error` set and does not stop the others; -1 is for an interruption and for a system that cannot
 * go on. All of them are to be released in either case.
 */
int measure_workloads(struct measurement *measurements, const struct workload_list *list,
	const struct measure_options *options, struct err *err);
/* Removes the captures that were kept. `scratch_dir` as for measure_workloads(). */
void measurement_drop_captures(const struct measurement *measurement, const char *scratch_dir);
void measurement_release(struct measurement *measurement);

#endif
