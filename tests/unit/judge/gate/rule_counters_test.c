#include "gate/counter_bench.h"

#include <math.h>

void suite_gate_rule_counters(void);

static void
expect(struct bench *bench, const char *subject, enum status status, const char *reason)
{
	const struct finding *finding = judge(bench, subject);

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, status);
	UNIT_CONTAINS(finding->reason, reason);
	paired_bench_release(&bench->paired);
}

static void
memory_that_grew_beyond_its_threshold_fails(void)
{
	struct bench bench;

	init(&bench, "max_rss", 0.05, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.1, 0.005);
	const struct finding *finding = judge(&bench, "max_rss");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_FAIL);
	UNIT_NEAR(finding->effect.change, 0.1, 0.01);
	UNIT_NEAR(finding->effect.after_cost, 55e6, 1e6);
	UNIT_CONTAINS(finding->reason, "Above the 5 % threshold");
	paired_bench_release(&bench.paired);
	init(&bench, "max_rss", 0.05, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.01, 0.005);
	expect(&bench, "max_rss", STATUS_PASS, "Below the 5 % threshold");
}

static void
growth_that_runs_cannot_show_is_undecided(void)
{
	struct bench bench;

	init(&bench, "page_faults", 0.05, NAN);
	set_counter(&bench, COUNTER_MINOR_FAULTS, 1000, 1, 0.3);
	set_counter(&bench, COUNTER_MAJOR_FAULTS, 0, 1, 0);
	expect(&bench, "page_faults", STATUS_WARN, "Too coarse");
}

/* One byte of a million, the same in all runs. */
static void
any_growth_of_what_is_exact_is_certain(void)
{
	struct bench bench;

	init(&bench, "write_bytes", 5e-7, NAN);
	set_counter(&bench, COUNTER_WRITE_BYTES, 1e6, 1.000001, 0);
	expect(&bench, "write_bytes", STATUS_FAIL, "Above the ");
	init(&bench, "write_bytes", 5e-7, NAN);
	set_counter(&bench, COUNTER_WRITE_BYTES, 1e6, 1, 0);
	expect(&bench, "write_bytes", STATUS_PASS, "Below the ");
	/* From nothing: more than any percentage. */
	init(&bench, "write_bytes", 0.5, NAN);
	set_counter(&bench, COUNTER_WRITE_BYTES, 0, 1, 0);
	for (size_t i = 0; i < bench.paired.pairs.sides[1].nruns; i++)
		counter_set(&bench.paired.pairs.sides[1].runs[i], COUNTER_WRITE_BYTES, 100);
	expect(&bench, "write_bytes", STATUS_FAIL, "Above the 50 % threshold");
}

static void
a_limit_needs_the_candidate_alone(void)
{
	struct bench bench;

	init(&bench, "max_rss", NAN, 52e6);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.1, 0.002);
	expect(&bench, "max_rss (limit)", STATUS_FAIL, "per run, above its limit of 49.6 MiB.");
	init(&bench, "max_rss", NAN, 54.9e6);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.1, 0.1);
	expect(&bench, "max_rss (limit)", STATUS_WARN, "but not significantly above it");
	init(&bench, "max_rss", NAN, 60e6);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.1, 0.002);
	expect(&bench, "max_rss (limit)", STATUS_PASS, "within its limit");
}

static void
unknown_counters_do_not_pass(void)
{
	struct bench bench;

	init(&bench, "cycles", 0.05, NAN);
	expect(&bench, "cycles", STATUS_INCONCLUSIVE, "offers no hardware counters");
	init(&bench, "max_rss", 0.05, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 5e6, 1, 0);
	for (size_t i = 0; i < bench.paired.pairs.sides[0].nruns; i++)
		counter_set(&bench.paired.pairs.sides[0].runs[i], COUNTER_MAX_RSS, NAN);
	expect(&bench, "max_rss", STATUS_INCONCLUSIVE, "The runs before do not have it.");
	/* One of them is too few, but they have it. */
	init(&bench, "max_rss", 0.05, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 5e6, 1, 0);
	for (size_t i = 1; i < bench.paired.pairs.sides[0].nruns; i++)
		counter_set(&bench.paired.pairs.sides[0].runs[i], COUNTER_MAX_RSS, NAN);
	expect(&bench, "max_rss", STATUS_WARN, "Too few runs to compare.");
	/* A limit of all workloads is for those that have it. */
	init(&bench, "max_rss", 0.05, NAN);
	bench.limit.file = "config/profile_run.yaml";
	CU_ASSERT_PTR_NULL(judge(&bench, "max_rss"));
	paired_bench_release(&bench.paired);
}

static void
values_that_a_driver_does_not_report_are_unknown(void)
{
	struct bench bench;

	init(&bench, "latency_p99", 0.05, NAN);
	expect(&bench, "latency_p99", STATUS_INCONCLUSIVE, "does not report it");
	init(&bench, "latency_p99", 0.05, NAN);
	bench.paired.workload.capture.metric = "alloc";
	expect(&bench, "latency_p99", STATUS_INCONCLUSIVE, "counting slows operations down");
	init(&bench, "cpu_per_op", 0.05, NAN);
	expect(&bench, "cpu_per_op", STATUS_INCONCLUSIVE,
		"the number of operations was not reported");
}

