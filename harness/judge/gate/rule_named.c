/*
 * The rules that a workload names: functions by pattern, as one group, or all that is below them.
 * Their growth is tested like that of a function.
 *
 * A budget is the largest share of the program, or the largest cost per execution. It concerns only
 * the candidate, so it needs no baseline. A value whose one-sided lower limit at the gate's alpha
 * is over the budget fails; one whose estimate alone is over it warns. The uncertainty of a share
 * is that of sampling, that of a mean cost is the spread between runs.
 */
#include "base/mem.h"
#include "compare/stats.h"
#include "gate/new_function.h"
#include "gate/pattern.h"
#include "gate/rules.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>

static bool
has_threshold(const struct gate_rule_spec *spec)
{
	return spec->kind != RULE_EACH &&
	       (!isnan(spec->threshold.warn) || !isnan(spec->threshold.fail));
}

static enum test_kind
kind_of(const struct judgement *judgement, const struct effect *effect, double after)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	if (effect->tested)
		return TEST_GROWTH;
	if (!(effect->before_weight > 0) && new_function_matters(judgement, effect))
		return TEST_NEW;
	if (fmax(effect->before_share, after) >= policy->min_share && effect->after_weight > 0)
		return TEST_TOO_FEW;
	return TEST_NEGLIGIBLE;
}

static void
add_growth(struct judgement *judgement, size_t rule, const char *subject)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct gate_rule_spec *spec = &policy->rules[rule];
	struct effect *effect = &judgement->groups[rule];
	double after = model_share_of_before(&judgement->comparison.model, effect);
	struct test test = test_of(kind_of(judgement, effect, after), FINDING_NAMED, subject);

	test.named = spec;
	test.of = group_quantity(spec);
	test.all = effect;
	for (int stage = 0; stage < COMPARISON_STAGES; stage++)
		test.stages[stage] = judgement->stage_groups[stage]
					     ? &judgement->stage_groups[stage][rule]
					     : NULL;
	test.small_after = after < policy->floor;
	test.limits = limits_of(effect, &spec->threshold, policy->floor, policy->min_cost);
	judgement_add_test(judgement, &test);
}

static struct budget
share_of_group(const struct judgement *judgement, size_t rule)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct effect *effect = &judgement->groups[rule];
	double share = effect->after_share;
	double noise = effect->overdispersion > 1 ? effect->overdispersion : 1;
	double samples = judgement->comparison.model.samples[MODEL_AFTER];
	/* The sums of all functions may exceed those of the program by a rounding error. */
	double error = sqrt(share * fmax(0, 1 - share) / samples * noise);

	return (struct budget){
		.value = share,
		.least = share - stats_t_quantile(policy->alpha, INFINITY) * error,
		.limit = policy->rules[rule].max_share,
	};
}

/* For costs per execution; one run has no lower limit, but a count repeats. */
static struct budget
mean_of(double *costs, size_t count, bool counted, double alpha)
{
	struct budget mean = {.value = NAN, .least = -INFINITY};
	double variance = 0;

	if (count == 0)
		return mean;
	mean.value = stats_sum(costs, count) / (double)count;
	for (size_t i = 0; i < count; i++)
		variance += (costs[i] - mean.value) * (costs[i] - mean.value);
	if (count == 1 && counted)
		mean.least = mean.value;
	if (count > 1) {
		variance /= (double)(count - 1);
		mean.least = mean.value - stats_t_quantile(alpha, (double)(count - 1)) *
						  sqrt(variance / (double)count);
	}
	return mean;
}

/* For the rule's group, over the candidate's runs. */
static struct budget
cost_of_group(const struct judgement *judgement, size_t rule)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;
	const struct model *model = &comparison->model;
	size_t ncolumns = comparison->profile.nruns;
	bool *member = group_members(comparison, &policy->rules[rule]);
	double *weights = mem_zalloc(ncolumns, sizeof(*weights));
	double *samples = mem_zalloc(model->nruns, sizeof(*samples));
	double *costs = mem_zalloc(model->nruns, sizeof(*costs));
	size_t count = 0;

	functions_group(&comparison->profile, member,
		group_quantity(&policy->rules[rule]) == QUANTITY_SELF, weights);
	model_samples(model, weights, samples);
	for (size_t j = model->first[MODEL_AFTER]; j < model->first[MODEL_SIDES]; j++)
		/* In this order a count stays a whole number. */
		costs[count++] = samples[j] * (model->runs[j].cost / model->runs[j].samples);
	struct budget mean =
		mean_of(costs, count, comparison->mode == COMPARISON_EXACT, policy->alpha);

	mean.limit = policy->rules[rule].max_cost;

	free(costs);
	free(samples);
	free(weights);
	free(member);
	return mean;
}

static void
add_budget(struct judgement *judgement, enum test_kind kind, size_t rule, const char *subject)
{
	struct test test = test_of(kind, FINDING_NAMED, subject);

	test.of = group_quantity(&judgement_policy(judgement)->rules[rule]);
	test.all = &judgement->groups[rule];
	test.budget = kind == TEST_SHARE_BUDGET ? share_of_group(judgement, rule)
						: cost_of_group(judgement, rule);
	judgement_add_test(judgement, &test);
}

static void
add_budgets(struct judgement *judgement, size_t rule, const char *group)
{
	const struct gate_rule_spec *spec = &judgement_policy(judgement)->rules[rule];

	if (!isnan(spec->max_share))
		add_budget(judgement, TEST_SHARE_BUDGET, rule,
			judgement_text(judgement, "%s (budget)", group));
	/* For others 0 would allow nothing, and is refused where it is read. */
	if (spec->max_cost > 0 || (spec->kind == RULE_CALL && spec->max_cost >= 0))
		add_budget(judgement, TEST_COST_BUDGET, rule,
			judgement_text(judgement, "%s (cost budget)", group));
}

static void
add_named(struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	for (size_t i = 0; i < policy->nrules && judgement->groups; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];
		const char *subject = judgement_text(
			judgement, "%s%s", pattern_prefix(spec->kind), spec->pattern);

		/* A rule of the configuration, of a metric without calls. */
		if (spec->kind == RULE_CALL && !weights_are_syscalls(judgement->input.candidate))
			continue;

		if (has_threshold(spec) && judgement->compared)
			add_growth(judgement, i, subject);
		add_budgets(judgement, i, subject);
	}
}

const struct gate_rule rule_named = {
	.rule = FINDING_NAMED,
	.summary = "the functions, subtrees, modules and budgets that the workload names",
	.add = add_named,
};
