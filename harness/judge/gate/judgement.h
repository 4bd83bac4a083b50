/*
 * One workload of a gate: the input of judging it, and the results. Plain data.
 */
#ifndef GATE_JUDGEMENT_H
#define GATE_JUDGEMENT_H

#include "baseline/store.h"
#include "compare/causes.h"
#include "compare/comparison.h"
#include "compare/rest_spread.h"
#include "compare/run_spread.h"
#include "gate/looks.h"
#include "gate/same_files.h"
#include "gate/screen.h"
#include "gate/test.h"
#include "gate/verdict.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many instructions an execution of each function executes by itself, on either side, by frame
 * of the comparison's profile; NAN where they were not counted. Entry 0 is the whole program.
 */
struct instruction_counts {
	double *before; /* owned */
	double *after;
	size_t nframes;
};

void instruction_counts_release(struct instruction_counts *counts);

/*
 * The input of judging one workload; borrowed. A verdict is a function of this and of nothing else.
 */
struct gate_input {
	const struct workload *workload;
	const struct gate_policy *policy; /* resolved for this gate; NULL: as the workload has it */
	enum gate_mode mode;
	bool same_session; /* files: both sides were captured in one session of one machine */
	bool may_confirm;  /* the caller can take confirming runs of what would fail */
	bool baseline_is_of_other_machine;
	int64_t now;                     /* seconds since 1970 UTC, by which waivers expire */
	const struct profile *candidate; /* NULL if it could not be measured */
	/* The runs before: a stored baseline, the base of a pair, the files before. NULL: none. */
	const struct profile *before;
	const struct baseline_info *before_info; /* its description; NULL likewise */
	const char *against; /* name of the side before, for people; NULL: a stored baseline */
	/*
	 * Why there is nothing before to compare with, or less than was planned: a finding with
	 * this subject ("the base HEAD~1") and this reason. NULL: there is.
	 */
	const char *base_subject;
	const char *base_problem;
	bool base_is_new;          /* that is because the base has no such workload */
	const char *error;         /* why it could not be measured; NULL if it was */
	bool skipped;              /* that is no error: programs are missing that it requires */
	const char *machine_class; /* of this machine; "": files were captured, on any machine */
	const char *program_hash;  /* of the candidate */
	enum same_program program; /* whether it is that of the side before */
	bool not_measured; /* because the program is the same: `candidate` is NULL, or has a run
			      for its picture; no error */
	/*
	 * Why a benchmark cannot reach the change, so that its program is as good as the same: a
	 * sentence without its full stop; NULL: it may.
	 */
	const char *unreached;
	const char *stale_files; /* that are newer than the program, which is the same: the build
				    did not change it; NULL: none */
	const char *files_note;  /* on the files that each of two builds ran, a sentence without its
				    full stop; NULL: nothing to tell */
	/*
	 * Sentences on stored baselines that are of this workload, or may be, but have another
	 * name; NULL: none.
	 */
	const char *orphans;
	const char *changed_input; /* a file that both sides read and that differs, and its sizes:
				      "data/a.bin (1,000 B before, 2,000 B now)"; NULL: none */
	/* The command that records a baseline to compare with; NULL where none is. */
	const char *update_command;
	const char *changed_keys; /* struct workload's `changed` */
	/* Why it is compared with nothing and not measured, whole sentences; NULL: it is. */
	const char *not_judged;
	const char *base_note; /* on the side before, a sentence without its full stop; NULL */
	size_t planned;        /* in a shard, workloads of the whole gate; 0: no shard */
	/* For pairs that are tested block by block; without any there are stages, or one test. */
	struct looks looks;
	/* For pairs that decide what a stored baseline flagged. */
	struct screen screen;
	/*
	 * By frame of the comparison that tests_make() makes of both sides, which is the same for
	 * the same sides; NULL: nothing is known. judgement_wants_code() says when `code` is of
	 * use.
	 */
	const struct code_states *code;
	const struct instruction_counts *instructions;
	/* In a stored gate: these can be had, as those of the baseline's program are stored. Says
	 * what may be counted, not how anything is judged. */
	bool stored_counts;
	/*
	 * The baseline's commit, built here, is the candidate's program, and not the one that the
	 * baseline ran: the change made no difference. Stored counts can still show that another
	 * compiler did.
	 */
	bool base_is_candidate;
};

