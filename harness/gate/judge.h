/*
 * Judging: rules over a comparison give findings, findings give the verdict.
 *
 * A rule is a const struct in gate_rules[] (rules.c), which says how to add one. A verdict is a
 * function of the columns and the policy, and of nothing else.
 */
#ifndef GATE_JUDGE_H
#define GATE_JUDGE_H

#include "base/err.h"
#include "baseline/store.h"
#include "gate/verdict.h"
#include "spec/workload.h"

/*
 * Fills in what became of the code of each frame of the comparison's profile (code->by_frame, freed
 * with free()); leaves it empty where that cannot be known.
 */
typedef void judge_code_reader(
	void *context, const struct comparison *comparison, struct code_states *code);

/*
 * Tells how many instructions a run of a function of the comparison executes by itself, on either
 * side; NAN where they were not counted.
 */
typedef void judge_instructions_reader(void *context, const struct comparison *comparison,
	frame_id frame, double *before, double *after);

/* All that is given of one workload to judge it; borrowed. */
struct gate_input {
	const struct workload *workload;
	const struct gate_policy *policy; /* resolved for this gate; NULL: as the workload has it */
	enum gate_mode mode;
	bool same_session; /* files: both sides were captured in one session of one machine */
	bool may_confirm;  /* the caller can take fresh runs of what would fail */
	bool baseline_is_of_other_machine;
	int64_t now; /* seconds since 1970 UTC, by which waivers expire */
	/*
	 * Both sides. In paired mode the other side is no baseline of the store, but takes its
	 * place: `info` says what it is.
	 */
	const struct profile *candidate; /* NULL if it could not be measured */
	const struct baseline *baseline; /* NULL if there is none */
	const char *against; /* what the other side is, for people; NULL: a stored baseline */
	judge_code_reader *read_code; /* asked when there is a finding; NULL: nothing is known */
	void *code_context;
	judge_instructions_reader *read_instructions; /* NULL: nothing is known */
	void *instructions_context;
	const char *error;         /* why it could not be measured; NULL if it was */
	const char *machine_class; /* of this machine */
	const char *program_hash;  /* of the candidate */
};

/* One workload judged. */
struct judgement {
	struct gate_input input; /* given */

	bool compared; /* `comparison` has both sides */
	/*
	 * Made by judge_gate(), owned. Where the baseline is missing or refused, `compared` is
	 * false and the comparison has the candidate alone.
	 */
	struct comparison comparison;
	/* One a rule of the policy, by all runs and by those of each stage; NULL: not there. */
	struct effect *groups;
	struct effect *stage_groups[COMPARISON_STAGES];
	struct code_states code;
	size_t ntests[COMPARISON_STAGES]; /* of the whole gate, that share each stage's budget */
	struct verdict verdict;
};

static inline const struct gate_policy *
judgement_policy(const struct judgement *judgement)
{
	return judgement->input.policy ? judgement->input.policy : &judgement->input.workload->gate;
}

/*
 * Judges a whole gate: compares each workload that can be, corrects over everything tested in all
 * of them (at the smallest alpha of their policies), applies the rules. *overall is the severest
 * status of the workloads, but for a regression, which an error elsewhere does not hide: fail
 * stands above error there, as in the exit code. What missing baselines and the like do was decided
 * by the policy when they became findings.
 */
void judge_gate(struct judgement *judgements, size_t njudgements, enum status *overall);
void judgement_release(struct judgement *judgement);

/*
 * The exit code of the gate: 1 if anything failed; else 2 if anything could not be measured or was
 * refused; else 3 if anything is inconclusive whose policy makes that a failure; else 0. A
 * regression that was seen stays one whatever else went wrong, so 1 comes before 2.
 */
int judge_exit_code(const struct judgement *judgements, size_t njudgements);

/* The extension point. */
struct gate_rule {
	const char *name;
	const char *summary;
	/* Adds its findings. */
	void (*apply)(const struct judgement *judgement, struct verdict_builder *builder);
};

extern const struct gate_rule *const gate_rules[];

#endif
