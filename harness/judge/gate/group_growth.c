#include "gate/group_growth.h"

#include "gate/decide.h"
#include "gate/machine_load.h"
#include "gate/tests.h"

#include <math.h>

/* The effect of the group by the runs of `model`, as one more test than `ntests`: by Bonferroni. */
static void
group_effect(const struct judgement *judgement, const struct model *model, const bool *member,
	size_t ntests, struct effect *effect)
{
	comparison_group(&judgement->comparison, model, member, false, effect);
	if (!effect->tested)
		return;
	const struct criteria *criteria = &judgement->criteria;
	double tests = (double)(ntests + 1) * (double)criteria->nfamilies / criteria->part;
	double level = judgement_policy(judgement)->alpha / tests;

	effect->p_adjusted = fmin(1, effect->p * tests);
	effect->detectable =
		model_detectable(effect->margin, effect->standard_error, effect->df, level);
	model_set_interval(effect, level);
}

const struct counted_work *
group_growth_work(struct judgement *judgement, const bool *member, frame_id added)
{
	const struct instruction_counts *counts = judgement_counts(judgement);

	if (!counts)
		return NULL;
	double more = added ? counts->after[added] : 0;

	for (size_t i = 1; i < counts->nframes; i++) {
		if (member[i])
			more += counts->after[i] - counts->before[i];
	}
	if (!isfinite(more) || !(counts->before[0] > 0))
		return NULL;
	struct counted_work *work = arena_alloc(&judgement->verdict.arena, sizeof(*work));

	*work = (struct counted_work){.change = more / counts->before[0]};
	return work;
}

struct test *
group_growth_test(struct judgement *judgement, const bool *member)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = judgement_policy(judgement);
	struct arena *arena = &judgement->verdict.arena;
	struct test *test = arena_alloc(arena, sizeof(*test));

	*test = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "");
	test->all = arena_alloc(arena, sizeof(*test->all));
	group_effect(judgement, &comparison->model, member,
		judgement->ncorrected[COMPARISON_SCREEN], test->all);
	for (int i = 0; i < COMPARISON_STAGES && comparison->staged; i++) {
		test->stages[i] = arena_alloc(arena, sizeof(*test->all));
		group_effect(judgement, &comparison->stages[i].model, member,
			i == COMPARISON_SCREEN ? judgement->nflagging : judgement->ncorrected[i],
			test->stages[i]);
	}
	if (!test->all->tested)
		return NULL;
	test->limits = limits_of(test->all, &policy->functions, policy->floor, policy->min_cost);
	tests_set_upper_end(test, judgement->criteria.alpha);
	test->flagged = decide_flags(test, &judgement->criteria);
	load_weigh_test(judgement, test);
	return test;
}
