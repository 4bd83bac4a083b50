/* Decisions exactly at a limit, and which piece of evidence decides where there are several. */
#include "gate/decide.h"

#include "gate/growth_sample.h"
#include "unit.h"

#include <math.h>

void suite_gate_decide_limits(void);

struct limit_bench {
	struct effect effect;
	struct causes causes;
	struct counted_work work;
	struct criteria criteria;
	struct test test;
};

/* A significant growth of 20 % where 15 % fails. */
static void
init(struct limit_bench *bench)
{
	*bench = (struct limit_bench){
		.effect = effect_with(&(const struct measured){0.2, 0.01, 0}),
		.causes = {.instructions_before = NAN, .instructions_after = NAN},
		.criteria = firm,
		.test = test_of(TEST_GROWTH, FINDING_FUNCTIONS, "f"),
	};
	bench->criteria.strict = false;
	bench->criteria.functions = (struct threshold){.warn = 0.08, .fail = 0.15};
	bench->test.limits = (struct limits){.asked = 0.15, .warn_at = 0.08, .fail_at = 0.15};
	bench->test.all = &bench->effect;
}

static struct decision
decided(struct limit_bench *bench)
{
	/* As the estimate and its error are now. */
	if (!effect_is_exact(&bench->effect))
		bench->effect.high = INFINITY;
	tests_set_upper_end(&bench->test, bench->criteria.alpha);
	bench->test.flagged = decide_flags(&bench->test, &bench->criteria);
	return decide(&bench->test, &bench->criteria);
}

static enum status
status_of(struct limit_bench *bench)
{
	return decided(bench).status;
}

static void
a_growth_of_the_threshold_itself_does_not_fail(void)
{
	struct limit_bench bench;

	init(&bench);
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_FAIL);
	bench.effect.p_adjusted = 0.05;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_FAIL);
	bench.effect.p_adjusted = 0.051;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_INCONCLUSIVE);
	bench.effect.p_adjusted = 0.01;
	bench.effect.change = 0.15;
	CU_ASSERT_FALSE(decide_flags(&bench.test, &bench.criteria));
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	/* But it is not below the threshold either. */
	bench.effect.p_adjusted = 1;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_INCONCLUSIVE);
	bench.effect.p_adjusted = 0.01;
	bench.effect.change = 0.08;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	bench.effect.change = 0.0799;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
}

/* For b counts in place of 100, in every run. */
static void
set_counts(struct limit_bench *bench, double b, double limit)
{
	const double growth = expm1(log(b / 100));

	init(bench);
	bench->effect = (struct effect){
		.tested = true,
		.change = growth,
		.low = growth,
		.high = growth,
		.df = INFINITY,
	};
	bench->test.limits = (struct limits){.asked = limit, .warn_at = NAN, .fail_at = limit};
}

/* By the logarithm 101 of 100 are a little more than 1 %, and 113 a little less than 13 %. */
static void
counts_at_the_threshold_are_not_above_it(void)
{
	struct limit_bench bench;

	for (int percent = 1; percent < 100; percent++) {
		const double limit = percent / 100.0;

		for (int strict = 0; strict < 2; strict++) {
			set_counts(&bench, 100 + percent, limit);
			bench.criteria.strict = strict;
			CU_ASSERT_FALSE(decide_flags(&bench.test, &bench.criteria));
			CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
			bench.criteria.two_stages = true;
			CU_ASSERT_FALSE(decide_flags(&bench.test, &bench.criteria));
			set_counts(&bench, 100.0001 + percent, limit);
			bench.criteria.strict = strict;
			CU_ASSERT_EQUAL(status_of(&bench), STATUS_FAIL);
		}
		set_counts(&bench, 100 + percent, limit);
		bench.test.limits = (struct limits){limit, limit, NAN};
		CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
		set_counts(&bench, 99.9999 + percent, limit);
		bench.test.limits = (struct limits){limit, limit, NAN};
		CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
	}
}

static void
instructions_at_the_threshold_are_not_above_it(void)
{
	struct limit_bench bench;

	for (int percent = 1; percent < 100; percent++) {
		const double limit = percent / 100.0;

		init(&bench);
		/* Time leaves it undecided. */
		bench.effect.p_adjusted = 1;
		bench.effect.change = limit;
		bench.effect.standard_error = 1;
		bench.effect.high = 5;
		bench.work.change = (100.0 + percent) / 100 - 1;
		bench.test.evidence.work = &bench.work;
		bench.test.limits = (struct limits){limit, limit, limit};
		CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	}
}

