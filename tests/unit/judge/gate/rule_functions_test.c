#include "gate/decide.h"
#include "gate/findings.h"
#include "gate/judge_bench.h"
#include "unit.h"

void suite_gate_rule_functions(void);

static enum status
status_of(const struct bench *bench, const char *function)
{
	return finding_about(bench, "functions", function).status;
}

static void
each_has_the_thresholds_of_the_first_rule_that_names_it(void)
{
	const struct gate_rule_spec rules[] = {
		{.kind = RULE_EACH,
			.pattern = "pars?",
			.threshold = {.warn = 0.8, .fail = 0.9},
			.max_share = NAN},
		{.kind = RULE_EACH,
			.pattern = "*",
			.threshold = {.warn = NAN, .fail = 0.11},
			.max_share = NAN},
	};
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.rules = rules;
	bench.workload.gate.nrules = 2;
	bench.workload.gate.total = (struct threshold){NAN, NAN};
	CU_ASSERT_EQUAL(judge(&bench), 0);
	struct finding parse = finding_about(&bench, "functions", "parse");
	struct finding print = finding_about(&bench, "functions", "print");

	CU_ASSERT_EQUAL(parse.status, STATUS_PASS);
	UNIT_NEAR(parse.fail_at, 0.9, 1e-12);
	UNIT_NEAR(print.fail_at, 0.11, 1e-12);
	CU_ASSERT(isnan(print.warn_at));
	/* It is no group. */
	UNIT_STR_EQ(finding_about(&bench, "rule", "pars?").subject, "");
	judgement_release(&bench.judgement);

	bench.workload.gate.nrules = 0;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(status_of(&bench, "parse"), STATUS_FAIL);
	bench_release(&bench);
}

static void
functions_that_are_never_to_be_judged_pass(void)
{
	const struct gate_rule_spec never = {
		.kind = RULE_EACH,
		.pattern = "parse",
		.threshold = {NAN, NAN},
		.max_share = NAN,
	};
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.rules = &never;
	bench.workload.gate.nrules = 1;
	bench.workload.gate.total = (struct threshold){NAN, NAN};
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(status_of(&bench, "parse"), STATUS_PASS);
	bench_release(&bench);
}

/* A program that became forty times faster: what is left of it is too small to matter. */
static void
shares_and_floors_are_of_the_cost_before(void)
{
	static const struct sampled faster[] = {
		{"parse", 390000, 800},
		{"print", 4000, 4000},
		{"start", 1500, 1550},
		{"exit", 3, 100},
		{NULL, 0, 0},
	};
	struct bench bench;

	bench_init(&bench, faster);
	bench.workload.gate.functions = (struct threshold){.warn = 0.02, .fail = 0.03};
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(bench.judgement.verdict.status, STATUS_PASS);
	CU_ASSERT_EQUAL(status_of(&bench, "parse"), STATUS_PASS);
	UNIT_STR_EQ(finding_about(&bench, "functions", "start").subject, "");
	UNIT_STR_EQ(finding_about(&bench, "functions", "exit").subject, "");
	bench_release(&bench);
}

/* Other load makes them cost more, in whatever program they hit. */
static void
scheduling_and_interrupts_are_one_line(void)
{
	static const struct sampled disturbed[] = {
		{"parse", 6000, 6000},
		{"print", 4000, 4000},
		{"irqentry_exit_to_user_mode_[k]", 30, 3000},
		{"__schedule_[k]", 100, 300},
		{"clear_page_erms_[k]", 1000, 1000},
		{NULL, 0, 0},
	};
	struct bench bench;

	bench_init(&bench, disturbed);
	bench.workload.gate.total = (struct threshold){NAN, NAN};
	CU_ASSERT_EQUAL(judge(&bench), 0);
	UNIT_STR_EQ(
		finding_about(&bench, "functions", "irqentry_exit_to_user_mode_[k]").subject, "");
	UNIT_STR_EQ(finding_about(&bench, "functions", "__schedule_[k]").subject, "");
	CU_ASSERT_TRUE(finding_about(&bench, "functions", "clear_page_erms_[k]").effect.tested);
	struct finding sum = finding_about(&bench, "validity", "scheduling and interrupts");

	CU_ASSERT_EQUAL(sum.status, STATUS_PASS);
	UNIT_CONTAINS(sum.reason, "1.2 % of the program before, 23.1 % after");
	bench_release(&bench);
}

