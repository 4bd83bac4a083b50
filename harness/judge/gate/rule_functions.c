/*
 * Tests every function of min_share or more by its own (self) cost; those that a rule `each` names
 * have their own thresholds.
 *
 * A function that was not there before has no ratio. The policy for new functions applies to it
 * where its callers grew with it: the compiler renames, splits and merges functions. One that was
 * called before, and took nothing itself, is judged with all it calls (gate/new_function.h). One
 * that is gone is reported, and passes unless the policy says otherwise.
 *
 * Scheduling and interrupts are no functions of the program: rule_validity.c reports their sum.
 */
#include "gate/new_function.h"
#include "gate/pattern.h"
#include "gate/rules.h"
#include "profile/function_class.h"

#include <math.h>

/* The thresholds of the first rule `each` that names it, or those of all functions. */
static const struct threshold *
threshold_of(const struct judgement *judgement, frame_id frame)
{
	const struct gate_policy *policy = judgement_policy(judgement);

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];

		if (spec->kind == RULE_EACH && pattern_matches(spec->kind, spec->pattern,
						       &judgement->comparison.profile, frame))
			return &spec->threshold;
	}
	return &policy->functions;
}

/*
 * Whether the machine decides if the function is there: it belongs to the hypervisor's side of the
 * kernel or to the scheduler. A lock that others wait for is the program's.
 */
static bool
is_of_machine(const struct comparison *comparison, frame_id frame)
{
	const struct profile *profile = &comparison->profile;
	const enum frame_kind kind = profile->frames.frames[frame].kind;
	const unsigned classes = function_class(profile_frame_name(profile, frame), kind);

	return comparison->background[frame] ||
	       ((classes & (CLASS_MACHINE | CLASS_SCHEDULE | CLASS_INTERRUPT)) &&
		       !(classes & CLASS_LOCK));
}

/* For a function without a ratio. False if it is too small to be reported. */
static bool
classify_untested(const struct judgement *judgement, struct test *test)
{
	const struct comparison *comparison = &judgement->comparison;
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct effect *effect = test->all;
	double after = model_share_of_before(&comparison->model, effect);

	if (is_of_machine(comparison, test->frame))
		return false;
	if (comparison_is_new(comparison, effect)) {
		test->kind = TEST_NEW;
		test->worth = after;
		return new_function_matters(judgement, effect);
	}
	if (comparison_is_gone(comparison, effect)) {
		test->kind = TEST_GONE;
		test->worth = effect->before_share;
		return !(test->worth < policy->floor || effect->before_cost < policy->min_cost);
	}
	test->kind = TEST_TOO_FEW;
	return !(fmax(effect->before_share, after) < policy->min_share);
}

static void
add_function(struct judgement *judgement, frame_id frame)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	struct comparison *comparison = &judgement->comparison;
	struct test test = test_of(TEST_GROWTH, FINDING_FUNCTIONS, NULL);

	test.frame = frame;
	test.all = &comparison->self[frame];
	if (!test.all->tested && !classify_untested(judgement, &test))
		return;
	for (int stage = 0; stage < COMPARISON_STAGES && comparison->staged; stage++)
		test.stages[stage] = &comparison->stages[stage].self[frame];
	test.small_after = model_share_of_before(&comparison->model, test.all) < policy->floor;
	test.limits = limits_of(
		test.all, threshold_of(judgement, frame), policy->floor, policy->min_cost);
	judgement_add_test(judgement, &test);
}

static void
add_functions(struct judgement *judgement)
{
	const struct comparison *comparison = &judgement->comparison;

	if (!judgement->compared)
		return;
	for (frame_id frame = 1; frame < comparison->nframes; frame++) {
		const struct effect *effect = &comparison->self[frame];

		if (effect->before_weight + effect->after_weight > 0 &&
			!frame_name_is_mark(profile_frame_name(&comparison->profile, frame)) &&
			!comparison->background[frame])
			add_function(judgement, frame);
	}
}

const struct gate_rule rule_functions = {
	.rule = FINDING_FUNCTIONS,
	.summary = "self cost of every function of min_share or more",
	.add = add_functions,
};