static void
a_threshold_above_the_upper_end_passes(void)
{
	struct limit_bench bench;

	/* exp(ln 1.1 + 1.64485 * 0.027) is 1.149953. */
	init(&bench);
	bench.effect.change = 0.1;
	bench.effect.standard_error = 0.027;
	bench.effect.p_adjusted = 1;
	bench.effect.detectable = 1;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
	UNIT_NEAR(bench.effect.high, 0.149953, 1e-6);
	bench.effect.standard_error = 0.0271;
	bench.effect.detectable = 0.01;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	bench.test.limits = (struct limits){NAN, NAN, NAN};
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
}

/* The first of two stages may err twice as often: the second has to agree. */
static void
first_runs_flag_at_twice_alpha(void)
{
	struct limit_bench bench;
	struct decision decision;

	init(&bench);
	bench.criteria.two_stages = true;
	bench.effect.p_adjusted = 0.1;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_INCONCLUSIVE);
	CU_ASSERT(decision.unconfirmed);
	CU_ASSERT(isnan(decision.more_runs));
	bench.effect.p_adjusted = 0.101;
	CU_ASSERT_FALSE(decided(&bench).unconfirmed);
	bench.effect.p_adjusted = 0.01;
	bench.effect.change = 0.15;
	CU_ASSERT_FALSE(decided(&bench).unconfirmed);
}

static void
warnings_are_lowered_by_the_policy_too(void)
{
	struct limit_bench bench;

	init(&bench);
	bench.effect.change = 0.1;
	bench.criteria.regression = POLICY_WARN;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	bench.criteria.regression = POLICY_PASS;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
	/* A suspected regression does no more than a regression. */
	bench.effect.change = 0.2;
	bench.effect.p_adjusted = 1;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
	bench.criteria.regression = POLICY_WARN;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	bench.criteria.regression = POLICY_FAIL;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_INCONCLUSIVE);
}

static void
a_budget_may_be_used_up(void)
{
	static const struct {
		double value;
		double least;
		enum status status;
	} cases[] = {
		{0.10, 0.09, STATUS_PASS},
		{0.11, 0.10, STATUS_WARN},
		{0.12, 0.11, STATUS_FAIL},
		{NAN, NAN, STATUS_INCONCLUSIVE},
	};
	static const enum test_kind kinds[] = {TEST_SHARE_BUDGET, TEST_COST_BUDGET};
	struct limit_bench bench;

	init(&bench);
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bench.test.kind = kinds[i % 2];
		bench.test.budget = (struct budget){
			.value = cases[i / 2].value, .least = cases[i / 2].least, .limit = 0.1};
		CU_ASSERT_EQUAL(decide(&bench.test, &bench.criteria).status, cases[i / 2].status);
	}
	bench.test.budget = (struct budget){.value = 0.12, .least = 0.11, .limit = 0.1};
	bench.criteria.limited = "another machine";
	CU_ASSERT_EQUAL(decide(&bench.test, &bench.criteria).status, STATUS_WARN);
}

static void
each_condition_has_its_status(void)
{
	static const struct {
		enum test_condition condition;
		enum policy_action action;
		enum status status;
	} cases[] = {
		{CONDITION_MET, POLICY_FAIL, STATUS_PASS},
		{CONDITION_DOUBTFUL, POLICY_FAIL, STATUS_WARN},
		{CONDITION_UNUSABLE, POLICY_PASS, STATUS_INCONCLUSIVE},
		{CONDITION_NOT_MET, POLICY_PASS, STATUS_ERROR},
		{CONDITION_NOT_HERE, POLICY_PASS, STATUS_SKIPPED},
		{CONDITION_BY_POLICY, POLICY_PASS, STATUS_PASS},
		{CONDITION_BY_POLICY, POLICY_WARN, STATUS_WARN},
		{CONDITION_BY_POLICY, POLICY_FAIL, STATUS_ERROR},
		{CONDITION_DIFFERS, POLICY_WARN, STATUS_WARN},
		{CONDITION_DIFFERS, POLICY_FAIL, STATUS_INCONCLUSIVE},
	};
	struct limit_bench bench;

	init(&bench);
	bench.test.kind = TEST_CONDITION;
	/* A condition is no comparison: the same program and other load change nothing. */
	bench.criteria.same_program = bench.criteria.disturbed_after = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bench.test.condition = cases[i].condition;
		bench.test.action = cases[i].action;
		const struct decision decision = decide(&bench.test, &bench.criteria);

		CU_ASSERT_EQUAL(decision.status, cases[i].status);
		CU_ASSERT_EQUAL(decision.by_runs, cases[i].status);
	}
}

