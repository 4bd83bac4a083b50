#include "gate/novelty.h"

#include "base/mem.h"
#include "gate/decide.h"
#include "gate/load.h"
#include "gate/tests.h"

#include <math.h>
#include <stdlib.h>

/* Callers of a function that are examined; further ones have next to no cost each. */
#define MOST_CALLERS 64
/* Longest chain of new functions that call one another. */
#define MOST_DEPTH 16

/* One more test of a stage, at Bonferroni's level. */
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

/* The search for callers, which visits each frame once. */
struct callers {
	const struct comparison *comparison;
	bool *seen;
	bool *member; /* those that were there before */
	bool any;
};

/*
 * A caller that is itself new tells nothing: its own callers stand for it. Each frame is entered
 * once, so the depth is bounded by MOST_DEPTH and the work by the frames.
 */
static void
find_callers(struct callers *callers, frame_id frame, unsigned depth)
{
	const struct comparison *comparison = callers->comparison;
	struct function_edge edges[MOST_CALLERS];
	size_t count = functions_callers(&comparison->profile, frame, edges, MOST_CALLERS);

	callers->seen[frame] = true;
	for (size_t i = 0; i < count && i < MOST_CALLERS; i++) {
		frame_id caller = edges[i].frame;

		if (callers->seen[caller])
			continue;
		if (functions_total(&comparison->functions, caller, 0, comparison->nbefore) > 0) {
			callers->member[caller] = true;
			callers->any = true;
		} else if (depth < MOST_DEPTH) {
			find_callers(callers, caller, depth + 1);
		}
	}
}

const struct counted_work *
group_work(struct judgement *judgement, const bool *member, frame_id added)
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
group_test(struct judgement *judgement, const bool *member)
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

const struct test *
callers_test(struct judgement *judgement, frame_id frame)
{
	const struct comparison *comparison = &judgement->comparison;
	struct callers found = {
		.comparison = comparison,
		.seen = mem_zalloc(comparison->nframes, sizeof(bool)),
		.member = mem_zalloc(comparison->nframes, sizeof(bool)),
	};

	find_callers(&found, frame, 0);
	struct test *test = found.any ? group_test(judgement, found.member) : NULL;

	if (test)
		test->evidence.work = group_work(judgement, found.member, frame);
	free(found.seen);
	free(found.member);
	return test;
}
