/*
 * One workload of a gate, from measuring to judging: its baseline, and the input of judging it.
 */
#ifndef GATE_GATE_WORKLOAD_H
#define GATE_GATE_WORKLOAD_H

#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/git.h"
#include "gate/code_changes.h"
#include "gate/instructions.h"
#include "gate/judge.h"
#include "gate/plan.h"
#include "gate/source_changes.h"
#include "gate/stored_counts.h"
#include "measurement/measurement.h"
#include "measurement/session.h"

#include <stdbool.h>

struct gate_workload {
	struct measurement *measurement; /* the gate's */
	/* For the first stage, where `measurement` are the pairs that decide in its place; NULL. */
	struct measurement *alone;
	struct screen screen; /* what that leaves to them; the planner's */
	const char *flagged;  /* what the first stage found that pairs were to decide; NULL */
	/* Where stored counts judge a workload of time: as it is measured; owned. NULL: they do
	 * not. */
	struct counted_workload *counted_as;
	struct baseline baseline;           /* read from the store */
	struct baseline stored_counts;      /* beside it, where they decide in place of pairs */
	struct profile kept[MEASURE_SIDES]; /* what is judged of these counts */
	bool has_baseline;
	bool has_stored_counts;
	bool has_kept;
	bool counted;     /* or tried to */
	char *orphans;    /* baselines that may be its own: gate_input.orphans; NULL: none */
	struct plan plan; /* its texts are the planner's */
	char base_commit[GIT_COMMIT_SIZE]; /* that can be built to compare with; "": none */
	const char *not_judged;            /* as in struct gate_input; the planner's */
	const char *base_refused;          /* why that of the baseline cannot; the planner's */
	struct baseline_info info;         /* of the runs; in a paired gate of the base's */
	struct gate_policy policy;
	struct module_pairs *pairs;        /* of the sides that are compared; NULL: not looked at */
	struct source_changes *source;     /* since `source_base`; NULL: none are known */
	char source_base[GIT_COMMIT_SIZE]; /* that was looked at; "": none yet */
	struct instructions *instructions; /* counted where the policy wants it */
	double count_factor;               /* counting takes so many times the CPU time */
	double count_s;                    /* wall time that counting took */
	double count_limit_s;              /* CPU time that a counted run might use */
	/* Read from these, anew for each comparison. */
	struct code_states code;
	struct instruction_counts counts;
	struct judgement judgement;
	enum { DATA_UNKNOWN, DATA_SAME, DATA_DIFFERS } data; /* input data of the program */
	char *stale_files;      /* as in struct gate_input, of a program that was measured */
	bool stale_checked;     /* these were looked for */
	bool base_is_candidate; /* as in struct gate_input */
	bool code_missing;      /* none is stored with the baseline */
	bool shown;             /* the verdict, with shown_status */
	enum status shown_status;
};

void gate_workload_release(struct gate_workload *w);

/* Fills in the input of judging from the runs so far. */
void gate_workload_prepare(
	struct gate_workload *w, const struct session *session, const char *branch);

/*
 * Adds the changes of machine code, read from the two builds or from what is stored with the
 * baseline.
 */
void gate_workload_look_at_code(struct gate_workload *w, const struct session *session);
/* The seconds that counting takes, of each side, by the runs so far: on a machine as busy as it is.
 */
double gate_workload_count_seconds(const struct gate_workload *w);
/* Adds the instructions that were counted, if any. */
void gate_workload_use_counts(struct gate_workload *w);

#endif
