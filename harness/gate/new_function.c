#include "gate/new_function.h"

#include "base/mem.h"
#include "gate/growth.h"
#include "gate/rules.h"

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

static void
judge_callers(const struct judgement *judgement, const bool *member, struct finding *callers,
	struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct growth_policy growth = growth_policy_of(judgement, builder);
	struct effect all;
	struct effect stages[COMPARISON_STAGES];
	struct growth_evidence evidence = {.all = &all};

	group_effect(
		judgement, &comparison->model, member, judgement->ntests[COMPARISON_SCREEN], &all);
	for (int i = 0; i < COMPARISON_STAGES && comparison->staged; i++) {
		group_effect(judgement, &comparison->stages[i].model, member, judgement->ntests[i],
			&stages[i]);
		evidence.stages[i] = &stages[i];
	}
	callers->effect = all;
	growth_limits(callers, &policy->functions, policy->floor, policy->min_cost);
	if (all.tested)
		growth_judge(callers, &evidence, &growth, builder);
}

void
new_function_judge(
	const struct judgement *judgement, struct finding *finding, struct verdict_builder *builder)
{
	const struct comparison *comparison = &judgement->comparison;
	struct callers found = {
		.comparison = comparison,
		.seen = mem_zalloc(comparison->nframes + 1, sizeof(bool)),
		.member = mem_zalloc(comparison->nframes + 1, sizeof(bool)),
	};
	struct finding callers = finding_of(FINDING_FUNCTIONS, "");

	callers.status = STATUS_WARN;
	find_callers(&found, finding->frame, 0);
	if (found.any)
		judge_callers(judgement, found.member, &callers, builder);
	free(found.seen);
	free(found.member);
	finding->unconfirmed = callers.unconfirmed;
	if (callers.unconfirmed) {
		finding->status = STATUS_INCONCLUSIVE;
	} else if (callers.status == STATUS_FAIL) {
		finding->status = STATUS_FAIL;
		finding->reason = verdict_text(builder,
			"New, and what calls it costs %+.1f %% [%.1f, %.1f] with all it calls, which is "
			"more than the %s that fail.",
			callers.effect.change * 100, callers.effect.low * 100,
			callers.effect.high * 100, verdict_percent(builder, callers.fail_at));
	} else {
		finding->status = STATUS_WARN;
	}
}
