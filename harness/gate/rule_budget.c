/*
 * Budgets of the rules that a workload names: the largest share of the program, or the largest cost
 * a run. They ask only about the candidate, so they need no baseline.
 *
 * What is over its budget for sure, by the one-sided limit at the gate's alpha, fails; what is so
 * by the estimate alone warns. A share is as sure as the draw of its samples; the mean cost as the
 * spread between runs makes it.
 */
#include "base/mem.h"
#include "compare/stats.h"
#include "gate/growth.h"
#include "gate/rules.h"
#include "profile/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const by_chance = ", which chance may have made of less";

static void
judge_share(const struct judgement *judgement, const struct gate_rule_spec *spec,
	struct finding *finding, struct verdict_builder *builder)
{
	const struct effect *effect = &finding->effect;
	double share = effect->after_share;
	double noise = effect->overdispersion > 1 ? effect->overdispersion : 1;
	double samples = judgement->comparison.model.samples[MODEL_AFTER];
	double error = sqrt(share * (1 - share) / samples * noise);
	double sure =
		share - stats_t_quantile(judgement_policy(judgement)->alpha, INFINITY) * error;

	if (isnan(share)) {
		finding->status = STATUS_INCONCLUSIVE;
		finding->reason = "There are no samples to take a share of.";
	} else if (share > spec->max_share) {
		finding->status = growth_limited(sure > spec->max_share ? STATUS_FAIL : STATUS_WARN,
			builder->verdict->limited != NULL);
		finding->reason = verdict_text(builder,
			"Takes %.1f %% of the program; its budget is %.1f %%%s.", share * 100,
			spec->max_share * 100, sure > spec->max_share ? "" : by_chance);
	} else {
		finding->reason = verdict_text(builder,
			"Takes %.1f %% of the program, within its budget of %.1f %%.", share * 100,
			spec->max_share * 100);
	}
}

/* Mean cost a run, and what it is at least. */
struct mean_cost {
	double cost;
	double sure; /* -INFINITY: one run says nothing of that */
};

static struct mean_cost
mean_of(double *costs, size_t count, double alpha)
{
	struct mean_cost mean = {.cost = NAN, .sure = -INFINITY};
	double variance = 0;

	if (count == 0)
		return mean;
	mean.cost = stats_sum(costs, count) / (double)count;
	for (size_t i = 0; i < count; i++)
		variance += (costs[i] - mean.cost) * (costs[i] - mean.cost);
	if (count > 1) {
		variance /= (double)(count - 1);
		mean.sure = mean.cost - stats_t_quantile(alpha, (double)(count - 1)) *
						sqrt(variance / (double)count);
	}
	return mean;
}

/* Of the rule's group, over the candidate's runs. */
static struct mean_cost
cost_of_group(const struct judgement *judgement, size_t rule)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;
	const struct model *model = &comparison->model;
	size_t ncolumns = comparison->functions.ncolumns;
	bool *member = named_members(judgement, rule);
	double *weights = mem_zalloc(ncolumns + 1, sizeof(*weights));
	double *samples = mem_zalloc(model->nruns + 1, sizeof(*samples));
	double *costs = mem_zalloc(model->nruns + 1, sizeof(*costs));
	size_t count = 0;

	functions_group(&comparison->profile, member,
		named_quantity(&policy->rules[rule]) == QUANTITY_SELF, weights);
	model_samples(model, weights, samples);
	for (size_t j = model->first[MODEL_AFTER]; j < model->first[MODEL_SIDES]; j++)
		costs[count++] = samples[j] / model->runs[j].samples * model->runs[j].cost;
	const struct mean_cost mean = mean_of(costs, count, policy->alpha);

	free(costs);
	free(samples);
	free(weights);
	free(member);
	return mean;
}

/* "12.3 ms" of times, "250000 instructions" of what is counted. */
static const char *
cost_text(const struct judgement *judgement, double cost, struct verdict_builder *builder)
{
	const struct profile *profile = &judgement->comparison.profile;
	const char *unit = strtab_str(&profile->strings, profile->cost_unit);

	if (unit[0] && strcmp(unit, "ns") != 0)
		return verdict_text(builder, "%.4g %s", cost, unit);
	if (cost >= 1e9)
		return verdict_text(builder, "%.4g s", cost / 1e9);
	if (cost >= 1e6)
		return verdict_text(builder, "%.4g ms", cost / 1e6);
	return verdict_text(builder, "%.4g us", cost / 1e3);
}

static void
judge_cost(const struct judgement *judgement, size_t rule, struct finding *finding,
	struct verdict_builder *builder)
{
	const double budget = judgement_policy(judgement)->rules[rule].max_cost;
	const struct mean_cost mean = cost_of_group(judgement, rule);

	if (!isfinite(mean.cost)) {
		finding->status = STATUS_INCONCLUSIVE;
		finding->reason = "What the runs cost is not known.";
		return;
	}
	const char *cost = cost_text(judgement, mean.cost, builder);
	const char *most = cost_text(judgement, budget, builder);

	if (mean.cost > budget) {
		finding->status = growth_limited(mean.sure > budget ? STATUS_FAIL : STATUS_WARN,
			builder->verdict->limited != NULL);
		finding->reason = verdict_text(builder, "Costs %s a run; its budget is %s%s.", cost,
			most, mean.sure > budget ? "" : by_chance);
	} else {
		finding->reason = verdict_text(
			builder, "Costs %s a run, within its budget of %s.", cost, most);
	}
}

void
budgets_judge(const struct judgement *judgement, size_t rule, const struct finding *named,
	struct verdict_builder *builder)
{
	const struct gate_rule_spec *spec = &judgement_policy(judgement)->rules[rule];
	struct finding budget = finding_of(FINDING_NAMED, named->subject);

	budget.of = named->of;
	budget.effect = judgement->groups[rule];
	budget.effect.tested = false;
	if (!isnan(spec->max_share)) {
		struct finding share = budget;

		share.subject = verdict_text(builder, "%s (budget)", named->subject);
		judge_share(judgement, spec, &share, builder);
		verdict_add(builder, &share);
	}
	/* 0 would allow nothing, and is refused where it is read. */
	if (spec->max_cost > 0) {
		struct finding cost = budget;

		cost.subject = verdict_text(builder, "%s (cost budget)", named->subject);
		judge_cost(judgement, rule, &cost, builder);
		verdict_add(builder, &cost);
	}
}
