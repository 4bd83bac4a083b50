/*
 * A decided test with all that its sentence depends on, from made-up numbers.
 */
#ifndef OUTPUT_SCENE_H
#define OUTPUT_SCENE_H

#include "format/figures.h"
#include "gate/findings.h"

#include <math.h>

struct scene {
	struct workload workload;
	struct gate_policy policy;
	struct baseline_info info;
	struct causes causes;
	struct waiver waiver;
	struct effect all;
	struct effect first;
	struct effect fresh;
	struct test test;
	struct test callers;
	struct judgement judgement;
};

static inline struct effect
effect_of_change(double change)
{
	struct effect effect;

	effect_clear(&effect);
	effect.tested = true;
	effect.before_cost = 42e6;
	effect.before_share = 0.30;
	effect.after_share = 0.35;
	effect.before_weight = effect.after_weight = 30;
	effect.change = change;
	effect.low = change - 0.031;
	effect.high = change + 0.034;
	effect.p = 0.004;
	effect.p_adjusted = 0.08;
	effect.detectable = 0.21;
	effect.df = INFINITY;
	effect.standard_error = 0.016;
	effect.spread = 0;
	return effect;
}

/* Growth of a function by so much, decided so. */
static inline struct scene *
scene_begin(struct scene *scene, double change, enum status status)
{
	*scene = (struct scene){
		.workload = {.name = "parse", .capture = {.max_runs = 30}},
		.policy =
			{
				.total = {.warn = 0.10, .fail = 0.20},
				.functions = {.warn = 0.08, .fail = 0.15},
				.floor = 0.01,
				.min_cost = 5e6,
				.alpha = 0.05,
			},
		.info = {.nsessions = 2},
		.all = effect_of_change(change),
		.first = effect_of_change(0.298),
		.fresh = effect_of_change(change),
		.callers = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "callers"),
	};
	scene->test = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "scan");
	scene->test.all = &scene->all;
	scene->test.limits = (struct limits){.asked = 0.15, .warn_at = 0.08, .fail_at = 0.15};
	scene->test.decision.status = scene->test.decision.by_runs = status;
	scene->callers.all = &scene->all;
	scene->callers.limits = scene->test.limits;
	scene->judgement = (struct judgement){
		.input =
			{
				.workload = &scene->workload,
				.policy = &scene->policy,
				.before_info = &scene->info,
			},
		.criteria = {.alpha = 0.05,
			.regression = POLICY_FAIL,
			.runs_after = 20,
			.runs_fresh = 10},
		.ncorrected = {24, 3},
	};
	struct profile *profile = &scene->judgement.comparison.profile;

	profile_init(profile);
	profile->cost_unit = strtab_intern_str(&profile->strings, "ns");
	verdict_init(&scene->judgement.verdict);
	return scene;
}

/* It was flagged, and measured again. */
static inline void
scene_confirm(struct scene *scene, double fresh, double p_adjusted)
{
	scene->test.flagged = true;
	scene->judgement.criteria.two_stages = true;
	scene->fresh = effect_of_change(fresh);
	scene->fresh.p_adjusted = p_adjusted;
	scene->test.stages[COMPARISON_SCREEN] = &scene->first;
	scene->test.stages[COMPARISON_CONFIRM] = &scene->fresh;
}

static inline void
scene_end(struct scene *scene, struct buf *out)
{
	struct finding finding = finding_of_test(&scene->judgement, &scene->test);

	buf_printf(out, "%-12s  %s\n", finding_verdict(&finding), finding.reason);
	profile_release(&scene->judgement.comparison.profile);
	verdict_release(&scene->judgement.verdict);
}

#endif