/* parse costs 600 ms a run, and 300 more in the candidate. */
static void
a_growth_worth_less_than_min_cost_does_not_matter(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	bench.workload.gate.total = (struct threshold){NAN, NAN};
	bench.workload.gate.min_cost = 400e6;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(status_of(&bench, "parse"), STATUS_PASS);
	UNIT_NEAR(finding_about(&bench, "functions", "parse").fail_at, 2.0 / 3, 1e-9);
	judgement_release(&bench.judgement);

	bench.workload.gate.min_cost = 100e6;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	CU_ASSERT_EQUAL(status_of(&bench, "parse"), STATUS_FAIL);
	bench_release(&bench);
}

/* "extra" was not there and costs 400 ms a run, an eighth of the whole before; "lost" is gone. */
static const struct sampled swapped[] = {
	{"parse", 8000, 8000},
	{"print", 7200, 7200},
	{"lost", 800, 0},
	{"extra", 0, 2000},
	{NULL, 0, 0},
};

/* What becomes of a function before anything is known of its causes. */
static struct finding
by_rule(struct bench *bench, const char *function)
{
	struct judgement *judgement = &bench->judgement;
	struct finding found = finding_of(FINDING_WAIVERS, "");

	judge(bench);
	struct test *test = test_about(bench, function);

	if (test) {
		test->evidence = (struct test_evidence){0};
		test->decision = decide(test, &judgement->criteria);
		found = finding_of_test(judgement, test);
		if (test->kind == TEST_NEW)
			UNIT_CONTAINS(found.reason, "equal to 12.5 % of the program before");
	}
	found.subject = found.reason = "";
	judgement_release(judgement);
	return found;
}

static void
new_and_gone_functions_do_what_the_policy_says(void)
{
	static const enum status statuses[] = {STATUS_PASS, STATUS_WARN, STATUS_FAIL};
	struct bench bench;

	bench_init(&bench, swapped);
	for (int action = POLICY_PASS; action <= POLICY_FAIL; action++) {
		bench.workload.gate.new_functions = (enum policy_action)action;
		bench.workload.gate.gone_functions = POLICY_PASS;
		CU_ASSERT_EQUAL(by_rule(&bench, "extra").status, statuses[action]);
		bench.workload.gate.new_functions = POLICY_PASS;
		bench.workload.gate.gone_functions = (enum policy_action)action;
		CU_ASSERT_EQUAL(by_rule(&bench, "lost").status, statuses[action]);
	}
	bench_release(&bench);
}

static void
new_functions_do_no_more_than_a_regression_may(void)
{
	struct bench bench;

	bench_init(&bench, swapped);
	bench.workload.gate.new_functions = POLICY_FAIL;
	bench.workload.gate.regression = POLICY_WARN;
	CU_ASSERT_EQUAL(by_rule(&bench, "extra").status, STATUS_WARN);
	bench_release(&bench);
}

static void
new_functions_below_the_floor_are_not_said(void)
{
	struct bench bench;

	bench_init(&bench, swapped);
	bench.workload.gate.new_functions = POLICY_FAIL;
	CU_ASSERT_EQUAL(by_rule(&bench, "extra").rule, FINDING_FUNCTIONS);
	bench.workload.gate.min_cost = 500e6;
	CU_ASSERT_STRING_EQUAL(by_rule(&bench, "extra").subject, "");
	CU_ASSERT_STRING_EQUAL(by_rule(&bench, "lost").subject, "");
	bench_release(&bench);
}

