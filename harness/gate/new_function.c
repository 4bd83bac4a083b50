#include "gate/new_function.h"

#include "base/mem.h"
#include "gate/growth.h"
#include "gate/rules.h"

#include <math.h>
#include <stdlib.h>

/* So many of its callers are looked at: more have next to nothing each. */
#define MOST_CALLERS 64

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

/* Puts the callers into member[]; false if there are none but the process. */
static bool
find_callers(const struct comparison *comparison, frame_id frame, bool *member)
{
	struct function_edge edges[MOST_CALLERS];
	size_t count = functions_callers(&comparison->profile, frame, edges, MOST_CALLERS);
	bool any = false;

	for (size_t i = 0; i < count && i < MOST_CALLERS; i++) {
		double before = functions_total(
			&comparison->functions, edges[i].frame, 0, comparison->nbefore);

		/* A caller that is new itself says no more than the function does. */
		if (edges[i].frame == frame || !(before > 0))
			continue;
		member[edges[i].frame] = true;
		any = true;
	}
	return any;
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
	bool *member = mem_zalloc(comparison->nframes + 1, sizeof(*member));
	struct finding callers = finding_of("functions", "");

	callers.status = STATUS_WARN;
	if (find_callers(comparison, finding->frame, member))
		judge_callers(judgement, member, &callers, builder);
	free(member);
	finding->unconfirmed = callers.unconfirmed;
	if (callers.unconfirmed) {
		finding->status = STATUS_INCONCLUSIVE;
	} else if (callers.status == STATUS_FAIL) {
		finding->status = STATUS_FAIL;
		finding->reason = verdict_text(builder,
			"New, and what calls it costs %+.1f %% [%.1f, %.1f] with all it calls, which is "
			"more than the %.1f %% that fail.",
			callers.effect.change * 100, callers.effect.low * 100,
			callers.effect.high * 100, callers.fail_at * 100);
	} else {
		finding->status = STATUS_WARN;
	}
}
