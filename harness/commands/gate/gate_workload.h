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
	struct measurement *measurement; /* the one that is judged; borrowed */

	/* How it is judged. */
	struct plan plan;
	struct gate_policy policy;
	char base_commit[GIT_COMMIT_SIZE]; /* that can be built to compare with; "": none */
	const char *base_refused; /* why the baseline's commit cannot be built; NULL: it can */
	const char *not_judged;   /* as in struct gate_input, as are the next two */
	char *orphans;            /* owned */
	bool base_is_candidate;

	/* The stored baseline of this class of machines. */
	bool has_baseline;
	bool code_missing;        /* no machine code is stored with it */
	struct baseline baseline; /* if has_baseline */

	/*
	 * The second stage. Once `measurement` are its pairs, `first_stage` is the measurement by
	 * the stored baseline, in whose place they decide; until then NULL.
	 */
	struct measurement *first_stage;
	struct screen screen; /* the findings of the first stage that the pairs are to decide */
	const char *flagged;  /* describes the first of these findings; NULL: there is none */

	/* Counted instructions, where these decide or explain what time does not. */
	struct counted_instructions *instructions; /* owned; NULL: none */
	double count_factor;           /* a counted run uses so many times the CPU time */
	double count_s;                /* wall time that counting took */
	double count_limit_s;          /* CPU time that a counted run may use */
	struct baseline stored_counts; /* to compare with; if has_stored_counts */
	bool has_stored_counts;
	bool counted; /* counting was tried */

	/* For a workload that is judged by stored counts alone, PLAN_COUNTS. */
	bool has_kept;
	struct profile kept[MEASURE_SIDES];  /* the comparable part of each side; if has_kept */
	struct counted_workload *counted_as; /* it as a workload of instructions; owned; or NULL */

	/* The evidence about its program. */
	struct module_pairs *pairs;        /* of the compared sides; owned; NULL: not read */
	struct source_changes *source;     /* since `source_base`; owned; NULL: none are known */
	char source_base[GIT_COMMIT_SIZE]; /* "": not read yet */
	struct code_states code;           /* read again for each comparison, as is `counts` */
	struct instruction_counts counts;
	enum { DATA_UNKNOWN, DATA_SAME, DATA_DIFFERS } data; /* the files that its runs read */
	bool stale_checked;                                  /* `stale_files` was looked for */
	char *stale_files;                                   /* as in struct gate_input; owned */

	struct baseline_info info; /* of the candidate's runs; with pairs, of the base's */
	struct judgement judgement;
	bool verdict_logged;
	enum status logged_status; /* if verdict_logged */
};

void gate_workload_release(struct gate_workload *w);

/* Fills in the input of judging from the runs so far. */
void gate_workload_set_input(
	struct gate_workload *w, const struct session *session, const char *branch);

/*
 * Adds the changes of machine code, read from the two builds or from the code that is stored with
 * the baseline, and those of the source.
 */
void gate_workload_read_code(struct gate_workload *w, const struct session *session);
/* The seconds that counting takes for each side, by the runs so far, whatever load slows these. */
double gate_workload_count_seconds(const struct gate_workload *w);
/* Adds the instructions that were counted, if any. */
void gate_workload_use_counts(struct gate_workload *w);

#endif
