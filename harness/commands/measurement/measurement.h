/*
 * The measurement of one workload: its state, and its steps in the order in which rounds.c takes
 * them. Each step is in the file that is named after it or, for the first three,
 * measurement_prepare.c.
 */
#ifndef MEASUREMENT_MEASUREMENT_H
#define MEASUREMENT_MEASUREMENT_H

#include "base/err.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/inputs.h"
#include "capture/backend.h"
#include "gate/more_runs.h"
#include "machine/machine.h"
#include "measurement/repeat_plan.h"
#include "measurement/run_order.h"
#include "measurement/stack_plan.h"
#include "process/file_watch.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

struct session;
struct suite_selection;

/* The two builds of a paired gate. A gate without pairs has the candidate only. */
enum measure_side {
	MEASURE_CANDIDATE,
	MEASURE_BASE,
	MEASURE_SIDES,
};

/* One build of a workload. */
struct measured_side {
	/* As it is run in this build; its strings are those of struct measurement's workload. */
	struct workload workload;
	struct profile profile;       /* one column for each run; sorted at the end */
	struct capture_phases phases; /* of the workload's program */
	char program_hash[65];        /* of the files that the command names */
	struct moved_paths moved;     /* paths that lead to the base's own tree instead */
	struct run_files files;       /* that its runs used; known for pairs only */
	bool begun;                   /* it was built and set up, and is to be torn down */
	bool made;                    /* ... and that succeeded */
};

struct measurement {
	const struct workload *workload; /* borrowed */
	/*
	 * The measurement of the same workload file in another metric that builds and sets up for
	 * this one, too; NULL: there is none.
	 */
	const struct measurement *builder;
	const struct build_side *base; /* the second build, measured in pairs; NULL: none */
	const struct capture_backend *backend;
	struct capture_event event;
	struct cpu_plan cpus;
	struct stack_plan stacks;
	struct repeat_plan repeat;
	/* How the runs were captured that these will be compared with. */
	char *callgraph_before;     /* "fp", "dwarf"; NULL: not known */
	unsigned executions_before; /* in a run; 0: not known */
	uint64_t iterations; /* of a benchmark of a suite, fixed for all runs; 0: the suite decides
			      */
	struct measured_side sides[MEASURE_SIDES];
	size_t nsides;                      /* 2: runs are pairs */
	struct run_files installed;         /* files that the first run used; without a base only */
	struct file_states candidate_files; /* files that the candidate used, as it left them */
	struct input_states inputs;         /* with a base: the files of `inputs` before the runs */
	size_t files_checked; /* how many files of both sides are known to be their own */
	struct arena arena;
	char *error;       /* why it could not be measured; NULL: it could */
	bool skipped;      /* `error` is that programs are missing which it requires */
	bool same_program; /* both sides are one program: no run is taken ... */
	bool selects; /* a benchmark of a suite is not measured where it cannot reach the change */
	const char *unreached;   /* ... as it cannot, a sentence without its full stop, the arena's;
				    `same_program` is set then. NULL: it may */
	double reached;          /* the part of the functions it executes that changed, if known */
	bool picture_only;       /* ... but one run of the candidate, for its picture */
	bool left_out;           /* it is not measured, nor built if this is set before */
	bool by_file;            /* compared with stored counts: by_file_sum() makes its profiles */
	bool base_failed;        /* `error` is that of the base, not of the candidate */
	bool base_is_new;        /* the base does not have the workload */
	const char *stale_files; /* as in struct gate_input; the arena's */
	const char *changed_input; /* likewise */
	const char *files_note;    /* likewise */
	/* As in struct gate_input; the arena's. NULL: the base can be compared with. */
	const char *base_subject;
	const char *base_problem;
	/*
	 * By side, the file in its folder of the report with the output of a build that failed or
	 * warned; NULL: neither, or nothing is kept.
	 */
	const char *build_outputs[MEASURE_SIDES];

	struct run_plan runs;     /* taken and wanted; the caller may raise the wanted ones */
	unsigned attempts;        /* captured runs of each side, unusable ones included */
	unsigned attempts_before; /* of another measurement whose captures go to the same folder */
	unsigned poor_runs;       /* runs, or pairs, that were unusable */
	unsigned disturbed_runs;  /* runs, or pairs, repeated because of other load */
	bool steadiness_checked;  /* a run was checked for steadiness */
	struct run_order order;
	/* Wall times. */
	double warm_up_s;     /* of a run, or pair, by the last warm-up; 0: there was none */
	double runs_s;        /* of all runs, or pairs: reading the captures included */
	unsigned nruns;       /* the number of these */
	unsigned runs_logged; /* the number of taken runs when the log last told it ... */
	double runs_logged_s; /* ... and runs_s at that time */
	double build_s;       /* of builds and setup */
	double building_s;    /* of the builds alone */
	double measure_s;     /* of warm-up and runs */
	double process_s;     /* of reading the captures */
};

