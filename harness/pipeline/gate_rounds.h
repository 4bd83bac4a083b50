/*
 * What a gate does before it reports: its workloads are measured and judged, round by round, until
 * all is decided or no more can be done about it.
 */
#ifndef PIPELINE_GATE_ROUNDS_H
#define PIPELINE_GATE_ROUNDS_H

#include "builds/build_side.h"
#include "pipeline/gate_options.h"
#include "pipeline/gate_workload.h"
#include "pipeline/session.h"

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
	bool paired;
	enum status status;   /* of all workloads, once they are judged */
	char interrupted[16]; /* by which signal: "SIGTERM"; "" */
	double started;       /* clock_seconds() */
	bool has_budget;      /* one was given; else the deadline is for runs that are added only */
	double deadline_s;    /* of clock_seconds(); 0: not known yet */
};

/* Gets hold of the other build, if there is one. On error nothing needs releasing. */
int gate_rounds_init(
	struct gate_rounds *rounds, const struct gate_options *options, struct err *err);
void gate_rounds_release(struct gate_rounds *rounds);

/*
 * Measures and judges. Captures go to scratch_dir/NAME/, which are kept in the raw where the
 * configuration says so, else condensed. Of a gate that is interrupted, what has enough runs is
 * judged, and `interrupted` says by what; where nothing has, that is an error.
 */
int gate_rounds_run(struct gate_rounds *rounds, const char *scratch_dir, struct err *err);

#endif
