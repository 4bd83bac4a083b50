/*
 * The steps of a gate before its first run: the plan of each workload is made and logged,
 * candidates and their bases are built, and both are warmed up.
 */
#ifndef GATE_GATE_PREPARE_H
#define GATE_GATE_PREPARE_H

#include "gate/gate_options.h"
#include "gate/gate_planner.h"
#include "gate/plan_base.h"
#include "measurement/rounds.h"

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

/* --plan: only makes the plans. Builds only where a workload may be the baseline's program. */
int gate_prepare_plan(struct gate_preparation *preparation, struct rounds *rounds, struct err *err);

/*
 * All of these steps. A base that cannot be built is no error of its workload, which is then not
 * measured; with `--against` it is an error.
 */
int gate_prepare(struct gate_preparation *preparation, struct rounds *rounds, struct err *err);

/* Whether any workload is measured. */
bool gate_prepare_measures(const struct gate_preparation *preparation);

#endif
