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

/* All that is known of one workload when it is judged. */
struct judgement {
	const struct workload *workload;
	const struct profile *candidate; /* NULL if it could not be measured */
	const struct baseline *baseline; /* NULL if there is none */
	const char *error;               /* why it could not be measured; NULL if it was */
	const char *machine_class;       /* of this machine */
	const char *program_hash;        /* of the candidate */
	bool baseline_is_of_other_machine;

	/*
	 * Made by judge_gate(), owned. Where the baseline is missing or refused, `compared` is
	 * false and the comparison has the candidate alone.
	 */
	struct comparison comparison;
	bool compared;
	struct effect *groups; /* one a rule of the policy; NULL without a candidate */
	struct verdict verdict;
};

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
