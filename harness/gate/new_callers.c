#include "gate/new_callers.h"

#include "base/mem.h"
#include "gate/decide.h"

#include <math.h>
#include <stdlib.h>

/* So many of its callers are looked at: more have next to nothing each. */
#define MOST_CALLERS 64
/* New functions above one another. */
#define MOST_DEPTH 16

/* One more test of a stage, at Bonferroni's level. */
static void
group_effect(const struct judgement *judgement, const struct model *model, const bool *member,
	size_t ntests, struct effect *effect)
{
	comparison_group(&judgement->comparison, model, member, false, effect);
	if (!effect->tested)
		return;
	double tests = (double)(ntests + 1);

	effect->p_adjusted = fmin(1, effect->p * tests);
	effect->detectable = model_detectable(
		effect->standard_error, effect->df, judgement_policy(judgement)->alpha / tests);
}

/* What is looked through for callers, each once. */
struct callers {
	const struct comparison *comparison;
	bool *seen;
	bool *member; /* what there was before */
	bool any;
};

/*
 * A caller that is new itself says no more than the function does: its own callers stand for it.
 * Each frame is entered once, so the depth is bounded by MOST_DEPTH and the work by the frames.
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

/* All that a group of frames tells, in as many stages as there are. */
static const struct test *
test_of_group(struct judgement *judgement, const bool *member)
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
			judgement->ncorrected[i], test->stages[i]);
	}
	if (!test->all->tested)
		return NULL;
	test->limits = limits_of(test->all, &policy->functions, policy->floor, policy->min_cost);
	test->flagged = decide_flags(test, &judgement->criteria);
	return test;
}

const struct test *
callers_test(struct judgement *judgement, frame_id frame)
{
	const struct comparison *comparison = &judgement->comparison;
	struct callers found = {
		.comparison = comparison,
		.seen = mem_zalloc(comparison->nframes + 1, sizeof(bool)),
		.member = mem_zalloc(comparison->nframes + 1, sizeof(bool)),
	};

	find_callers(&found, frame, 0);
	const struct test *test = found.any ? test_of_group(judgement, found.member) : NULL;

	free(found.seen);
	free(found.member);
	return test;
}