static void
functions_that_the_machine_brings_are_not_new(void)
{
	static const struct sampled other_machine[] = {
		{"parse", 3000, 3000},
		{"print", 4000, 4000},
		{"pvm_irq_enable_[k]", 0, 900},
		{"__schedule_[k]", 0, 900},
		{"native_safe_halt_[k]", 900, 0},
		{"native_queued_spin_lock_slowpath_[k]", 0, 900},
		{NULL, 0, 0},
	};
	struct bench bench;

	bench_init(&bench, other_machine);
	bench.workload.gate.new_functions = POLICY_FAIL;
	judge(&bench);
	CU_ASSERT_PTR_NULL(test_about(&bench, "pvm_irq_enable"));
	CU_ASSERT_PTR_NULL(test_about(&bench, "__schedule"));
	CU_ASSERT_PTR_NULL(test_about(&bench, "native_safe_halt"));
	/* A lock that became contended is the program's. */
	const struct test *lock = test_about(&bench, "native_queued_spin_lock_slowpath");

	UNIT_NEED(lock);
	CU_ASSERT_EQUAL(lock->kind, TEST_NEW);
	bench_release(&bench);
}

/* Whether there is a test of this function, of this kind, by this floor and min_cost. */
static bool
is_said(struct bench *bench, const char *function, enum test_kind kind, double floor,
	double min_cost)
{
	bench->workload.gate.floor = floor;
	bench->workload.gate.min_cost = min_cost;
	judgement_release(&bench->judgement);
	judge(bench);
	const struct test *test = test_about(bench, function);

	return test && test->kind == kind;
}

static void
set_syscalls(struct profile *profile)
{
	profile->metric = strtab_intern_str(&profile->strings, "syscalls");
	profile->unit = strtab_intern_str(&profile->strings, "calls");
}

static void
a_function_that_is_counted_once_is_said(void)
{
	/* Once in the five runs together. */
	const struct sampled once[] = {
		{"parse", 10, 10}, {"extra", 0, 0.2}, {"lost", 0.2, 0}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, once);
	set_syscalls(&bench.candidate);
	set_syscalls(&bench.baseline.profile);
	CU_ASSERT(is_said(&bench, "extra", TEST_NEW, 0.01, 0));
	CU_ASSERT(is_said(&bench, "lost", TEST_GONE, 0.01, 0));
	bench_release(&bench);
}

static void
a_new_function_at_the_floor_is_said(void)
{
	struct bench bench;

	bench_init(&bench, swapped);
	/* An eighth of the program before, 400 of its 3200 ms. */
	CU_ASSERT(is_said(&bench, "extra", TEST_NEW, 0.125, 400e6));
	CU_ASSERT_FALSE(is_said(&bench, "extra", TEST_NEW, 0.1251, 0));
	CU_ASSERT_FALSE(is_said(&bench, "extra", TEST_NEW, 0, 400.1e6));
	/* A twentieth, 160 ms. */
	CU_ASSERT(is_said(&bench, "lost", TEST_GONE, 0.05, 160e6));
	CU_ASSERT_FALSE(is_said(&bench, "lost", TEST_GONE, 0.0501, 0));
	CU_ASSERT_FALSE(is_said(&bench, "lost", TEST_GONE, 0, 160.1e6));
	bench_release(&bench);
}

/* 20 samples before and 45 after, in all runs: neither a ratio nor new. */
static void
too_few_samples_are_said_of_a_share_that_matters_on_either_side(void)
{
	const struct sampled more[] = {{"few", 4, 9}, {"rest", 896, 891}, {NULL, 0, 0}};
	const struct sampled less[] = {{"few", 9, 4}, {"rest", 891, 896}, {NULL, 0, 0}};
	const struct sampled *const cases[] = {more, less};

	for (int i = 0; i < 2; i++) {
		struct bench bench;

		bench_init(&bench, cases[i]);
		bench.workload.gate.min_share = 0.01;
		CU_ASSERT(is_said(&bench, "few", TEST_TOO_FEW, 0.01, 0));
		bench.workload.gate.min_share = 0.0101;
		CU_ASSERT_FALSE(is_said(&bench, "few", TEST_TOO_FEW, 0.01, 0));
		bench_release(&bench);
	}
}

