/* The values of counters that are judged, their spread, and limits exactly at a boundary. */
#include "gate/counter_bench.h"

void suite_gate_counter_values(void);

/* Compares files of two sessions, whose runs all have the same value. */
static const struct finding *
judge_files(struct bench *bench, enum counter_id id, bool same_session)
{
	struct judgement *judgement = &bench->paired.judgement;

	init(bench, counter_kinds[id].name, 0.5, NAN);
	set_counter(bench, id, 1e6, 1.1, 0);
	paired_bench_prepare(&bench->paired);
	judgement->input.mode = GATE_FILES;
	judgement->input.same_session = same_session;
	judge_gate(&judgement, 1, &bench->paired.overall);
	return paired_bench_finding(&bench->paired, "counter", counter_kinds[id].name);
}

/* The spread of one session, by what the counter depends on. */
static void
counters_spread_between_sessions_by_their_kind(void)
{
	static const struct {
		enum counter_id id;
		double spread;
	} cases[] = {
		{COUNTER_LATENCY_P50, 0.15},
		{COUNTER_LATENCY_P99, 0.5},
		{COUNTER_USER_TIME, COMPARISON_MACHINE_SPREAD},
		{COUNTER_CPU_PER_OP, COMPARISON_MACHINE_SPREAD},
		{COUNTER_READ_CALLS, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;
		const struct finding *finding = judge_files(&bench, cases[i].id, false);

		UNIT_NEED(finding);
		UNIT_NEAR(finding->effect.spread, cases[i].spread * M_SQRT2, 1e-6);
		UNIT_NEAR(finding->effect.change, 0.1, 1e-9);
		CU_ASSERT(
			isnan(finding->effect.before_share) && isnan(finding->effect.after_share));
		paired_bench_release(&bench.paired);
		finding = judge_files(&bench, cases[i].id, true);
		UNIT_NEED(finding);
		UNIT_NEAR(finding->effect.spread, 0, 1e-6);
		paired_bench_release(&bench.paired);
	}
}

static const struct test *
test_of_counter(const struct bench *bench, const char *subject)
{
	const struct judgement *judgement = &bench->paired.judgement;

	for (size_t i = 0; i < judgement->ntests; i++) {
		if (judgement->tests[i].rule == FINDING_COUNTERS &&
			strcmp(judgement->tests[i].subject, subject) == 0)
			return &judgement->tests[i];
	}
	return NULL;
}

/* 1 to 10, and one run of which it is not known. */
static void
a_limit_is_compared_with_the_mean_of_the_known_runs(void)
{
	struct bench bench;
	struct profile *candidate = &bench.paired.pairs.sides[1];

	init(&bench, "max_rss", NAN, 4);
	for (size_t i = 0; i < 10; i++)
		counter_set(&candidate->runs[i], COUNTER_MAX_RSS, (double)i + 1);
	profile_add_run(candidate);
	judge(&bench, "max_rss (limit)");
	const struct test *test = test_of_counter(&bench, "max_rss (limit)");

	UNIT_NEED(test);
	UNIT_NEAR(test->budget.value, 5.5, 1e-12);
	/* t_0.05 of 9 degrees of freedom is 1.8331, the standard error 3.0277 / sqrt(10). */
	UNIT_NEAR(test->budget.least, 5.5 - 1.8331 * 0.95743, 1e-3);
	CU_ASSERT_PTR_NULL(test_of_counter(&bench, "max_rss"));
	CU_ASSERT_EQUAL(test->of, QUANTITY_TOTAL);
	/* For one run nothing is known but its value. */
	for (size_t i = 1; i < 10; i++)
		counter_set(&candidate->runs[i], COUNTER_MAX_RSS, NAN);
	judge(&bench, "max_rss (limit)");
	test = test_of_counter(&bench, "max_rss (limit)");
	UNIT_NEED(test);
	UNIT_NEAR(test->budget.value, 1, 0);
	UNIT_NEAR(test->budget.least, 1, 0);
	profile_drop_runs(candidate, 1);
	judge(&bench, "max_rss (limit)");
	CU_ASSERT_PTR_NOT_NULL(test_of_counter(&bench, "max_rss (limit)"));
	paired_bench_release(&bench.paired);
}

/* Runs of which it is not known are left out, and no others. */
static void
growth_is_that_of_the_known_runs(void)
{
	struct bench bench;

	init(&bench, "max_rss", 0.5, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 1e6, 1.1, 0);
	for (int side = 0; side < 2; side++)
		counter_set(&bench.paired.pairs.sides[side].runs[0], COUNTER_MAX_RSS, NAN);
	judge(&bench, "max_rss");
	const struct test *test = test_of_counter(&bench, "max_rss");

	UNIT_NEED(test);
	CU_ASSERT_EQUAL(test->kind, TEST_GROWTH);
	UNIT_NEAR(test->all->change, 0.1, 1e-9);
	CU_ASSERT_EQUAL(test->all->df, 8);
	CU_ASSERT_PTR_NULL(test->stages[COMPARISON_SCREEN]);
	paired_bench_release(&bench.paired);
}

/* Five pairs that grew by a tenth, and five new ones that grew by a fifth. */
static void
a_counter_is_tested_by_stage(void)
{
	struct bench bench;

	init(&bench, "max_rss", 0.5, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 1e6, 1.1, 0);
	for (size_t i = 5; i < 10; i++) {
		for (int side = 0; side < 2; side++)
			bench.paired.pairs.sides[side].runs[i].stage = COMPARISON_CONFIRM;
		counter_set(&bench.paired.pairs.sides[1].runs[i], COUNTER_MAX_RSS, 1.2e6);
	}
	judge(&bench, "max_rss");
	const struct test *test = test_of_counter(&bench, "max_rss");

	UNIT_NEED(test);
	UNIT_NEED(test->stages[COMPARISON_SCREEN]);
	UNIT_NEED(test->stages[COMPARISON_CONFIRM]);
	UNIT_NEAR(test->stages[COMPARISON_SCREEN]->change, 0.1, 1e-9);
	UNIT_NEAR(test->stages[COMPARISON_CONFIRM]->change, 0.2, 1e-9);
	CU_ASSERT(isnan(test->stages[COMPARISON_SCREEN]->before_share));
	paired_bench_release(&bench.paired);
}

/* One run in ten takes ten times as much, the first as well as any. */
static void
all_runs_count(void)
{
	struct bench bench;

	for (size_t outlier = 0; outlier < 10; outlier += 9) {
		init(&bench, "write_bytes", 0.5, NAN);
		set_counter(&bench, COUNTER_WRITE_BYTES, 1e6, 1, 0);
		counter_set(&bench.paired.pairs.sides[1].runs[outlier], COUNTER_WRITE_BYTES, 10e6);
		const struct finding *finding = judge(&bench, "write_bytes");

		UNIT_NEED(finding);
		UNIT_NEAR(finding->effect.change, 0.9, 1e-9);
		UNIT_NEAR(finding->effect.before_cost, 1e6, 1e-3);
		UNIT_NEAR(finding->effect.after_cost, 1.9e6, 1e-3);
		CU_ASSERT_EQUAL(finding->of, QUANTITY_TOTAL);
		paired_bench_release(&bench.paired);
	}
}

/* The cost of an operation is a count where it repeats; one run of a side may tell that it does
 * not. */
static void
a_cost_per_operation_that_repeats_is_exact(void)
{
	struct bench bench;

	for (int i = 0; i < 4; i++) {
		struct run *run;

		init(&bench, "syscalls_per_op", 0.5, NAN);
		set_counter(&bench, COUNTER_SYSCALLS_PER_OP, 0.125, 1.1, 0);
		run = &bench.paired.pairs.sides[i % 2].runs[0];
		if (i >= 2)
			counter_set(run, COUNTER_SYSCALLS_PER_OP, 0.1);
		const struct finding *finding = judge(&bench, "syscalls_per_op");

		UNIT_NEED(finding);
		CU_ASSERT_EQUAL(effect_is_exact(&finding->effect), i < 2);
		CU_ASSERT_EQUAL(isinf(finding->effect.df) != 0, i < 2);
		paired_bench_release(&bench.paired);
	}
}

static void
the_first_counter_is_one_too(void)
{
	struct bench bench;

	init(&bench, counter_kinds[0].name, 0.05, NAN);
	CU_ASSERT_PTR_NOT_NULL(judge(&bench, counter_kinds[0].name));
	paired_bench_release(&bench.paired);
	init(&bench, "nothing", 0.05, NAN);
	CU_ASSERT_PTR_NULL(judge(&bench, "nothing"));
	paired_bench_release(&bench.paired);
}

static void
hardware_counters_are_judged_from_half_of_the_time_on(void)
{
	static const struct {
		double running;
		const char *told;
		enum status status;
	} cases[] = {
		{0.499, NULL, STATUS_INCONCLUSIVE},
		{0.5,
			"The hardware counter was running for 50.0 % of the time only; the rest is "
			"estimated.",
			STATUS_FAIL},
		{0.899,
			"The hardware counter was running for 89.9 % of the time only; the rest is "
			"estimated.",
			STATUS_FAIL},
		{0.9, NULL, STATUS_FAIL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench bench;

		init(&bench, "instructions", 0.05, NAN);
		set_counter(&bench, COUNTER_INSTRUCTIONS, 1e9, 1.1, 0.001);
		set_counter(&bench, COUNTER_PMU_RUNNING, cases[i].running, 1, 0);
		const struct finding *finding = judge(&bench, "instructions");
		const struct finding *running =
			paired_bench_finding(&bench.paired, "counter", "instructions (running)");

		UNIT_NEED(finding);
		CU_ASSERT_EQUAL(finding->status, cases[i].status);
		CU_ASSERT_EQUAL(running != NULL, cases[i].told != NULL);
		if (running && cases[i].told) {
			CU_ASSERT_EQUAL(running->status, STATUS_WARN);
			UNIT_STR_EQ(running->reason, cases[i].told);
		}
		paired_bench_release(&bench.paired);
	}
}

static void
growth_of_a_counter_is_confirmed_too(void)
{
	static const double factors[SYNTHETIC_MAX] = {1, 1, 1, 1, 1};
	const struct synthetic program = synthetic_program(5);
	struct rng rng = {.state = 3};
	struct bench bench;
	struct judgement *judgement = &bench.paired.judgement;

	init(&bench, "max_rss", 0.05, NAN);
	synthetic_add_pairs(&bench.paired.pairs, &program, 10, 1);
	synthetic_draw_pairs(&bench.paired.pairs, &program, factors, &rng);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.1, 0.005);
	paired_bench_prepare(&bench.paired);
	judgement->input.may_confirm = true;
	judge_gate(&judgement, 1, &bench.paired.overall);
	const struct finding *finding = paired_bench_finding(&bench.paired, "counter", "max_rss");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_FAIL);
	CU_ASSERT(finding->first.tested);
	UNIT_CONTAINS(finding->reason, "Above the 5 % threshold; confirmed by 10 new runs");
	paired_bench_release(&bench.paired);
}

