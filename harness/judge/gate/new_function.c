#include "gate/new_function.h"

#include "base/mem.h"
#include "gate/group_growth.h"

#include <stdlib.h>

bool
new_function_matters(const struct judgement *judgement, const struct effect *effect)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;
	const double share = model_share_of_before(&comparison->model, effect);

	return share >= policy->floor &&
	       !(share * comparison->whole.before_cost < policy->min_cost);
}

/* Callers of a function that are examined; further ones have next to no cost each. */
#define MOST_CALLERS 64
/* Longest chain of new functions that call one another. */
#define MOST_DEPTH 16

/* The search for the callers of a new function, which visits each frame once. */
struct callers {
	const struct comparison *comparison;
	bool *seen;
	bool *member; /* by frame: a caller that is not new itself */
	bool any;     /* some caller is */
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
		if (functions_total(
			    comparison_functions(comparison), caller, 0, comparison->nbefore) > 0) {
			callers->member[caller] = true;
			callers->any = true;
		} else if (depth < MOST_DEPTH) {
			find_callers(callers, caller, depth + 1);
		}
	}
}

const struct test *
new_function_callers_test(struct judgement *judgement, frame_id frame, bool *was_called)
{
	const struct comparison *comparison = &judgement->comparison;
	struct callers found = {
		.comparison = comparison,
		.seen = mem_zalloc(comparison->nframes, sizeof(bool)),
		.member = mem_zalloc(comparison->nframes, sizeof(bool)),
	};

	*was_called = comparison_was_called(comparison, frame);
	if (*was_called)
		found.member[frame] = found.any = true;
	else
		find_callers(&found, frame, 0);
	struct test *test = found.any ? group_growth_test(judgement, found.member) : NULL;

	if (test)
		test->evidence.work =
			group_growth_work(judgement, found.member, *was_called ? 0 : frame);
	free(found.seen);
	free(found.member);
	return test;
}
