/* The whole text of each reason that is not of a growth, and of waivers. */
#include "gate/findings.h"

#include "gate/reason_bench.h"
#include "unit.h"

void suite_gate_reason(void);

static void
a_new_function_is_told_with_its_cost_or_what_its_callers_show(void)
{
	struct reason_bench bench;
	struct effect grown;
	struct test callers;

	reason_bench_init(&bench);
	bench.test.kind = TEST_NEW;
	bench.test.worth = 0.125;
	bench.test.decision.status = STATUS_FAIL;
	reason_bench_expect(&bench,
		"New: equal to 12.5 % of the program before, above the threshold for new functions, "
		"1 %. If it was renamed, record a new baseline.");
	bench.test.worth = 0.005;
	reason_bench_expect(&bench,
		"New: equal to 0.50 % of the program before, below the threshold for new functions, "
		"1 %. If it was renamed, record a new baseline.");
	grown = bench.effect;
	grown.low = 0.17;
	grown.high = 0.23;
	callers = bench.test;
	callers.all = &grown;
	bench.test.evidence.callers = &callers;
	reason_bench_expect(&bench,
		"New; its callers with all they call changed by +20.0 % (CI 17.0 to 23.0), above "
		"the 15 % threshold.");
	bench.test.decision.status = STATUS_WARN;
	reason_bench_expect(&bench,
		"New; its callers with all they call changed by +20.0 % (CI 17.0 to 23.0), not "
		"significantly above the 15 % threshold. If it was renamed, record a new baseline.");
	grown.change = 0.1;
	grown.low = 0.08;
	grown.high = 0.12;
	reason_bench_expect(&bench,
		"New; its callers with all they call changed by +10.0 % (CI 8.0 to 12.0), below "
		"the 15 % threshold. If it was renamed, record a new baseline.");
	bench.test.evidence.was_called = true;
	reason_bench_expect(&bench,
		"Had no cost of its own before; with all it calls it changed by +10.0 % (CI 8.0 to "
		"12.0), below the 15 % threshold.");
	bench.test.evidence.was_called = false;
	bench.test.decision.weakness = WEAKNESS_MOVED;
	reason_bench_expect(&bench, "New; most of its cost was elsewhere before.");
	bench.test.decision.status = STATUS_PASS;
	reason_bench_expect(&bench, "New; its cost was elsewhere before.");
	bench.test.decision.weakness = WEAKNESS_SAME_PROGRAM;
	bench.test.rule = FINDING_NAMED;
	reason_bench_expect(&bench,
		"New: nothing to compare it with. Both sides ran the same program: the difference is "
		"the machine's.");
	reason_bench_release(&bench);
}

static void
a_gone_function_is_told_with_its_share(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	bench.test.kind = TEST_GONE;
	bench.test.worth = 0.031;
	reason_bench_expect(&bench, "Gone: it was 3.1 % of the program before.");
	reason_bench_release(&bench);
}

static void
too_little_to_compare_says_of_what(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	bench.test.kind = TEST_TOO_FEW;
	bench.effect.before_weight = 47;
	bench.effect.after_weight = 12;
	reason_bench_expect(&bench, "Too few samples to compare: 47, at least 50 are needed.");
	bench.test.rule = FINDING_NAMED;
	reason_bench_expect(&bench, "Too few samples to compare.");
	bench.test.rule = FINDING_TOTAL;
	reason_bench_expect(&bench, "No costs on both sides to compare.");
	bench.test.rule = FINDING_COUNTERS;
	reason_bench_expect(&bench, "Too few runs to compare.");
	bench.test.kind = TEST_NEGLIGIBLE;
	reason_bench_expect(&bench, "It has almost none of the program's cost.");
	reason_bench_release(&bench);
}