/* What time leaves undecided, with so many more instructions. */
static struct decision
by_work(double change, bool same_code)
{
	struct limit_bench bench;

	init(&bench);
	bench.effect.change = 0.02;
	bench.effect.p_adjusted = 1;
	bench.effect.standard_error = bench.effect.detectable = 0.3;
	bench.work = (struct counted_work){.change = change, .same_code = same_code};
	bench.test.evidence.work = &bench.work;
	return decided(&bench);
}

static void
instructions_decide_by_the_same_thresholds(void)
{
	CU_ASSERT_EQUAL(by_work(0.15, false).status, STATUS_WARN);
	CU_ASSERT_EQUAL(by_work(0.08, false).status, STATUS_WARN);
	CU_ASSERT_EQUAL(by_work(0.079, true).status, STATUS_WARN);
	CU_ASSERT_EQUAL(by_work(CAUSES_SAME_WORK, true).status, STATUS_PASS);
	CU_ASSERT_EQUAL(by_work(-CAUSES_SAME_WORK, true).status, STATUS_PASS);
	CU_ASSERT_EQUAL(by_work(-0.0011, true).status, STATUS_WARN);
	CU_ASSERT_EQUAL(by_work(CAUSES_SAME_WORK, true).by_runs, STATUS_PASS);
	CU_ASSERT(by_work(CAUSES_SAME_WORK, true).by_instructions);
	CU_ASSERT_FALSE(by_work(CAUSES_SAME_WORK, false).by_instructions);
}

/* A failure that a base which differs from itself makes doubtful. */
static void
a_doubted_growth_is_not_decided_by_instructions(void)
{
	struct limit_bench bench;
	struct decision decision;

	init(&bench);
	bench.test.evidence.base_differs = true;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_INCONCLUSIVE);
	CU_ASSERT(decision.doubted);
	bench.work = (struct counted_work){.change = 0.5};
	bench.test.evidence.work = &bench.work;
	CU_ASSERT_EQUAL(decided(&bench).status, STATUS_INCONCLUSIVE);
	/* A warning is none that it would turn into something else. */
	bench.effect.change = 0.1;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_WARN);
	CU_ASSERT_FALSE(decision.doubted);
}

/* Load is a reason for another kind of evidence. */
static void
counts_decide_what_load_may_explain(void)
{
	struct limit_bench bench;
	struct decision decision;

	init(&bench);
	bench.criteria.disturbed_after = true;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(decision.weakness, WEAKNESS_DISTURBED);
	bench.work = (struct counted_work){.change = 0.5};
	bench.test.evidence.work = &bench.work;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_FAIL);
	CU_ASSERT_EQUAL(decision.weakness, WEAKNESS_NONE);
	CU_ASSERT(decision.by_instructions);
	bench.work.change = 0.02;
	CU_ASSERT_EQUAL(decided(&bench).status, STATUS_INCONCLUSIVE);
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_DISTURBED);
	bench.work = (struct counted_work){.change = 0, .same_code = true};
	CU_ASSERT_EQUAL(decided(&bench).status, STATUS_PASS);
}

static struct decision
with_domain(struct limit_bench *bench, double change, double p)
{
	bench->causes.moved = DOMAIN_CALLER;
	bench->causes.domain_effect = bench->effect;
	bench->causes.domain_effect.change = change;
	bench->causes.domain_effect.p = p;
	bench->test.evidence.causes = &bench->causes;
	return decided(bench);
}

static void
cost_that_moved_warns_unless_its_domain_grew_too(void)
{
	struct limit_bench bench;

	init(&bench);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.149, 0.01).status, STATUS_WARN);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.149, 0.01).weakness, WEAKNESS_MOVED);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.15, 0.05).status, STATUS_FAIL);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.15, 0.05).weakness, WEAKNESS_NONE);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.15, 0.051).status, STATUS_WARN);
	bench.causes.domain_effect.tested = false;
	bench.causes.domain_effect.p = 0.01;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	/* Fresh runs would not change that. */
	bench.criteria.two_stages = true;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	CU_ASSERT_FALSE(decided(&bench).unconfirmed);
	/* What only warns is not doubted. */
	bench.criteria.two_stages = false;
	bench.effect.change = 0.1;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_NONE);
}

