/*
 * The steps of a gate before its first run: each workload's plan is made and said, candidates are
 * built, and the bases that they are compared with.
 */
#ifndef GATE_GATE_PREPARE_H
#define GATE_GATE_PREPARE_H

#include "gate/gate_options.h"
#include "gate/gate_plan.h"
#include "measurement/measure.h"

struct gate_preparation {
	/* Borrowed, set by the caller. */
	const struct gate_options *options;
	const struct session *session;
	const struct baseline_list *stored; /* all baselines there are */
	const struct build_side *base;      /* --against; NULL: a stored gate */
	const char *branch;                 /* whose settings apply */
	struct gate_workload *workloads;
	size_t n;

	struct gate_planner planner; /* of the plans of all workloads */
	struct gate_bases bases;     /* of workloads whose base is a separate commit */
};

void gate_preparation_release(struct gate_preparation *preparation);

/* Only makes the plans; builds where a workload may be the baseline's program. */
int gate_prepare_plan(
	struct gate_preparation *preparation, struct measure_session *session, struct err *err);

/*
 * All of it, up to the warm-up. A base that cannot be had is no error of its workload, which is
 * then not measured, except with `--against`.
 */
int gate_prepare(
	struct gate_preparation *preparation, struct measure_session *session, struct err *err);

/* Whether any workload is measured. */
bool gate_prepare_measures(const struct gate_preparation *preparation);

#endif