static void
a_baseline_without_the_counter_is_to_be_recorded(void)
{
	struct bench bench;
	struct judgement *judgement = &bench.paired.judgement;

	init(&bench, "max_rss", NAN, NAN);
	bench.limit.threshold.warn = 0.05;
	set_counter(&bench, COUNTER_MAX_RSS, 5e6, 1, 0);
	for (size_t i = 0; i < bench.paired.pairs.sides[0].nruns; i++)
		counter_set(&bench.paired.pairs.sides[0].runs[i], COUNTER_MAX_RSS, NAN);
	paired_bench_prepare(&bench.paired);
	judgement->input.mode = GATE_STORED;
	judgement->input.update_command = "profile_run baseline update parse";
	judge_gate(&judgement, 1, &bench.paired.overall);
	const struct finding *finding = paired_bench_finding(&bench.paired, "counter", "max_rss");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_INCONCLUSIVE);
	UNIT_STR_EQ(finding->reason,
		"The baseline does not have it. Record a new one: 'profile_run baseline update "
		"parse'.");
	/* Without any baseline there is no growth to test. */
	judgement_release(judgement);
	judgement->input.before = NULL;
	judge_gate(&judgement, 1, &bench.paired.overall);
	CU_ASSERT_PTR_NULL(paired_bench_finding(&bench.paired, "counter", "max_rss"));
	paired_bench_release(&bench.paired);
}

