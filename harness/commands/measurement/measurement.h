/*
 * The measurement of one workload, the options common to all, and one run of one build, which
 * measure.c repeats.
 */
#ifndef MEASUREMENT_MEASUREMENT_H
#define MEASUREMENT_MEASUREMENT_H

#include "base/err.h"
#include "base/random.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/inputs.h"
#include "capture/backend.h"
#include "gate/more_runs.h"
#include "ingest/ingest.h"
#include "machine/machine.h"
#include "measurement/stack_plan.h"
#include "process/file_watch.h"
#include "profile/profile.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

struct session;

/*
 * A fresh sampling period for each run: the nominal one times 0.9 to 1.1, stratified over the runs,
 * in random order.
 *
 * A program whose phases keep step with the sampling clock is then sampled in all its phases: with
 * a fixed 1000 Hz a 1 ms-periodic 50/30/20 program gives 13/87/0, with this 50/30/20.
 */
struct periods {
	struct random random;
	double *factors; /* owned; a permutation of strata, refilled when used up */
	size_t nruns;
	size_t next;
};

/* `nruns` strata; seeded by the system. */
void periods_init(struct periods *periods, size_t nruns);
void periods_release(struct periods *periods);
/* The next factor, in 0.9 .. 1.1; over `nruns` calls each stratum once. */
double periods_next(struct periods *periods);

/*
 * How many executions make a run: as many, one after the other, as take about a second of CPU time,
 * since a command of some milliseconds has too few samples by itself. A command that waits or is
 * preempted may take three times as long.
 */
struct repeat_plan {
	unsigned executions; /* of the next run */
	bool automatic;
	bool to_be_tried; /* too little was executed so far to tell how long it takes */
	unsigned before;
};

/*
 * `wanted` by the user, 0: chosen automatically; `before` is the number in the runs that these will
 * be compared with, 0 if not known: it is used if it makes runs half to twice as long.
 */
void repeat_plan_init(struct repeat_plan *plan, unsigned wanted, unsigned before);

/* After a run as planned, which took so much CPU time and wall time. */
void repeat_plan_decide(struct repeat_plan *plan, double cpu_s, double wall_s);

/* The builds of a gate; the second one only where runs are pairs. */
enum measure_side {
	MEASURE_CANDIDATE,
	MEASURE_BASE,
	MEASURE_SIDES,
};

/* One build of a workload. */
struct measured_side {
	struct workload
		workload; /* as it is run in this build; its strings live in the one measured */
	struct profile profile;       /* a column a run, sorted when all are there */
	struct capture_phases phases; /* of it */
	char program_hash[65];        /* of the files that the command names */
	struct moved_paths moved;     /* to the base's own tree */
	struct run_files files;       /* that its runs used; of pairs only */
	bool begun;                   /* to be torn down */
};

struct measurement {
	const struct workload *workload; /* borrowed */
	/* For the same file, measured in another metric: builds and set-up are its; NULL: our own.
	 */
	const struct measurement *first;
	const struct build_side *base; /* the second build, measured in pairs; NULL: none */
	const struct capture_backend *backend;
	struct capture_event event;
	struct cpu_plan cpus;
	struct stack_plan stacks;
	struct repeat_plan repeat;
	/* For the side that it will be compared with: */
	char *callgraph_before;     /* NULL if not known */
	unsigned executions_before; /* of a run; 0 if not known */
	struct measured_side sides[MEASURE_SIDES];
	size_t nsides;                      /* 2: pairs */
	struct run_files installed;         /* that the first run of a single build used */
	struct file_states candidate_files; /* used by the candidate, as it left them */
	struct input_states inputs;         /* of a pair, before its runs */
	size_t files_checked;               /* of those of both sides: they are their own */
	struct arena arena;
	char *error;               /* why it could not be measured; NULL if it was */
	bool skipped;              /* that is because programs are missing that it requires */
	bool same_program;         /* both sides are one: no run is taken ... */
	bool picture_only;         /* ... but one of the candidate, for its picture */
	bool left_out;             /* it is neither built nor measured */
	bool by_file;              /* compared with stored counts: profiles are by_file_sum()'s */
	bool base_failed;          /* `error` is that of the base, not of the candidate */
	bool base_is_new;          /* it lacks the workload */
	const char *stale_files;   /* as in struct gate_input; the arena's */
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