static void
a_new_function_whose_cost_was_elsewhere_goes_by_its_domain(void)
{
	struct limit_bench bench;

	init(&bench);
	bench.test.kind = TEST_NEW;
	bench.criteria.new_functions = POLICY_FAIL;
	CU_ASSERT_EQUAL(with_domain(&bench, 0.0799, 0.01).status, STATUS_PASS);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.0799, 0.01).weakness, WEAKNESS_MOVED);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.08, 0.01).status, STATUS_WARN);
	/* It grew: without callers that grew with it, that is a warning. */
	CU_ASSERT_EQUAL(with_domain(&bench, 0.15, 0.01).status, STATUS_WARN);
	CU_ASSERT_EQUAL(with_domain(&bench, 0.15, 0.01).weakness, WEAKNESS_NONE);
	bench.criteria.new_functions = POLICY_PASS;
	CU_ASSERT_EQUAL(with_domain(&bench, 0.15, 0.01).status, STATUS_PASS);
}

static void
the_same_code_warns_by_its_paths_or_its_work(void)
{
	struct limit_bench bench;
	struct causes *causes = &bench.causes;

	init(&bench);
	bench.test.evidence.causes = causes;
	causes->code = CODE_SAME;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_NONE);
	causes->unreachable = true;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_LAYOUT);
	causes->code = CODE_CHANGED;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_NONE);
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_FAIL);
	causes->unreachable = false;
	causes->instructions_before = 1e6;
	causes->instructions_after = 0.9995e6;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_NONE);
	causes->code = CODE_SAME;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_NONE);
	bench.criteria.same_work_warns = true;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_SAME_WORK);
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	causes->instructions_after = 0.998e6;
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_NONE);
}

/* Its interval at a tenth of alpha, of 10 degrees of freedom, reaches 3.6 errors below. */
static void
a_whole_that_changed_code_does_not_explain_fails_beyond_doubt(void)
{
	struct limit_bench bench;

	init(&bench);
	bench.effect.df = 10;
	bench.criteria.part = 1;
	bench.test.evidence.unreachable = true;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_FAIL);
	bench.test.rule = FINDING_TOTAL;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_FAIL);
	bench.effect.standard_error = 0.0125;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_WARN);
	CU_ASSERT_EQUAL(decided(&bench).weakness, WEAKNESS_LAYOUT);
	/* Pairs go on, and what they leave undecided below the threshold is not waited for. */
	bench.criteria.early = true;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_INCONCLUSIVE);
	CU_ASSERT(decided(&bench).more_runs > 0);
	bench.effect.change = 0.14;
	CU_ASSERT_EQUAL(status_of(&bench), STATUS_PASS);
	bench.test.evidence.unreachable = false;
	CU_ASSERT_TRUE(decided(&bench).open);
}

static void
a_gone_function_of_the_same_program_is_the_machines(void)
{
	struct limit_bench bench;

	init(&bench);
	bench.test.kind = TEST_GONE;
	bench.criteria.gone_functions = POLICY_FAIL;
	CU_ASSERT_EQUAL(decide(&bench.test, &bench.criteria).status, STATUS_FAIL);
	bench.criteria.same_program = true;
	CU_ASSERT_EQUAL(decide(&bench.test, &bench.criteria).status, STATUS_WARN);
	bench.test.kind = TEST_TOO_FEW;
	CU_ASSERT_EQUAL(decide(&bench.test, &bench.criteria).status, STATUS_PASS);
	/* A budget is of the candidate alone. */
	bench.test.kind = TEST_SHARE_BUDGET;
	bench.test.budget = (struct budget){.value = 0.12, .least = 0.11, .limit = 0.1};
	CU_ASSERT_EQUAL(decide(&bench.test, &bench.criteria).status, STATUS_FAIL);
}

/* After these new runs of a growth that the first ones flagged. */
static double
runs_advised(bool adds_before, double runs_worth)
{
	const struct measured fresh = {0.1, 0.1, 0};
	struct effect again = effect_with(&fresh);
	struct limit_bench bench;

	init(&bench);
	bench.criteria.two_stages = true;
	bench.criteria.adds_before = adds_before;
	bench.criteria.runs_before = bench.criteria.runs_after = 40;
	bench.criteria.runs_fresh = 20;
	bench.criteria.runs_worth = runs_worth;
	bench.test.limits.asked = 0.1;
	bench.test.stages[COMPARISON_SCREEN] = &bench.effect;
	bench.test.stages[COMPARISON_CONFIRM] = &again;
	return decided(&bench).more_runs;
}

static void
fresh_runs_are_added_to_fresh_runs(void)
{
	/* 20 (1.645 * 0.1 / (ln 1.15 - ln 1.1))^2 is 273.9, and 4.668 errors of ln 1.15 are 223.1
	 * of them: 204 more than there are. */
	CU_ASSERT_EQUAL(runs_advised(true, 1000), 204);
	CU_ASSERT_EQUAL(runs_advised(true, 224), 204);
	CU_ASSERT(isinf(runs_advised(true, 223)));
	/* With the 40 runs before as they are, no number is enough. */
	CU_ASSERT(isinf(runs_advised(false, 1000)));
}

