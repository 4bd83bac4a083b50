/* Makes the tests of one workload: the comparison of both sides, the criteria, and the rules. */
#include "gate/tests.h"

#include "base/mem.h"
#include "gate/machine_load.h"
#include "gate/pattern.h"
#include "gate/rules.h"
#include "gate/screen.h"
#include "profile/disturbance.h"
#include "profile/weights.h"

#include <math.h>
#include <stdlib.h>

/* Two sides of one session have no spread between sessions: next to 0. */
#define SAME_SESSION_SPREAD 1e-9
/* Times max_runs: a max_runs that a user may still set. */
#define RUNS_WORTH 3

/* Counts are compared exactly, if both sides are counts. */
static enum comparison_mode
mode_of(const struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const struct profile *before = judgement->compared ? input->before : NULL;

	if (weights_are_counted(input->candidate) && (!before || weights_are_counted(before)))
		return COMPARISON_EXACT;
	return input->mode == GATE_PAIRED ? COMPARISON_PAIRED : COMPARISON_STORED;
}

/*
 * The effect of each of the policy's rules by the runs of `model`, in their order; empty for those
 * that are about each function by itself. free() it.
 */
static struct effect *
group_effects(const struct comparison *comparison, const struct gate_policy *policy,
	const struct model *model)
{
	struct effect *groups = mem_zalloc(policy->nrules, sizeof(*groups));

	for (size_t i = 0; i < policy->nrules; i++) {
		const struct gate_rule_spec *spec = &policy->rules[i];

		effect_clear(&groups[i]);
		/* Their functions are tested one by one. */
		if (spec->kind == RULE_EACH)
			continue;
		bool *member = group_members(comparison, spec);

		comparison_group(comparison, model, member, group_quantity(spec) == QUANTITY_SELF,
			&groups[i]);
		free(member);
	}
	return groups;
}

static void
compare(struct judgement *judgement)
{
	const struct gate_input *input = &judgement->input;
	const struct gate_policy *policy = input_policy(input);
	struct comparison *comparison = &judgement->comparison;
	struct comparison_options options = {
		.alpha = policy->alpha,
		.min_share = policy->min_share,
		.spread_of_functions = !input->same_session,
		.session_spread = input->same_session ? SAME_SESSION_SPREAD : 0,
		.machine_spread = input->same_session ? SAME_SESSION_SPREAD : 0,
	};
	struct profile none;

	if (input->error || !input->candidate)
		return;
	profile_init(&none);
	judgement->compared = baseline_is_comparable(input);
	options.mode = mode_of(judgement);
	comparison_make(comparison, judgement->compared ? input->before : &none, input->candidate,
		&options);
	judgement->groups = group_effects(comparison, policy, &comparison->model);
	for (int stage = 0; stage < COMPARISON_STAGES && comparison->staged; stage++)
		judgement->stage_groups[stage] =
			group_effects(comparison, policy, &comparison->stages[stage].model);
	profile_release(&none);
}

/* Runs of the side after. */
static double
runs_of_stage(const struct comparison *comparison, uint32_t stage)
{
	size_t count = 0;

	for (size_t i = comparison->nbefore; i < comparison->profile.nruns; i++)
		count += comparison->profile.runs[i].stage == stage;
	return (double)count;
}

/* Interleaved runs are disturbed alike, and counts not at all; and a policy may permit all. */
static bool
may_be_disturbed(const struct judgement *judgement)
{
	return judgement->compared && judgement->input.mode == GATE_STORED &&
	       judgement->comparison.mode != COMPARISON_EXACT &&
	       judgement_policy(judgement)->disturbed < 1;
}

static bool
is_disturbed(const struct judgement *judgement, const struct profile *side)
{
	return may_be_disturbed(judgement) &&
	       disturbance_is_large(side, judgement_policy(judgement)->disturbed);
}

static double
most_changed(const struct model *model)
{
	return model->session_spread_from == SPREAD_OF_FUNCTIONS
		       ? model->session_spread * sqrt(model_sessions_apart(model))
		       : 0;
}

/* Pairs that are tested block by block. */
static bool
has_looks(const struct judgement *judgement)
{
	return judgement->input.looks.count > 0 && judgement->compared &&
	       judgement->comparison.mode == COMPARISON_PAIRED;
}

static struct criteria
criteria_of(const struct judgement *judgement)
{
	const struct gate_policy *policy = judgement_policy(judgement);
	const struct comparison *comparison = &judgement->comparison;

	return (struct criteria){
		.alpha = policy->alpha,
		.strict = policy->strict,
		.by_looks = has_looks(judgement),
		.early = has_looks(judgement) && looks_are_early(&judgement->input.looks),
		.part = has_looks(judgement) ? looks_part(&judgement->input.looks) : 1,
		.nfamilies = 1,
		.two_stages =
			policy->confirm && judgement->input.may_confirm && !has_looks(judgement),
		.counted = comparison->mode == COMPARISON_EXACT,
		.adds_before = judgement->input.mode == GATE_PAIRED,
		.regression = policy->regression,
		.new_functions = policy->new_functions < policy->regression ? policy->new_functions
									    : policy->regression,
		.gone_functions = policy->gone_functions,
		.functions = policy->functions,
		.unusable_before =
			judgement->compared && validity_has_no_run(judgement->input.before),
		.single_runs = judgement->compared && comparison->mode != COMPARISON_EXACT &&
			       comparison->nbefore == 1 && comparison->nafter == 1,
		.limited = judgement->compared ? baseline_limits(&judgement->input) : NULL,
		.runs_before = (double)comparison->nbefore,
		.runs_after = (double)comparison->nafter,
		.runs_fresh = runs_of_stage(comparison, COMPARISON_CONFIRM),
		.runs_worth = RUNS_WORTH * fmax(judgement->input.workload->capture.max_runs,
						   (double)comparison->nafter),
		.disturbed_before = is_disturbed(judgement, judgement->input.before),
		.disturbed_after = is_disturbed(judgement, judgement->input.candidate),
		.spread = may_be_disturbed(judgement) ? run_spread(comparison)
						      : (struct run_spread){.ratio = NAN},
		.most_changed = most_changed(&comparison->model),
		.same_program = judgement->compared && judgement->input.program == PROGRAM_SAME,
		.other_build = judgement->compared && judgement->input.base_is_candidate,
		.same_work_warns = policy->decide == DECIDE_INSTRUCTIONS,
	};
}

/* Makes judgement.rest and `load` of all tests so far; nothing where no runs were disturbed. */
static void
load_weigh_tests(struct judgement *judgement)
{
	if (!load_is_known(&judgement->criteria))
		return;
	judgement->rest = rest_spread_of(&judgement->comparison);
	for (size_t i = 0; i < judgement->ntests; i++)
		load_weigh_test(judgement, &judgement->tests[i]);
}

void
tests_make(struct judgement *judgement)
{
	verdict_init(&judgement->verdict);
	compare(judgement);
	judgement->criteria = criteria_of(judgement);
	for (size_t i = 0; gate_rules[i]; i++) {
		if (!gate_rules[i]->sees_decisions)
			gate_rules[i]->add(judgement);
	}
	if (judgement->criteria.by_looks)
		screen_mark(&judgement->input.screen, &judgement->comparison.profile,
			judgement->tests, judgement->ntests);
	load_weigh_tests(judgement);
}