	struct run_plan runs;     /* the caller may want more */
	unsigned attempts;        /* captured runs per side, including those too poor to keep */
	unsigned attempts_before; /* of another measurement whose captures go to the same folder */
	unsigned poor_runs;       /* runs or pairs too poor to keep */
	unsigned disturbed_runs;  /* those repeated because of other load */
	bool steadiness_told;     /* whether a run is steady was looked at */
	struct periods periods;
	double warm_up_s;   /* wall time of a run, or pair, by the last one to warm up; 0: there was
			       none */
	double runs_s;      /* of all runs, or pairs */
	unsigned nruns;     /* how many that was */
	unsigned runs_told; /* of those taken, when the log last said so ... */
	double runs_told_s; /* ... and runs_s then */
	double build_s;     /* wall time of build and setup */
	double building_s;  /* of the builds alone */
	double measure_s;   /* of warm-up and runs */
	double process_s;   /* of reading and folding the captures */
};

/* Whether phases are recorded: only where the records of the kernel tell when everything was. */
bool measurement_has_phases(const struct measurement *m);
/* The labels that stacks begin with where phases are recorded. */
void measure_set_labels(struct ingest_options *options);

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
	 * A workload whose programs are missing is skipped unless it is in this list, and then it
	 * is an error: it could be measured before. NULL: always an error.
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
	 * For clock_seconds(), later by the time that builds take: no run is begun that would end
	 * after it, and setup and teardown are ended (program_limit_s()). 0: none.
	 */
	double deadline_s;
};

/* The parts of a request that come from the workload: command, environment, timeout. */
void measure_fill_request(const struct workload *workload, struct capture_request *request);
/*
 * Selects what is judged of a metric of times: the threads of `thread` (spec/policy.h). "auto" is
 * "main" for wall, which is then the time from the program's start to its end, and else "all".
 */
void measure_select(const char *thread, const char *metric, struct ingest_options *options);
/*
 * The sampling period for samples at this frequency of an event that occurs `rate_hz` times a
 * second of CPU time: at least 1, every occurrence of a rare one. With 0 the kernel would vary it.
 */
uint64_t measure_period(double rate_hz, double frequency_hz);
/* Adds the capture's own counts to a column read back from it: costs, times, losses. */
void measure_merge(struct run *column, const struct run *captured);

/* State shared by all runs of a session. */
struct measure_shared {
	const struct measure_options *options;
	struct ingest_cache *cache;
	struct build_times builds; /* of all workloads so far */
};

/* From now on it is measured in pairs with `base`, which is borrowed; NULL: alone. */
void measurement_set_base(struct measurement *m, const struct build_side *base);

/* Chooses backend, event and CPUs. */
int measurement_choose(struct measurement *m, struct err *err);
/* Describes the profile of a side: the command, and what is measured. */
void measurement_describe(const struct measurement *m, struct measured_side *side);
/* Builds and sets up the candidate: its profile's files are known then. */
int measurement_build(struct measure_shared *shared, struct measurement *m, struct err *err);
/* Builds and sets up the base, if there is one, and plans the captures. */
int measurement_prepare(struct measure_shared *shared, struct measurement *m, struct err *err);

/* Runs that do not count: to warm up, and to find out how best to capture stacks. */
int measurement_warm_up(struct measure_shared *shared, struct measurement *m, struct err *err);

/* Captures one run and folds it into `one`, which is made here. */
int measurement_capture(struct measure_shared *shared, struct measurement *m,
	enum measure_side side, double period_factor, struct profile *one, struct err *err);

/* Where the capture of this attempt goes, if it is kept; free() it. */
char *measurement_capture_path(const struct measurement *m, const char *scratch_dir,
	enum measure_side side, unsigned attempt);
/* Removes the captures that were kept. `scratch_dir` as in struct measure_options. */
void measurement_drop_captures(const struct measurement *m, const char *scratch_dir);
void measurement_release(struct measurement *m);

/*
 * A run of the base failed with `err`, in `where` ("warm-up run 1"): the finding says so, and the
 * candidate goes on alone; pairs that are enough are still judged. -1 where the failure is not the
 * program's.
 */
int base_set_aside(struct measurement *m, const char *where, struct err *err);

/*
 * Programs and libraries that choose code by the CPU themselves: a function that a counted run
 * executed has the instruction CPUID. Counts are then those of code that suits the CPU that
 * valgrind presents. The C library, its loader and libgcc's shared library are left out: a counted
 * run tells the first two which code to choose, and the last only remembers what the CPU has.
 *
 * Appends the names of those of a capture by callgrind, a line each; nothing where there are none,
 * or no disassembler.
 */
void cpu_choice_find(const char *capture, struct buf *files);

#endif