/* The part of each capture that is kept once it is folded. */
enum measure_keep {
	MEASURE_KEEP_NOTHING,
	MEASURE_KEEP_CONDENSED, /* the unwound call chains in place of stack copies, compressed */
	MEASURE_KEEP_RAW,       /* all, as it was taken */
};

struct measure_options {
	const char *scratch_dir; /* exists; each workload's captures go to scratch_dir/NAME/ */
	enum measure_keep keep;
	const struct session *baselines; /* session whose baselines to use; NULL: none */
	const struct build_side *base;   /* a second build, measured in pairs; NULL: none */
	/*
	 * A workload whose programs are missing is skipped, except where it has a baseline in this
	 * list: it could be measured before, and this is an error. NULL: always an error.
	 */
	const struct baseline_list *skip_unless;
	/*
	 * Runs that lose more than this part of their CPUs' time to other load are repeated, at
	 * most as often as there are runs wanted; 0: none is.
	 */
	double repeat_disturbed;
	const bool *leave_out; /* by workload, those that are not measured; NULL: none */
	bool skip_same; /* no run is taken where the two builds are known to be the same ... */
	bool picture_of_same; /* ... but one of the candidate, for its picture */
	/*
	 * By clock_seconds(): no run is begun that would end after it, and setup and teardown are
	 * ended then (program_limit_s()). Builds put it off by the time that they take. 0: none.
	 */
	double deadline_s;
};

/* The data that all measurements of rounds.h share. */
struct measure_shared {
	const struct measure_options *options;
	struct suite_selection *selection; /* made on demand */
	struct ingest_cache *cache;
	struct build_times builds; /* of all workloads so far */
};

/* From now on it is measured in pairs with `base`, which is borrowed; NULL: without one. */
void measurement_set_base(struct measurement *m, const struct build_side *base);
/* Describes the profile of a side: the command, and what is measured. */
void measurement_describe(const struct measurement *m, struct measured_side *side);
/* Whether phases are recorded: only where the kernel's records tell when each sample was taken. */
bool measurement_has_phases(const struct measurement *m);
/* The mean wall time of a run (or pair) so far, reading included; at first that of the warm-up. */
double measurement_run_seconds(const struct measurement *m);
/* The path of the capture of this attempt, if it is kept; free() it. */
char *measurement_capture_path(const struct measurement *m, const char *scratch_dir,
	enum measure_side side, unsigned attempt);
/*
 * Removes the captures that were kept, but for the first `nleft` of each side. `scratch_dir` as in
 * struct measure_options.
 */
void measurement_drop_captures(
	const struct measurement *m, const char *scratch_dir, unsigned nleft);
void measurement_release(struct measurement *m);

/*
 * Step 1: chooses backend, event and CPUs. Benchmarks of one suite, of which `other` is one, are
 * captured alike, so that the event is tried once; NULL: there is none.
 */
int measurement_choose(struct measurement *m, const struct measurement *other, struct err *err);
/* Step 2: builds and sets up the candidate. The files of its profile are known then. */
int measurement_build(struct measure_shared *shared, struct measurement *m, struct err *err);
/* Step 3: builds and sets up the base, if there is one, and plans the captures. */
int measurement_prepare(struct measure_shared *shared, struct measurement *m, struct err *err);
/* Step 4: takes runs that are not kept, to warm up and to find out how best to capture stacks. */
int measurement_warm_up(struct measure_shared *shared, struct measurement *m, struct err *err);
/* Step 5, for each run of each side: captures it and reads it into `one`, which is made here. */
int measurement_capture(struct measure_shared *shared, struct measurement *m,
	enum measure_side side, double period_factor, struct profile *one, struct err *err);

/* The request of a run of a side, for steps 4 and 5; nothing is written unless a path is set. */
struct capture_request measurement_request(const struct measurement *m, enum measure_side side);
/* Executes the run of a request, and reads the latencies that its driver reports. */
int measurement_execute(const struct measurement *m, enum measure_side side,
	struct capture_request *request, struct capture_result *result, struct err *err);

#endif
