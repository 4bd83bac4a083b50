#include "gate/tests.h"

#include "base/mem.h"
#include "gate/decide.h"
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

static void
set_upper_end(struct effect *effect, double asked, double alpha)
{
	if (!effect || !effect->tested || effect_is_exact(effect) || !(effect->change < asked))
		return;
	const double high = model_upper_limit(effect, alpha);

	effect->high = effect->high < 0 ? high : fmax(0, high);
}

void
tests_set_upper_end(const struct test *test, double alpha)
{
	if (!test_is_corrected(test))
		return;
	set_upper_end(test->all, test->limits.asked, alpha);
	for (int stage = 0; stage < COMPARISON_STAGES; stage++)
		set_upper_end(test->stages[stage], test->limits.asked, alpha);
}

static void
set_upper_ends(const struct judgement *judgement)
{
	for (size_t i = 0; i < judgement->ntests; i++)
		tests_set_upper_end(&judgement->tests[i], judgement->criteria.alpha);
}

/* The tests that share an error budget. */
struct family {
	struct effect **effects;
	size_t count;
	size_t capacity;
};

static void
family_add(struct family *family, struct effect *effect)
{
	if (!effect->tested)
		return;
	family->effects = mem_grow(
		family->effects, &family->capacity, family->count + 1, sizeof(struct effect *));
	family->effects[family->count++] = effect;
}

/*
 * Returns how many tests it was corrected for: `here` of them are here. They have this part of
 * alpha.
 */
static size_t
family_adjust(struct family *family, double here, double alpha, struct comparison_parts parts)
{
	size_t elsewhere = (size_t)ceil((double)family->count * (1 / here - 1));

	comparison_adjust_part(family->effects, family->count, elsewhere, alpha, parts);
	free(family->effects);
	return family->count + elsewhere;
}

static void
add_first_tests(const struct judgement *judgement, struct family *all, struct family *screen)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];
		struct effect *first = test->stages[COMPARISON_SCREEN];

		if (!test_is_corrected(test))
			continue;
		family_add(all, test->all);
		family_add(screen, first ? first : test->all);
	}
}

static void
add_second_tests(const struct judgement *judgement, struct family *confirm)
{
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		test->flagged = test_is_corrected(test) && decide_flags(test, &judgement->criteria);
		if (test_is_confirmed(test))
			family_add(confirm, test->stages[COMPARISON_CONFIRM]);
	}
}

/* For how many workloads one that has looks has its part of alpha. */
static size_t
families_of(const struct judgement *judgement, size_t nworkloads)
{
	const size_t chosen = judgement->input.screen.nworkloads;

	return chosen > 0 ? chosen : nworkloads;
}

/*
 * The tests of one workload, which has its part of alpha, of which this look has a part. Those that
 * passed the screen cannot fail, and are corrected by themselves.
 */
static void
correct_by_looks(struct judgement *judgement, size_t nworkloads, double alpha)
{
	struct family tested = {0};
	struct family screened = {0};
	const size_t nfamilies = families_of(judgement, nworkloads);
	const struct comparison_parts parts = {
		.test = judgement->criteria.part / (double)nfamilies,
		.rest = looks_rest(&judgement->input.looks) / (double)nfamilies,
	};

	judgement->criteria.nfamilies = nfamilies;
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		if (test_is_corrected(test))
			family_add(test->screened ? &screened : &tested, test->all);
	}
	family_adjust(&screened, 1, alpha, parts);
	judgement->nflagging = family_adjust(&tested, 1, alpha, parts);
	judgement->ncorrected[COMPARISON_SCREEN] = judgement->nflagging;
	judgement->ncorrected[COMPARISON_CONFIRM] = 0;
	for (size_t i = 0; i < judgement->ntests; i++) {
		struct test *test = &judgement->tests[i];

		test->flagged = test_is_corrected(test) && !test->screened &&
				decide_flags(test, &judgement->criteria);
	}
}

/* The parts of alpha left to the tests of first runs, and to those of confirming ones. */
struct stage_parts {
	double first;
	double confirm;
};

/* Corrects the tests of all others, which have the rest of alpha together. */
static void
correct_by_stages(struct judgement *const *judgements, size_t njudgements, double here,
	double alpha, struct stage_parts part)
{
	struct family all = {0};
	struct family screen = {0};
	struct family confirm = {0};
	const struct comparison_parts parts = {part.first, part.first};
	const struct comparison_parts fresh = {part.confirm, part.confirm};

	for (size_t i = 0; i < njudgements; i++) {
		if (!judgements[i]->criteria.by_looks)
			add_first_tests(judgements[i], &all, &screen);
	}
	size_t nall = family_adjust(&all, here, alpha, parts);
	size_t nflagging = family_adjust(&screen, 1, alpha, parts);

	for (size_t i = 0; i < njudgements; i++) {
		if (!judgements[i]->criteria.by_looks)
			add_second_tests(judgements[i], &confirm);
	}
	size_t nconfirm = family_adjust(&confirm, here, alpha, fresh);

	for (size_t i = 0; i < njudgements; i++) {
		if (judgements[i]->criteria.by_looks)
			continue;
		judgements[i]->nflagging = nflagging;
		judgements[i]->ncorrected[COMPARISON_SCREEN] = nall;
		judgements[i]->ncorrected[COMPARISON_CONFIRM] = nconfirm;
	}
}

void
tests_correct(struct judgement *const *judgements, size_t njudgements)
{
	double alpha = 1;
	double here = 1;
	size_t nworkloads = njudgements;
	size_t nlooks = 0;
	size_t nchosen = 0;

	for (size_t i = 0; i < njudgements; i++) {
		const size_t planned = judgements[i]->input.planned;

		alpha = fmin(alpha, judgement_policy(judgements[i])->alpha);
		if (planned > njudgements)
			here = fmin(here, (double)njudgements / (double)planned);
		nworkloads = planned > nworkloads ? planned : nworkloads;
		nlooks += judgements[i]->criteria.by_looks;
		if (judgements[i]->input.screen.nworkloads > nchosen)
			nchosen = judgements[i]->input.screen.nworkloads;
	}
	for (size_t i = 0; i < njudgements; i++) {
		if (judgements[i]->criteria.by_looks)
			correct_by_looks(judgements[i], nworkloads, alpha);
	}
	struct stage_parts part = {.first = 1 - (double)nlooks / (double)nworkloads};

	/* Where pairs test all that was chosen, nothing is measured again alone. */
	part.confirm = nchosen > nlooks ? 1 - (double)nlooks / (double)nchosen : part.first;
	if (nlooks < njudgements)
		correct_by_stages(judgements, njudgements, here, alpha, part);
	for (size_t i = 0; i < njudgements; i++)
		set_upper_ends(judgements[i]);
}
