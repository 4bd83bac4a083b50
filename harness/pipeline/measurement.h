/*
 * What is measured of one workload, and how all of them are to be measured.
 */
#ifndef PIPELINE_MEASUREMENT_H
#define PIPELINE_MEASUREMENT_H

#include "builds/build_side.h"
#include "capture/backend.h"
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
	char *error;       /* why it could not be measured; NULL if it was */
	bool same_program; /* both sides are one: no run is taken */

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
	bool skip_same;    /* no run is taken where the two builds are known to be the same */
	double deadline_s; /* of clock_seconds(): no run is begun that would end after it; 0: none
			    */
};

#endif
