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

	/* Made by judge_compare(), owned. */
	struct comparison comparison;
	bool compared;
	struct effect *groups; /* one a rule of the policy */
	/* Made by judge_verdict(), owned. */
	struct verdict verdict;
};

/*
 * Judges a whole gate: compares each workload that can be, corrects over everything tested in all
 * of them, applies the rules. The overall status is the severest, policy applied.
 */
void judge_gate(struct judgement *judgements, size_t njudgements, enum status *overall);
void judgement_release(struct judgement *judgement);

/* 0, 1, 2 or 3 for the overall status of the gate under the policies of its workloads. */
int judge_exit_code(const struct judgement *judgements, size_t njudgements);

/* The extension point. */
struct verdict_builder;

struct gate_rule {
	const char *name;
	const char *summary;
	/* Adds its findings. */
	void (*apply)(const struct judgement *judgement, struct verdict_builder *builder);
};

extern const struct gate_rule *const gate_rules[];

#endif