static void
runs_that_were_dropped_do_not_tell_how_long_counters_ran(void)
{
	struct bench bench;

	init(&bench, "instructions", 0.05, NAN);
	set_counter(&bench, COUNTER_INSTRUCTIONS, 1e9, 1.1, 0.001);
	set_counter(&bench, COUNTER_PMU_RUNNING, 1, 1, 0);
	counter_set(&bench.paired.pairs.sides[1].runs[9], COUNTER_PMU_RUNNING, 0.6);
	judge(&bench, "instructions");
	CU_ASSERT_PTR_NOT_NULL(
		paired_bench_finding(&bench.paired, "counter", "instructions (running)"));
	profile_drop_runs(&bench.paired.pairs.sides[1], 9);
	judge(&bench, "instructions");
	CU_ASSERT_PTR_NULL(
		paired_bench_finding(&bench.paired, "counter", "instructions (running)"));
	paired_bench_release(&bench.paired);
}

void
suite_gate_counter_values(void)
{
	static const struct unit_case cases[] = {
		{"counters_spread_between_sessions_by_their_kind",
			counters_spread_between_sessions_by_their_kind},
		{"a_limit_is_compared_with_the_mean_of_the_known_runs",
			a_limit_is_compared_with_the_mean_of_the_known_runs},
		{"hardware_counters_are_judged_from_half_of_the_time_on",
			hardware_counters_are_judged_from_half_of_the_time_on},
		{"growth_of_a_counter_is_confirmed_too", growth_of_a_counter_is_confirmed_too},
		{"a_baseline_without_the_counter_is_to_be_recorded",
			a_baseline_without_the_counter_is_to_be_recorded},
		{"growth_is_that_of_the_known_runs", growth_is_that_of_the_known_runs},
		{"a_counter_is_tested_by_stage", a_counter_is_tested_by_stage},
		{"all_runs_count", all_runs_count},
		{"a_cost_per_operation_that_repeats_is_exact",
			a_cost_per_operation_that_repeats_is_exact},
		{"the_first_counter_is_one_too", the_first_counter_is_one_too},
		{"runs_that_were_dropped_do_not_tell_how_long_counters_ran",
			runs_that_were_dropped_do_not_tell_how_long_counters_ran},
		{NULL, NULL},
	};

	unit_suite("gate/counter_values", cases);
}