static void
a_share_is_told_with_its_budget(void)
{
	struct reason_bench bench;
	struct budget *budget = &bench.test.budget;

	reason_bench_init(&bench);
	bench.test.kind = TEST_SHARE_BUDGET;
	*budget = (struct budget){.value = 0.12, .least = 0.11, .limit = 0.1};
	reason_bench_expect(&bench, "12.0 % of the program now, above its budget of 10 %.");
	budget->least = 0.1;
	reason_bench_expect(&bench,
		"12.0 % of the program now, above its budget of 10 %, but not significantly above it.");
	budget->value = 0.1;
	reason_bench_expect(&bench, "10.0 % of the program now, within its budget of 10 %.");
	budget->value = NAN;
	reason_bench_expect(&bench, "No samples, so no share.");
	reason_bench_release(&bench);
}

static void
a_cost_is_told_with_its_budget(void)
{
	struct reason_bench bench;
	struct budget *budget = &bench.test.budget;

	reason_bench_init(&bench);
	bench.test.kind = TEST_COST_BUDGET;
	*budget = (struct budget){.value = 12e6, .least = 11e6, .limit = 10e6};
	reason_bench_expect(&bench, "Costs 12.0 ms per run, above its budget of 10.0 ms.");
	budget->least = 10e6;
	reason_bench_expect(&bench,
		"Costs 12.0 ms per run, above its budget of 10.0 ms, but not significantly above "
		"it.");
	budget->value = 10e6;
	reason_bench_expect(&bench, "Costs 10.0 ms per run, within its budget of 10.0 ms.");
	budget->value = NAN;
	reason_bench_expect(&bench, "The cost of the runs is not known.");
	reason_bench_release(&bench);
}

static void
a_counter_is_told_with_its_limit(void)
{
	struct reason_bench bench;
	struct budget *budget = &bench.test.budget;

	reason_bench_init(&bench);
	bench.test.kind = TEST_COST_BUDGET;
	bench.test.counter = &counter_kinds[COUNTER_MINOR_FAULTS];
	*budget = (struct budget){.value = 1200, .least = 1100, .limit = 1000};
	reason_bench_expect(&bench, "1,200 per run, above its limit of 1,000.");
	budget->least = 1000;
	reason_bench_expect(
		&bench, "1,200 per run, above its limit of 1,000, but not significantly above it.");
	budget->value = 1000;
	reason_bench_expect(&bench, "1,000 per run, within its limit of 1,000.");
	/* A latency is the cost of nothing. */
	bench.test.counter = &counter_kinds[COUNTER_LATENCY_P50];
	budget->value = 999;
	reason_bench_expect(&bench, "999 ns, within its limit of 1.00 us.");
	reason_bench_release(&bench);
}

static void
a_waiver_that_does_not_accept_is_told_too(void)
{
	static const struct waiver waiver = {
		.owner = "ann", .last_day = "2026-12-31", .max_effect = 0.5, .reason = "checks"};
	struct reason_bench bench;

	reason_bench_init(&bench);
	reason_bench_decide(&bench, STATUS_FAIL);
	bench.test.evidence.waiver = &waiver;
	bench.test.evidence.waiver_use = WAIVER_EXPIRED;
	reason_bench_expect(
		&bench, "Above the 15 % threshold. The waiver of ann expired on 2026-12-31.");
	bench.test.evidence.waiver_use = WAIVER_EXCEEDED;
	reason_bench_expect(
		&bench, "Above the 15 % threshold. The waiver of ann accepts up to 50 %.");
	reason_bench_release(&bench);
}

void
suite_gate_reason(void)
{
	static const struct unit_case cases[] = {
		{"a_new_function_is_told_with_its_cost_or_what_its_callers_show",
			a_new_function_is_told_with_its_cost_or_what_its_callers_show},
		{"a_gone_function_is_told_with_its_share", a_gone_function_is_told_with_its_share},
		{"too_little_to_compare_says_of_what", too_little_to_compare_says_of_what},
		{"a_share_is_told_with_its_budget", a_share_is_told_with_its_budget},
		{"a_cost_is_told_with_its_budget", a_cost_is_told_with_its_budget},
		{"a_counter_is_told_with_its_limit", a_counter_is_told_with_its_limit},
		{"a_waiver_that_does_not_accept_is_told_too",
			a_waiver_that_does_not_accept_is_told_too},
		{NULL, NULL},
	};

	unit_suite("gate/reason", cases);
}
