/* Named rules by the values that they are decided with. */
#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_named_values(void);

static struct gate_rule_spec
rule_of(const char *pattern, double fail, double max_share, double max_cost)
{
	return (struct gate_rule_spec){
		.kind = RULE_FUNCTION,
		.pattern = pattern,
		.threshold = {.warn = NAN, .fail = fail},
		.max_share = max_share,
		.max_cost = max_cost,
	};
}

/* The test of this subject, of the rule alone; NULL if there is none. */
static const struct test *
test_of_rule(struct bench *bench, const struct gate_rule_spec *spec, const char *subject)
{
	struct judgement *judgement = &bench->judgement;

	judgement_release(judgement);
	bench->workload.gate.rules = spec;
	bench->workload.gate.nrules = 1;
	judge(bench);
	for (size_t i = 0; i < judgement->ntests; i++) {
		if (judgement->tests[i].rule == FINDING_NAMED &&
			strcmp(judgement->tests[i].subject, subject) == 0)
			return &judgement->tests[i];
	}
	return NULL;
}

static void
expect_kind(struct bench *bench, const char *pattern, enum test_kind kind)
{
	const struct gate_rule_spec spec = rule_of(pattern, 0.15, NAN, NAN);
	const struct test *test = test_of_rule(bench, &spec, pattern);

	UNIT_NEED(test);
	CU_ASSERT_EQUAL(test->kind, kind);
	CU_ASSERT_PTR_EQUAL(test->named, &spec);
}

/* "extra" costs 400 ms a run, an eighth of the whole before. */
static const struct sampled swapped[] = {
	{"parse", 8000, 8000},
	{"print", 7200, 7200},
	{"lost", 800, 0},
	{"extra", 0, 2000},
	{NULL, 0, 0},
};

static void
a_group_is_new_from_the_floor_on_and_negligible_below_min_share(void)
{
	struct bench bench;
	struct gate_policy *policy = &bench.workload.gate;

	bench_init(&bench, swapped);
	policy->floor = policy->min_share = 0.125;
	policy->min_cost = 400e6;
	expect_kind(&bench, "extra", TEST_NEW);
	policy->min_cost = 400.1e6;
	expect_kind(&bench, "extra", TEST_TOO_FEW);
	policy->min_cost = 0;
	policy->floor = 0.1251;
	expect_kind(&bench, "extra", TEST_TOO_FEW);
	policy->min_share = 0.1251;
	expect_kind(&bench, "extra", TEST_NEGLIGIBLE);
	/* What is gone cannot have become slower. */
	policy->min_share = 0.01;
	expect_kind(&bench, "lost", TEST_NEGLIGIBLE);
	policy->min_share = 0;
	expect_kind(&bench, "nobody", TEST_NEGLIGIBLE);
	expect_kind(&bench, "parse", TEST_GROWTH);
	bench_release(&bench);
}

static void
a_share_has_the_error_of_its_samples(void)
{
	const struct gate_rule_spec spec = rule_of("parse", NAN, 0.2, NAN);
	struct bench bench;

	bench_init(&bench, slower);
	const struct test *test = test_of_rule(&bench, &spec, "parse (budget)");
	const double share = 4500.0 / 11500;

	UNIT_NEED(test);
	CU_ASSERT_EQUAL(test->kind, TEST_SHARE_BUDGET);
	UNIT_NEAR(test->budget.value, share, 1e-12);
	UNIT_NEAR(test->budget.limit, 0.2, 0);
	/* For 5 runs of 11,500 samples, at z_0.05. */
	UNIT_NEAR(test->budget.least, share - 1.644854 * sqrt(share * (1 - share) / 57500), 1e-8);
	CU_ASSERT_PTR_NULL(test_of_rule(&bench, &spec, "parse"));
	bench_release(&bench);
}

/* 2900 units of weight are 1000 samples, and by the scale from one to the other a little more. */
static void
a_group_of_all_the_program_has_no_error(void)
{
	const struct gate_rule_spec spec = rule_of("parse", NAN, 0.5, NAN);
	const struct sampled all[] = {{"parse", 2900, 2900}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, all);
	bench.baseline.profile.unit = strtab_intern_str(&bench.baseline.profile.strings, "ns");
	bench.candidate.unit = strtab_intern_str(&bench.candidate.strings, "ns");
	for (size_t run = 0; run < 5; run++) {
		struct run *runs[] = {
			&bench.baseline.profile.runs[run], &bench.candidate.runs[run]};

		for (size_t i = 0; i < 2; i++)
			runs[i]->expected_samples = (double)(runs[i]->samples = 1000);
	}
	const struct test *test = test_of_rule(&bench, &spec, "parse (budget)");

	UNIT_NEED(test);
	CU_ASSERT(test->budget.value > 1);
	UNIT_NEAR(test->budget.least, 1, 1e-12);
	CU_ASSERT_EQUAL(test->decision.status, STATUS_FAIL);
	bench_release(&bench);
}

