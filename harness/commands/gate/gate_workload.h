/*
 * One workload of a gate, from measuring to judging: its plan, its baseline, its evidence, and the
 * input of judging it. Texts are owned by the planner unless they say otherwise.
 */
#ifndef GATE_GATE_WORKLOAD_H
#define GATE_GATE_WORKLOAD_H

#include "builds/git.h"
#include "gate/judgement.h"
#include "gate/module_pairs.h"
#include "gate/plan.h"
#include "gate/stored_counts.h"
#include "measurement/measurement.h"
#include "measurement/session.h"

#include <stdbool.h>

struct gate_workload {
	struct measurement *measurement; /* that is judged; borrowed */
	/*
	 * Once `measurement` are the confirming pairs: the measurement by the stored baseline, in
	 * whose place they decide; else NULL.
	 */
	struct measurement *first_stage;
	struct screen screen; /* the findings of the first stage that the pairs are to decide */
	const char *flagged;  /* describes the first of these findings; NULL: there is none */
	/*
	 * The workload as one of instructions, where stored counts judge it; owned; NULL: they do
	 * not.
	 */
	struct counted_workload *counted_as;
	struct baseline baseline;           /* if has_baseline */
	struct baseline stored_counts;      /* of the baseline; if has_stored_counts: they decide in
					       place of pairs */
	struct profile kept[MEASURE_SIDES]; /* both sides of stored counts, limited to what is
					       comparable; if has_kept */
	bool has_baseline;
	bool has_stored_counts;
	bool has_kept;
	bool counted;                      /* counting instructions was tried */
	char *orphans;                     /* for gate_input.orphans; owned; NULL: none */
	struct plan plan;                  /* how it is judged */
	char base_commit[GIT_COMMIT_SIZE]; /* the commit that can be built to compare with; "": none
					    */
	const char *not_judged;            /* as in struct gate_input */
	const char *base_refused; /* why the commit of the baseline cannot be built; NULL: it can */
	struct baseline_info info; /* of the candidate's runs; with pairs, of the base's */
	struct gate_policy policy;
	struct module_pairs *pairs;        /* of the compared sides; owned; NULL: not read */
	struct source_changes *source;     /* since `source_base`; owned; NULL: none are known */
	char source_base[GIT_COMMIT_SIZE]; /* the commit; "": not read yet */
	struct counted_instructions *instructions; /* owned; NULL: not counted */
	double count_factor;  /* a counted run uses so many times the CPU time */
	double count_s;       /* wall time that counting took */
	double count_limit_s; /* CPU time that a counted run may use */
	/* Read from the above, again for each comparison. */
	struct code_states code;
	struct instruction_counts counts;
	struct judgement judgement;
	enum { DATA_UNKNOWN, DATA_SAME, DATA_DIFFERS } data; /* input data of the program */
	char *stale_files;                                   /* as in struct gate_input; owned */
	bool stale_checked;                                  /* stale files were looked for */
	bool base_is_candidate;                              /* as in struct gate_input */
	bool code_missing; /* no code is stored with the baseline */
	bool verdict_logged;
	enum status logged_status; /* if verdict_logged */
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
/* The seconds that counting takes for each side, by the runs so far, whatever load slows these. */
double gate_workload_count_seconds(const struct gate_workload *w);
/* Adds the instructions that were counted, if any. */
void gate_workload_use_counts(struct gate_workload *w);

#endif
