/*
 * The steps of a gate's round, for all of its workloads: runs are taken, judged, and more of them
 * wanted. gate.c has the order of these steps; which build of a pair runs first is drawn in
 * measurement/measure.c, draw_pair_order().
 */
#ifndef GATE_GATE_ROUNDS_H
#define GATE_GATE_ROUNDS_H

#include "builds/build_side.h"
#include "gate/gate_confirm.h"
#include "gate/gate_options.h"
#include "gate/gate_prepare.h"
#include "gate/gate_workload.h"
#include "gate/verdict.h"
#include "measurement/measurement.h"
#include "measurement/session.h"

#include <stdbool.h>

struct gate_rounds {
	const struct gate_options *options; /* borrowed */
	size_t n;
	struct gate_workload *workloads;
	/* By workload, as measuring and judging take them. */
	struct measurement *measurements;
	struct judgement **judgements;
	struct session session;
	struct build_side base; /* if paired */
	struct gate_preparation preparation;
	struct measure_session *alone; /* of `measurements`, while they are taken */
	struct gate_confirm confirm;   /* pairs that decide what stored baselines flag */
	struct baseline_list stored;   /* all baselines there are */
	bool paired;
	enum status status;   /* of all workloads, once they are judged */
	char interrupted[16]; /* by which signal: "SIGTERM"; "" */
	double started;       /* clock_seconds() */
	bool has_budget;      /* one was given; else the deadline applies to added runs only */
	double deadline_s;    /* of clock_seconds(); 0: not known yet */
};

/* Opens the build to compare with, if there is one. On error nothing needs releasing. */
int gate_rounds_init(
	struct gate_rounds *rounds, const struct gate_options *options, struct err *err);
void gate_rounds_release(struct gate_rounds *rounds);

/* Before the first runs of a build in pairs: these are tested block by block. */
void gate_rounds_plan_looks(struct gate_rounds *rounds);

/*
 * Takes the runs of a stage that are wanted, alone and in pairs. -1 for an interruption and for a
 * system that cannot go on.
 */
int gate_rounds_take_runs(struct gate_rounds *rounds, unsigned stage, struct err *err);

/* Judges all workloads by the runs so far. */
void gate_rounds_judge(struct gate_rounds *rounds);

/* Shows new verdicts: of workloads that no more runs can change; at the end, of all. */
void gate_rounds_show_verdicts(struct gate_rounds *rounds, bool at_end);

/*
 * Counts the instructions of workloads that these could decide or explain, once each; *any tells
 * whether there were some. A failure is not fatal, and in the automatic case no news; -1 for an
 * interruption.
 */
int gate_rounds_count(struct gate_rounds *rounds, enum counting which, const char *scratch_dir,
	bool *any, struct err *err);

/* Wants more runs of a stage where they could decide something and there is time for them. */
bool gate_rounds_plan_runs(struct gate_rounds *rounds, int stage);

/* Ends or resumes looks by run_plan_stop(), resume() or end(); whether it did of a workload. */
bool gate_rounds_change_looks(
	struct gate_rounds *rounds, bool (*change)(struct run_plan *, const struct verdict *));

/*
 * The log of a gate while it runs, each verdict as soon as it is known:
 * "fail          zstd_compress: ZSTD_compressBlock_fast +18.3 %".
 */
void narrate_verdict(const struct measurement *m, const struct verdict *verdict);

/*
 * "zstd_compress: ZSTD_compressBlock_fast looks 18.3 % slower; taking 10 new runs to confirm".
 * Before the runs that `request` was granted are added to m->runs.
 */
void narrate_more_runs(const struct measurement *m, const struct run_request *request, int stage);

#endif