/* Runs that differ by more than their samples explain. */
static void
a_share_that_varies_has_a_larger_error(void)
{
	static const struct sampled less[] = {
		{"parse", 4400, 4400}, {"print", 4000, 4000}, {"copy", 3000, 3000}, {NULL, 0, 0}};
	static const struct sampled more[] = {
		{"parse", 4600, 4600}, {"print", 4000, 4000}, {"copy", 3000, 3000}, {NULL, 0, 0}};
	const struct gate_rule_spec spec = rule_of("parse", NAN, 0.2, NAN);
	const struct sampled none[] = {{NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, none);
	profile_drop_runs(&bench.baseline.profile, 0);
	profile_drop_runs(&bench.candidate, 0);
	for (int i = 0; i < 6; i++) {
		add_runs(&bench.baseline.profile, i % 2 ? less : more, false, 1);
		add_runs(&bench.candidate, i % 2 ? less : more, true, 1);
	}
	const struct test *test = test_of_rule(&bench, &spec, "parse (budget)");

	UNIT_NEED(test);
	const double share = test->budget.value;
	const double q = test->all->overdispersion;

	CU_ASSERT(q > 1 && q < 2);
	UNIT_NEAR(share, 4500.0 / 11500, 1e-4);
	UNIT_NEAR(
		test->budget.least, share - 1.644854 * sqrt(share * (1 - share) / 69000 * q), 1e-8);
	bench_release(&bench);
}

static void
a_group_is_confirmed_by_fresh_runs(void)
{
	const struct gate_rule_spec spec = rule_of("parse", 0.15, NAN, NAN);
	struct bench bench;

	bench_init(&bench, slower);
	add_runs(&bench.baseline.profile, unchanged, false, 5);
	add_runs(&bench.candidate, unchanged, true, 5);
	for (size_t run = 5; run < 10; run++)
		bench.baseline.profile.runs[run].stage = bench.candidate.runs[run].stage =
			COMPARISON_CONFIRM;
	bench.judgement.input.may_confirm = true;
	const struct test *test = test_of_rule(&bench, &spec, "parse");

	UNIT_NEED(test);
	UNIT_NEED(test->stages[COMPARISON_SCREEN]);
	UNIT_NEED(test->stages[COMPARISON_CONFIRM]);
	UNIT_NEAR(test->stages[COMPARISON_SCREEN]->change, 0.5, 1e-9);
	UNIT_NEAR(test->stages[COMPARISON_CONFIRM]->change, 0, 1e-9);
	CU_ASSERT(test->flagged);
	CU_ASSERT_EQUAL(test->decision.status, STATUS_PASS);
	bench_release(&bench);
}

static void
a_cost_has_the_error_of_its_runs(void)
{
	static const struct sampled cheap[] = {{"parse", 0, 3000}, {"copy", 0, 7000}, {NULL, 0, 0}};
	static const struct sampled dear[] = {{"parse", 0, 6000}, {"copy", 0, 7000}, {NULL, 0, 0}};
	const struct gate_rule_spec spec = rule_of("parse", NAN, NAN, 880e6);
	struct bench bench;

	bench_init(&bench, slower);
	profile_release(&bench.candidate);
	profile_init(&bench.candidate);
	for (int i = 0; i < 3; i++) {
		add_runs(&bench.candidate, cheap, true, 1);
		add_runs(&bench.candidate, dear, true, 1);
	}
	const struct test *test = test_of_rule(&bench, &spec, "parse (cost budget)");

	UNIT_NEED(test);
	CU_ASSERT_EQUAL(test->kind, TEST_COST_BUDGET);
	/* 600 and 1200 ms: the SD is 328.6 ms, and t_0.05 of 5 degrees of freedom 2.01505. */
	UNIT_NEAR(test->budget.value, 900e6, 1);
	UNIT_NEAR(test->budget.least, 900e6 - 2.01505 * 328.6335e6 / sqrt(6), 1e4);
	UNIT_NEAR(test->budget.limit, 880e6, 0);
	profile_drop_runs(&bench.candidate, 1);
	test = test_of_rule(&bench, &spec, "parse (cost budget)");
	UNIT_NEED(test);
	UNIT_NEAR(test->budget.value, 600e6, 1);
	CU_ASSERT(isinf(test->budget.least) && test->budget.least < 0);
	bench_release(&bench);
}

static void
a_rule_makes_only_the_tests_that_it_sets(void)
{
	struct gate_rule_spec spec = rule_of("parse", NAN, NAN, NAN);
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_PTR_NULL(test_of_rule(&bench, &spec, "parse"));
	CU_ASSERT_PTR_NULL(test_of_rule(&bench, &spec, "parse (budget)"));
	CU_ASSERT_PTR_NULL(test_of_rule(&bench, &spec, "parse (cost budget)"));
	/* 0 allows nothing, which only calls can hold. */
	spec.max_cost = 0;
	CU_ASSERT_PTR_NULL(test_of_rule(&bench, &spec, "parse (cost budget)"));
	spec.max_cost = 1;
	CU_ASSERT_PTR_NOT_NULL(test_of_rule(&bench, &spec, "parse (cost budget)"));
	spec.threshold.warn = 0.1;
	CU_ASSERT_PTR_NOT_NULL(test_of_rule(&bench, &spec, "parse"));
	/* Each function by itself: no group. */
	spec.kind = RULE_EACH;
	CU_ASSERT_PTR_NULL(test_of_rule(&bench, &spec, "parse"));
	bench_release(&bench);
}

static void
a_subtree_is_judged_with_all_below_it(void)
{
	struct gate_rule_spec spec = rule_of("main", 0.1, NAN, 2e9);
	struct bench bench;
	const struct test *test;

	bench_init(&bench, slower);
	spec.kind = RULE_SUBTREE;
	test = test_of_rule(&bench, &spec, "subtree main");
	UNIT_NEED(test);
	CU_ASSERT_EQUAL(test->of, QUANTITY_TOTAL);
	UNIT_NEAR(test->all->after_cost, 11500 * 2e5, 1);
	test = test_of_rule(&bench, &spec, "subtree main (cost budget)");
	UNIT_NEED(test);
	CU_ASSERT_EQUAL(test->of, QUANTITY_TOTAL);
	UNIT_NEAR(test->budget.value, 11500 * 2e5, 1);
	CU_ASSERT_EQUAL(test->decision.status, STATUS_FAIL);
	bench_release(&bench);
}

static void
groups_that_now_cost_less_than_the_floor_pass(void)
{
	const struct sampled functions[] = {
		{"parse", 9000, 9000}, {"tiny", 120, 90}, {"rest", 880, 910}, {NULL, 0, 0}};
	const struct gate_rule_spec spec = rule_of("tiny", 0.15, NAN, NAN);
	struct bench bench;
	const struct test *test;

	bench_init(&bench, functions);
	test = test_of_rule(&bench, &spec, "tiny");
	UNIT_NEED(test);
	CU_ASSERT(test->small_after);
	bench.workload.gate.floor = 0.008;
	test = test_of_rule(&bench, &spec, "tiny");
	UNIT_NEED(test);
	CU_ASSERT_FALSE(test->small_after);
	UNIT_NEAR(test->limits.fail_at, 0.008 / 0.012, 1e-12);
	bench_release(&bench);
}

void
suite_gate_named_values(void)
{
	static const struct unit_case cases[] = {
		{"a_group_is_new_from_the_floor_on_and_negligible_below_min_share",
			a_group_is_new_from_the_floor_on_and_negligible_below_min_share},
		{"a_share_has_the_error_of_its_samples", a_share_has_the_error_of_its_samples},
		{"a_cost_has_the_error_of_its_runs", a_cost_has_the_error_of_its_runs},
		{"a_rule_makes_only_the_tests_that_it_sets",
			a_rule_makes_only_the_tests_that_it_sets},
		{"a_subtree_is_judged_with_all_below_it", a_subtree_is_judged_with_all_below_it},
		{"groups_that_now_cost_less_than_the_floor_pass",
			groups_that_now_cost_less_than_the_floor_pass},
		{"a_group_of_all_the_program_has_no_error",
			a_group_of_all_the_program_has_no_error},
		{"a_share_that_varies_has_a_larger_error", a_share_that_varies_has_a_larger_error},
		{"a_group_is_confirmed_by_fresh_runs", a_group_is_confirmed_by_fresh_runs},
		{NULL, NULL},
	};

	unit_suite("gate/named_values", cases);
}
