/*
 * The rounds of a gate: its workloads are measured and judged, round by round, until all is decided
 * or no more runs can decide it.
 */
#ifndef PIPELINE_GATE_ROUNDS_H
#define PIPELINE_GATE_ROUNDS_H

#include "builds/build_side.h"
#include "gate/gate_confirm.h"
#include "gate/gate_options.h"
#include "gate/gate_prepare.h"
#include "gate/gate_workload.h"
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

/*
 * Measures and judges. Captures go to scratch_dir/NAME/, raw if the configuration keeps them so,
 * else condensed. If the gate is interrupted, workloads with enough runs are judged, and
 * `interrupted` names the signal; if no workload has enough, that is an error.
 */
int gate_rounds_run(struct gate_rounds *rounds, const char *scratch_dir, struct err *err);

/* Finds how each workload is judged, and measures nothing; captures of builds go to scratch_dir. */
int gate_rounds_plan(struct gate_rounds *rounds, const char *scratch_dir, struct err *err);

#endif