/* Less than one call, exact where runs agree and by their spread where not. */
static void
a_cost_per_operation_is_judged_by_how_it_spreads(void)
{
	struct bench bench;

	init(&bench, "syscalls_per_op", 1e-4, NAN);
	set_counter(&bench, COUNTER_SYSCALLS_PER_OP, 0.125, 1.0005, 0);
	expect(&bench, "syscalls_per_op", STATUS_FAIL, "Above the ");
	init(&bench, "syscalls_per_op", 0.05, NAN);
	set_counter(&bench, COUNTER_SYSCALLS_PER_OP, 0.125, 1.1, 0.02);
	const struct finding *finding = judge(&bench, "syscalls_per_op");

	UNIT_NEED(finding);
	CU_ASSERT_EQUAL(finding->status, STATUS_FAIL);
	UNIT_NEAR(finding->effect.after_cost, 0.1375, 0.001);
	/* The t test of ten pairs; by the spread of single runs it would be twice that. */
	CU_ASSERT(finding->effect.detectable < 0.1);
	paired_bench_release(&bench.paired);
	init(&bench, "alloc_per_op", NAN, 1000);
	set_counter(&bench, COUNTER_ALLOC_PER_OP, 500, 1, 0);
	expect(&bench, "alloc_per_op (limit)", STATUS_PASS,
		"500 B per operation, within its limit of 1,000 B.");
	init(&bench, "latency_p99", NAN, 1e6);
	set_counter(&bench, COUNTER_LATENCY_P99, 2e6, 1, 0);
	expect(&bench, "latency_p99 (limit)", STATUS_FAIL, "2.00 ms, above its limit of 1.00 ms.");
}

static void
hardware_counters_that_hardly_ran_are_not_judged(void)
{
	static const struct {
		double running;
		enum status status;
	} cases[] = {{0.4, STATUS_INCONCLUSIVE}, {0.8, STATUS_FAIL}, {1, STATUS_FAIL}};

	for (size_t i = 0; i < 3; i++) {
		struct bench bench;

		init(&bench, "instructions", 0.05, NAN);
		set_counter(&bench, COUNTER_INSTRUCTIONS, 1e9, 1.1, 0.001);
		set_counter(&bench, COUNTER_PMU_RUNNING, cases[i].running, 1, 0);
		const struct finding *finding = judge(&bench, "instructions");

		UNIT_NEED(finding);
		CU_ASSERT_EQUAL(finding->status, cases[i].status);
		CU_ASSERT_EQUAL(paired_bench_finding(
					&bench.paired, "counter", "instructions (running)") != NULL,
			i == 1);
		paired_bench_release(&bench.paired);
	}
}

/* The first run as well as any. */
static void
one_run_whose_counters_hardly_ran_is_told(void)
{
	struct bench bench;

	init(&bench, "instructions", 0.05, NAN);
	set_counter(&bench, COUNTER_INSTRUCTIONS, 1e9, 1.1, 0.001);
	set_counter(&bench, COUNTER_PMU_RUNNING, 1, 1, 0);
	counter_set(&bench.paired.pairs.sides[1].runs[0], COUNTER_PMU_RUNNING, 0.8);
	CU_ASSERT_PTR_NOT_NULL(judge(&bench, "instructions (running)"));
	paired_bench_release(&bench.paired);
}

static void
a_waiver_accepts_a_counter(void)
{
	struct bench bench;
	const struct waiver waiver = {
		.pattern = "max_*",
		.workload = "*",
		.reason = "a larger cache",
		.owner = "someone@example.org",
		.max_effect = 0.2,
		.expires = 1,
		.kind = RULE_COUNTER,
		.last_day = "2099-12-31",
	};

	init(&bench, "max_rss", 0.05, NAN);
	set_counter(&bench, COUNTER_MAX_RSS, 50e6, 1.1, 0.005);
	bench.paired.policy.waivers_list = &waiver;
	bench.paired.policy.nwaivers = 1;
	expect(&bench, "max_rss", STATUS_PASS, "Accepted by someone@example.org");
}

void
suite_gate_rule_counters(void)
{
	static const struct unit_case cases[] = {
		{"memory_that_grew_beyond_its_threshold_fails",
			memory_that_grew_beyond_its_threshold_fails},
		{"growth_that_runs_cannot_show_is_undecided",
			growth_that_runs_cannot_show_is_undecided},
		{"any_growth_of_what_is_exact_is_certain", any_growth_of_what_is_exact_is_certain},
		{"a_limit_needs_the_candidate_alone", a_limit_needs_the_candidate_alone},
		{"unknown_counters_do_not_pass", unknown_counters_do_not_pass},
		{"values_that_a_driver_does_not_report_are_unknown",
			values_that_a_driver_does_not_report_are_unknown},
		{"a_cost_per_operation_is_judged_by_how_it_spreads",
			a_cost_per_operation_is_judged_by_how_it_spreads},
		{"hardware_counters_that_hardly_ran_are_not_judged",
			hardware_counters_that_hardly_ran_are_not_judged},
		{"one_run_whose_counters_hardly_ran_is_told",
			one_run_whose_counters_hardly_ran_is_told},
		{"a_waiver_accepts_a_counter", a_waiver_accepts_a_counter},
		{NULL, NULL},
	};

	unit_suite("gate/rule_counters", cases);
}
