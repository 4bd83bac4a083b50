/*
 * The data of a gate, and its single steps over all workloads: taking runs, judging them, asking
 * for more runs, counting instructions. gate.c puts these steps in order. (The order of the runs
 * themselves is that of measurement/rounds.h; measurement/run_order.c draws which build of a pair
 * runs first.)
 */
#ifndef GATE_GATE_STEPS_H
#define GATE_GATE_STEPS_H

#include "builds/build_side.h"
#include "gate/gate_confirm.h"
#include "gate/gate_options.h"
#include "gate/gate_prepare.h"
#include "gate/gate_workload.h"
#include "gate/verdict.h"
#include "measurement/measurement.h"
#include "measurement/session.h"

#include <stdbool.h>

struct gate {
	const struct gate_options *options; /* borrowed */
	size_t n;
	struct gate_workload *workloads;
	/* By workload, as measuring and judging need them. */
	struct measurement *measurements;
	struct judgement **judgements;
	struct session session;
	struct build_side base; /* of --against, if `paired` */
	struct gate_preparation preparation;
	struct rounds *first_stage;  /* runs of `measurements`, while they are taken; else NULL */
	struct gate_confirm confirm; /* pairs that decide what stored baselines flag */
	struct baseline_list stored; /* all baselines there are */
	bool paired;                 /* --against: the first stage is pairs already */
	enum status status;          /* of all workloads, once they are judged */
	char interrupted[16];        /* the signal that interrupted it: "SIGTERM"; "": none */
	double started;              /* clock_seconds() */
	bool has_budget;             /* else the deadline applies to added runs only */
	double deadline_s;           /* by clock_seconds(); 0: none yet */
};

/* Opens the build to compare with, if there is one. On error nothing needs releasing. */
int gate_init(struct gate *gate, const struct gate_options *options, struct err *err);
void gate_release(struct gate *gate);

/*
 * Before the first runs of pairs: plans the looks at which these are tested (judge/gate/looks.h).
 */
void gate_schedule_looks(struct gate *gate);

/*
 * Takes the runs of a stage that are wanted, confirming pairs included. -1 for an interruption and
 * for a system that cannot go on.
 */
int gate_take_runs(struct gate *gate, unsigned stage, struct err *err);

/* Judges all workloads by the runs so far. */
void gate_judge_runs(struct gate *gate);

/* Logs new verdicts: of workloads that no more runs can change, or `at_end` of all. */
void gate_log_verdicts(struct gate *gate, bool at_end);

/*
 * Counts the instructions of workloads where these could decide or explain a finding, once each.
 * *any: some were counted. A workload that cannot be counted is no error, and under `decide: auto`
 * not even a warning; -1 for an interruption.
 */
int gate_count_instructions(struct gate *gate, enum counting which, const char *scratch_dir,
	bool *any, struct err *err);

/*
 * Raises the number of wanted runs of a stage where these could decide something and there is time
 * for them. False: nowhere.
 */
bool gate_want_runs(struct gate *gate, int stage);

/* Calls run_plan_stop(), _resume() or _end() for each workload; whether it changed one. */
bool gate_change_looks(
	struct gate *gate, bool (*change)(struct run_plan *, const struct verdict *));

/* Ends all rounds at gate->deadline_s. */
void gate_set_deadline(const struct gate *gate);
/* Puts gate->deadline_s off by the time that builds took: it is for measuring. */
void gate_put_off_deadline(struct gate *gate, const struct measurement *measurements);

#endif