static void
a_function_below_the_floor_now_is_small(void)
{
	const struct sampled functions[] = {
		{"parse", 9000, 9000}, {"tiny", 120, 90}, {"rest", 880, 910}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, functions);
	CU_ASSERT(is_said(&bench, "tiny", TEST_GROWTH, 0.01, 0));
	CU_ASSERT(test_about(&bench, "tiny")->small_after);
	CU_ASSERT_PTR_NULL(test_about(&bench, "tiny")->stages[COMPARISON_SCREEN]);
	CU_ASSERT(is_said(&bench, "tiny", TEST_GROWTH, 0.008, 0));
	CU_ASSERT_FALSE(test_about(&bench, "tiny")->small_after);
	bench_release(&bench);
}

static void
a_function_is_tested_by_stage(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	add_runs(&bench.baseline.profile, unchanged, false, 5);
	add_runs(&bench.candidate, unchanged, true, 5);
	for (size_t run = 5; run < 10; run++)
		bench.baseline.profile.runs[run].stage = bench.candidate.runs[run].stage =
			COMPARISON_CONFIRM;
	judge(&bench);
	const struct test *test = test_about(&bench, "parse");

	UNIT_NEED(test);
	UNIT_NEED(test->stages[COMPARISON_SCREEN]);
	UNIT_NEED(test->stages[COMPARISON_CONFIRM]);
	UNIT_NEAR(test->stages[COMPARISON_SCREEN]->change, 0.5, 1e-9);
	UNIT_NEAR(test->stages[COMPARISON_CONFIRM]->change, 0, 1e-9);
	/* And the whole program. */
	for (size_t i = 0; i < bench.judgement.ntests; i++) {
		test = &bench.judgement.tests[i];
		if (test->rule != FINDING_TOTAL)
			continue;
		CU_ASSERT_EQUAL(test->of, QUANTITY_TOTAL);
		UNIT_NEED(test->stages[COMPARISON_SCREEN]);
		UNIT_NEAR(test->stages[COMPARISON_SCREEN]->change, 0.15, 1e-9);
		UNIT_NEAR(test->stages[COMPARISON_CONFIRM]->change, 0, 1e-9);
		UNIT_NEAR(test->limits.fail_at, 0.2, 0);
	}
	bench_release(&bench);
}

/* main only calls the others: it is said by no rule, however small the share that matters. */
static void
a_function_without_samples_of_its_own_is_not_said(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.workload.gate.min_share = 0;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_PTR_NOT_NULL(test_about(&bench, "parse"));
	CU_ASSERT_PTR_NULL(test_about(&bench, "main"));
	bench_release(&bench);
}

void
suite_gate_rule_functions(void)
{
	static const struct unit_case cases[] = {
		{"each_has_the_thresholds_of_the_first_rule_that_names_it",
			each_has_the_thresholds_of_the_first_rule_that_names_it},
		{"shares_and_floors_are_of_the_cost_before",
			shares_and_floors_are_of_the_cost_before},
		{"scheduling_and_interrupts_are_one_line", scheduling_and_interrupts_are_one_line},
		{"functions_that_are_never_to_be_judged_pass",
			functions_that_are_never_to_be_judged_pass},
		{"a_growth_worth_less_than_min_cost_does_not_matter",
			a_growth_worth_less_than_min_cost_does_not_matter},
		{"new_and_gone_functions_do_what_the_policy_says",
			new_and_gone_functions_do_what_the_policy_says},
		{"new_functions_do_no_more_than_a_regression_may",
			new_functions_do_no_more_than_a_regression_may},
		{"new_functions_below_the_floor_are_not_said",
			new_functions_below_the_floor_are_not_said},
		{"functions_that_the_machine_brings_are_not_new",
			functions_that_the_machine_brings_are_not_new},
		{"a_function_that_is_counted_once_is_said",
			a_function_that_is_counted_once_is_said},
		{"a_new_function_at_the_floor_is_said", a_new_function_at_the_floor_is_said},
		{"too_few_samples_are_said_of_a_share_that_matters_on_either_side",
			too_few_samples_are_said_of_a_share_that_matters_on_either_side},
		{"a_function_below_the_floor_now_is_small",
			a_function_below_the_floor_now_is_small},
		{"a_function_is_tested_by_stage", a_function_is_tested_by_stage},
		{"a_function_without_samples_of_its_own_is_not_said",
			a_function_without_samples_of_its_own_is_not_said},
		{NULL, NULL},
	};

	unit_suite("gate/rule_functions", cases);
}
