#include "gate/judge.h"

#include "base/mem.h"
#include "gate/rules.h"

#include <math.h>
#include <stdlib.h>

static void
compare(struct judgement *judgement)
{
	const struct gate_policy *policy = &judgement->workload->gate;
	const struct comparison_options options = {
		.alpha = policy->alpha,
		.min_share = policy->min_share,
	};
	struct profile none;

	if (judgement->error || !judgement->candidate)
		return;
	profile_init(&none);
	judgement->compared = baseline_is_comparable(judgement);
	comparison_make(&judgement->comparison,
		judgement->compared ? &judgement->baseline->profile : &none, judgement->candidate,
		&options);
	judgement->groups = named_groups(judgement);
	profile_release(&none);
}

/* A rule that is a budget only tests nothing. */
static bool
has_threshold(const struct gate_rule_spec *spec)
{
	return !isnan(spec->threshold.warn) || !isnan(spec->threshold.fail);
}

/* Appends what this workload tested to effects[]; returns the new length. */
static size_t
collect_tested(struct judgement *judgement, struct effect **effects, size_t n)
{
	struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = &judgement->workload->gate;

	if (!judgement->compared)
		return n;
	for (size_t i = 0; i < comparison->nframes; i++) {
		if (comparison->self[i].tested)
			effects[n++] = &comparison->self[i];
	}
	for (size_t i = 0; i < policy->nrules; i++) {
		if (judgement->groups[i].tested && has_threshold(&policy->rules[i]))
			effects[n++] = &judgement->groups[i];
	}
	if (comparison->whole.tested)
		effects[n++] = &comparison->whole;
	return n;
}

static void
correct(struct judgement *judgements, size_t njudgements)
{
	size_t most = 0;
	size_t n = 0;
	double alpha = 1;

	for (size_t i = 0; i < njudgements; i++) {
		const struct gate_policy *policy = &judgements[i].workload->gate;

		most += judgements[i].comparison.nframes + policy->nrules + 1;
		alpha = fmin(alpha, policy->alpha);
	}
	struct effect **effects = mem_zalloc(most + 1, sizeof(struct effect *));

	for (size_t i = 0; i < njudgements; i++)
		n = collect_tested(&judgements[i], effects, n);
	comparison_adjust(effects, n, alpha);
	free(effects);
}

static void
apply_rules(struct judgement *judgement)
{
	struct verdict_builder builder;

	verdict_begin(&judgement->verdict, &builder);
	judgement->verdict.mode = judgement->compared ? "stored" : "none";
	judgement->verdict.limited = judgement->compared ? baseline_limits(judgement) : NULL;
	for (size_t i = 0; gate_rules[i]; i++)
		gate_rules[i]->apply(judgement, &builder);
	verdict_end(&builder);
}

/* Severity in the sum of a gate: a regression is not hidden by an error. */
static int
weight_of(enum status status)
{
	return status == STATUS_FAIL ? (int)STATUS_ERROR + 1 : (int)status;
}

void
judge_gate(struct judgement *judgements, size_t njudgements, enum status *overall)
{
	*overall = STATUS_PASS;
	for (size_t i = 0; i < njudgements; i++)
		compare(&judgements[i]);
	correct(judgements, njudgements);
	for (size_t i = 0; i < njudgements; i++) {
		apply_rules(&judgements[i]);
		/* A finding that failed stands behind an error in its own workload too. */
		for (size_t f = 0; f < judgements[i].verdict.nfindings; f++) {
			enum status status = judgements[i].verdict.findings[f].status;

			if (weight_of(status) > weight_of(*overall))
				*overall = status;
		}
	}
}

void
judgement_release(struct judgement *judgement)
{
	if (judgement->comparison.self)
		comparison_release(&judgement->comparison);
	verdict_release(&judgement->verdict);
	free(judgement->groups);
	judgement->groups = NULL;
	judgement->compared = false;
}

int
judge_exit_code(const struct judgement *judgements, size_t njudgements)
{
	bool seen[STATUS_ERROR + 1] = {false};

	for (size_t i = 0; i < njudgements; i++) {
		const struct verdict *verdict = &judgements[i].verdict;
		bool matters = judgements[i].workload->gate.inconclusive == POLICY_FAIL;

		for (size_t f = 0; f < verdict->nfindings; f++) {
			enum status status = verdict->findings[f].status;

			if (status != STATUS_INCONCLUSIVE || matters)
				seen[status] = true;
		}
	}
	if (seen[STATUS_FAIL])
		return 1;
	if (seen[STATUS_ERROR])
		return 2;
	return seen[STATUS_INCONCLUSIVE] ? 3 : 0;
}
