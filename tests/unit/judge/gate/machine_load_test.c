#include "gate/machine_load.h"

#include "gate/judge_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_machine_load(void);

static const struct sampled grown[] = {
	{"steady", 4000, 4020}, {"calm", 3000, 2990}, {"grown", 2000, 4000}, {NULL, 0, 0}};

/* Most runs of the candidate, or of the baseline, lost 30 % of their CPU. */
static void
disturb(struct bench *bench, bool candidate)
{
	struct profile *profile = candidate ? &bench->candidate : &bench->baseline.profile;

	for (size_t i = 0; i < profile->nruns; i++) {
		profile->runs[i].program_cpus = 1;
		profile->runs[i].wall_ns = 1000000000;
		profile->runs[i].others_ns = 300000000;
	}
}

static void
judge_disturbed(struct bench *bench, bool candidate)
{
	struct judgement *judgement = &bench->judgement;

	bench_init(bench, grown);
	disturb(bench, candidate);
	judge_gate(&judgement, 1, &bench->overall);
}

static void
growth_that_others_do_not_show_fails_beside_load(void)
{
	struct bench bench;

	judge_disturbed(&bench, true);
	const struct test *test = test_about(&bench, "grown");
	const struct test *calm = test_about(&bench, "calm");

	CU_ASSERT_PTR_NOT_NULL(test);
	CU_ASSERT_PTR_NOT_NULL(calm);
	if (!test || !calm)
		return;
	CU_ASSERT_DOUBLE_EQUAL(test->load.explained, REST_FACTOR * COMPARISON_SESSION_SPREAD, 1e-9);
	CU_ASSERT_EQUAL(test->decision.load, LOAD_EXCEEDED);
	CU_ASSERT_EQUAL(test->decision.status, STATUS_FAIL);
	/* Beside the one that grew, the others spread far. */
	CU_ASSERT(calm->load.explained > 1);
	bench_release(&bench);
}

static void
load_on_the_baseline_excuses_nothing(void)
{
	struct bench bench;

	judge_disturbed(&bench, false);
	CU_ASSERT_EQUAL(test_about(&bench, "grown")->decision.load, LOAD_BEFORE);
	CU_ASSERT_EQUAL(bench.overall, STATUS_FAIL);
	bench_release(&bench);
}

static void
undisturbed_runs_are_not_weighed(void)
{
	struct bench bench;
	struct judgement *judgement = &bench.judgement;

	bench_init(&bench, grown);
	judge_gate(&judgement, 1, &bench.overall);
	CU_ASSERT(isnan(test_about(&bench, "grown")->load.explained));
	CU_ASSERT_EQUAL(test_about(&bench, "grown")->decision.load, LOAD_NONE);
	CU_ASSERT_EQUAL(
		load_weigh_growth(test_about(&bench, "grown"), &judgement->criteria), LOAD_NONE);
	bench_release(&bench);
}

/* Load makes a wait, a latency and a counter longer without limit. */
static void
only_cpu_time_is_compared_with_the_rest(void)
{
	struct bench bench;

	judge_disturbed(&bench, true);
	struct test test = *test_about(&bench, "grown");

	test.load.explained = NAN;
	test.counter = &counter_kinds[0];
	load_weigh_test(&bench.judgement, &test);
	CU_ASSERT(isnan(test.load.explained));
	CU_ASSERT_EQUAL(load_weigh_growth(&test, &bench.judgement.criteria), LOAD_EXPLAINS);
	test.counter = NULL;
	bench.candidate.unit = strtab_intern_str(&bench.candidate.strings, "ns");
	load_weigh_test(&bench.judgement, &test);
	CU_ASSERT(isnan(test.load.explained));
	bench_release(&bench);
}

/* Ten runs do not show how far load makes runs spread. */
static void
a_limit_that_is_hardly_beyond_the_rest_is_not_enough(void)
{
	struct bench bench;

	judge_disturbed(&bench, true);
	struct test test = *test_about(&bench, "grown");
	struct effect effect = *test.all;
	const double explained = test.load.explained;

	test.all = &effect;
	effect.standard_error = 0.04;
	effect.low = expm1(explained + 1.9 * 0.04);
	CU_ASSERT_EQUAL(load_weigh_growth(&test, &bench.judgement.criteria), LOAD_EXPLAINS);
	effect.low = expm1(explained + 2.1 * 0.04);
	CU_ASSERT_EQUAL(load_weigh_growth(&test, &bench.judgement.criteria), LOAD_EXCEEDED);
	bench_release(&bench);
}

static void
a_new_function_goes_by_its_callers(void)
{
	struct bench bench;

	judge_disturbed(&bench, true);
	const struct test callers = *test_about(&bench, "grown");
	struct test test = test_of(TEST_NEW, FINDING_FUNCTIONS, "new");

	CU_ASSERT_EQUAL(load_weigh_growth(&test, &bench.judgement.criteria), LOAD_EXPLAINS);
	test.evidence.callers = &callers;
	CU_ASSERT_EQUAL(load_weigh_growth(&test, &bench.judgement.criteria), LOAD_EXCEEDED);
	bench_release(&bench);
}

void
suite_gate_machine_load(void)
{
	static const struct unit_case cases[] = {
		{"growth_that_others_do_not_show_fails_beside_load",
			growth_that_others_do_not_show_fails_beside_load},
		{"load_on_the_baseline_excuses_nothing", load_on_the_baseline_excuses_nothing},
		{"undisturbed_runs_are_not_weighed", undisturbed_runs_are_not_weighed},
		{"only_cpu_time_is_compared_with_the_rest",
			only_cpu_time_is_compared_with_the_rest},
		{"a_limit_that_is_hardly_beyond_the_rest_is_not_enough",
			a_limit_that_is_hardly_beyond_the_rest_is_not_enough},
		{"a_new_function_goes_by_its_callers", a_new_function_goes_by_its_callers},
		{NULL, NULL},
	};

	unit_suite("gate/machine_load", cases);
}