/* How growth is decided in a workload. */
struct criteria {
	double alpha;
	bool strict;      /* all of the interval must lie above fail_at */
	bool by_looks;    /* tested block by block: looks.h */
	bool early;       /* at a look that is not the last */
	double part;      /* of alpha, that this look spends; 1 without looks */
	size_t nfamilies; /* workloads that alpha is split over; 1: it is not */
	bool two_stages;  /* flagged tests are measured again */
	bool counted;     /* what is compared was counted, not sampled */
	bool adds_before; /* runs can be added to both sides, not only to the candidate's */
	enum policy_action regression;    /* the severest effect of a growth */
	enum policy_action new_functions; /* and of a new function, whose cost is growth too */
	enum policy_action gone_functions;
	struct threshold functions; /* for the domain within which a function's cost moved */
	bool unusable_before;       /* no run of the side before is usable: nothing fails */
	bool single_runs;           /* one run a side, and not counted: nothing fails */
	const char *limited;        /* why no finding fails; NULL if they may fail */
	double runs_before;         /* behind all runs' effects */
	double runs_after;
	double runs_fresh;     /* of the second stage, a side */
	double runs_worth;     /* more than these are not advised */
	bool disturbed_before; /* most runs of the side lost more CPU time than the policy permits
				*/
	bool disturbed_after;
	struct run_spread spread; /* of a stored gate; else not known */
	double most_changed;  /* SD of ln cost, where the spread between sessions is taken from it;
				 else 0 */
	bool same_program;    /* a growth is caused by the machine */
	bool other_build;     /* a growth is not caused by the change: base_is_candidate */
	bool same_work_warns; /* at most, where code and instructions are the same */
};

/* One workload judged. */
struct judgement {
	struct gate_input input; /* given */

	/*
	 * Made by tests_make(), owned. Where the baseline is missing or refused, `compared` is
	 * false and the comparison has the candidate alone.
	 */
	bool compared; /* `comparison` has both sides */
	struct comparison comparison;
	struct rest_spread rest; /* of the comparison, where runs were disturbed; else all 0 */
	struct criteria criteria;
	/* The effects of the policy's rules, by all runs and by those of each stage; NULL: none. */
	struct effect *groups;
	struct effect *stage_groups[COMPARISON_STAGES];
	/*
	 * From the files that both sides ran, if there is no input.code; by_frame NULL: not known.
	 */
	struct code_states files_code;
	struct test *tests;
	size_t ntests;
	size_t tests_capacity;
	/*
	 * Made by tests_correct(): number of tests of the whole gate that share each stage's error
	 * budget.
	 */
	size_t ncorrected[COMPARISON_STAGES];
	size_t nflagging; /* those that the first stage's flags are corrected for */

	struct verdict verdict; /* made by judge_decide(); its arena is there from the beginning */
};

void judgement_release(struct judgement *judgement);

static inline const struct gate_policy *
input_policy(const struct gate_input *input)
{
	return input->policy ? input->policy : &input->workload->gate;
}

static inline const struct gate_policy *
judgement_policy(const struct judgement *judgement)
{
	return input_policy(&judgement->input);
}

/* The counted instructions; NULL: not counted, or for another comparison. */
const struct instruction_counts *judgement_counts(const struct judgement *judgement);

/*
 * Adds a copy of `test`, and returns it; it moves when another is added. What it points to lives as
 * long as the judgement.
 */
struct test *judgement_add_test(struct judgement *judgement, const struct test *test);
/* The text as the judgement's own; the buffer is released. */
const char *judgement_keep(struct judgement *judgement, struct buf *text);
/* A sentence of the judgement's own. */
const char *judgement_text(struct judgement *judgement, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * " Record a new baseline: 'profile_run baseline update parse'.", which begins with `advice`; ""
 * where no baseline is compared with. The one place that gives this advice in a finding.
 */
const char *judgement_update_advice(struct judgement *judgement, const char *advice);
/* A number as formatted by a function of format/figures.h. */
const char *judgement_figure(
	struct judgement *judgement, void (*format)(struct buf *out, double), double value);
/* "15.0 %", "0.050 %": a threshold or a share. */
const char *judgement_percent(struct judgement *judgement, double ratio);
/* "15 %": a setting of the policy, without the decimals that it does not have. */
const char *judgement_setting(struct judgement *judgement, double ratio);
/* "12.3 ms" of times, "250,000 instructions" of counts. */
const char *judgement_cost(struct judgement *judgement, double cost);
/* Adds a test that has no effect: a condition. */
struct test *judgement_add_condition(struct judgement *judgement, enum finding_rule rule,
	const char *subject, enum test_condition condition, const char *reason);

#endif