static void
an_accepted_growth_needs_no_more_runs(void)
{
	struct limit_bench bench;
	struct decision decision;

	init(&bench);
	bench.effect.p_adjusted = 1;
	bench.effect.standard_error = 0.1;
	CU_ASSERT_FALSE(isnan(decided(&bench).more_runs));
	bench.test.evidence.waiver_use = WAIVER_ACCEPTS;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_PASS);
	CU_ASSERT(isnan(decision.more_runs));
	/* Nor to be confirmed. */
	bench.criteria.two_stages = true;
	bench.effect.p_adjusted = 0.01;
	decision = decided(&bench);
	CU_ASSERT_EQUAL(decision.status, STATUS_PASS);
	CU_ASSERT_FALSE(decision.unconfirmed);
	bench.test.evidence.waiver_use = WAIVER_EXCEEDED;
	CU_ASSERT(decided(&bench).unconfirmed);
}

static void
a_new_function_has_no_limits(void)
{
	const struct threshold threshold = {.warn = 0.08, .fail = 0.15};
	const struct threshold only_warns = {.warn = 0.08, .fail = NAN};
	struct limit_bench bench;

	init(&bench);
	bench.effect.before_share = 0;
	CU_ASSERT(isnan(limits_of(&bench.effect, &threshold, 0.01, 0).asked));
	CU_ASSERT(isnan(limits_of(&bench.effect, &threshold, 0.01, 0).fail_at));
	bench.effect.before_share = NAN;
	CU_ASSERT(isnan(limits_of(&bench.effect, &threshold, 0.01, 0).warn_at));
	/* Without a floor its share does not matter. */
	UNIT_NEAR(limits_of(&bench.effect, &threshold, 0, 0).fail_at, 0.15, 0);
	UNIT_NEAR(limits_of(&bench.effect, &only_warns, 0, 0).asked, 0.08, 0);
	CU_ASSERT(isnan(limits_of(&bench.effect, &only_warns, 0, 0).fail_at));
}

void
suite_gate_decide_limits(void)
{
	static const struct unit_case cases[] = {
		{"a_growth_of_the_threshold_itself_does_not_fail",
			a_growth_of_the_threshold_itself_does_not_fail},
		{"counts_at_the_threshold_are_not_above_it",
			counts_at_the_threshold_are_not_above_it},
		{"instructions_at_the_threshold_are_not_above_it",
			instructions_at_the_threshold_are_not_above_it},
		{"a_threshold_above_the_upper_end_passes", a_threshold_above_the_upper_end_passes},
		{"first_runs_flag_at_twice_alpha", first_runs_flag_at_twice_alpha},
		{"warnings_are_lowered_by_the_policy_too", warnings_are_lowered_by_the_policy_too},
		{"a_budget_may_be_used_up", a_budget_may_be_used_up},
		{"each_condition_has_its_status", each_condition_has_its_status},
		{"instructions_decide_by_the_same_thresholds",
			instructions_decide_by_the_same_thresholds},
		{"counts_decide_what_load_may_explain", counts_decide_what_load_may_explain},
		{"a_doubted_growth_is_not_decided_by_instructions",
			a_doubted_growth_is_not_decided_by_instructions},
		{"cost_that_moved_warns_unless_its_domain_grew_too",
			cost_that_moved_warns_unless_its_domain_grew_too},
		{"a_new_function_whose_cost_was_elsewhere_goes_by_its_domain",
			a_new_function_whose_cost_was_elsewhere_goes_by_its_domain},
		{"the_same_code_warns_by_its_paths_or_its_work",
			the_same_code_warns_by_its_paths_or_its_work},
		{"a_whole_that_changed_code_does_not_explain_fails_beyond_doubt",
			a_whole_that_changed_code_does_not_explain_fails_beyond_doubt},
		{"a_gone_function_of_the_same_program_is_the_machines",
			a_gone_function_of_the_same_program_is_the_machines},
		{"fresh_runs_are_added_to_fresh_runs", fresh_runs_are_added_to_fresh_runs},
		{"an_accepted_growth_needs_no_more_runs", an_accepted_growth_needs_no_more_runs},
		{"a_new_function_has_no_limits", a_new_function_has_no_limits},
		{NULL, NULL},
	};

	unit_suite("gate/decide_limits", cases);
}
