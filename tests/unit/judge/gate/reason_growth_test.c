/* The whole text of each reason that a growth may have, without the second sentence. */
#include "gate/findings.h"

#include "gate/reason_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_reason_growth(void);

static void
a_threshold_that_the_floor_raised_says_so(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	reason_bench_decide(&bench, STATUS_FAIL);
	reason_bench_expect(&bench, "Above the 15 % threshold.");
	/* 1 % of the program is 40 % of a function that is 2.5 % of it. */
	bench.effect.before_share = 0.025;
	bench.test.limits.asked = bench.test.limits.fail_at = 0.4;
	reason_bench_expect(&bench,
		"Above the 40 % threshold (15 %, raised because 1 % of the program is the floor).");
	bench.finding.frame = 0;
	reason_bench_expect(&bench,
		"Above the 40 % threshold (15 %, raised because 1 % of the program is the floor).");
	/* 15 ms is half of 30 ms, as 1 % is of 2 %. */
	bench.policy.min_cost = 15e6;
	bench.effect.before_share = 0.02;
	bench.test.limits.asked = bench.test.limits.fail_at = 0.5;
	reason_bench_expect(&bench,
		"Above the 50 % threshold (15 %, raised because 1 % of the program is the floor).");
	bench.effect.before_share = 0.025;
	reason_bench_expect(&bench,
		"Above the 50 % threshold (15 %, raised because 15.0 ms per run is the least cost).");
	reason_bench_release(&bench);
}

static void
a_rule_a_counter_and_the_program_have_their_own_threshold(void)
{
	const struct gate_rule_spec rule = {
		.kind = RULE_FUNCTION, .pattern = "f*", .threshold = {.warn = 0.2, .fail = NAN}};
	const struct counter_limit counters[] = {
		{.name = "page_faults", .threshold = {.warn = NAN, .fail = 0.01}},
		{.name = "max_rss", .threshold = {.warn = NAN, .fail = 0.3}},
	};
	struct reason_bench bench;

	reason_bench_init(&bench);
	bench.effect.before_share = 0.025;
	bench.policy.counters = counters;
	bench.policy.ncounters = 2;
	bench.test.rule = FINDING_TOTAL;
	bench.test.limits.asked = 0.2;
	reason_bench_expect(&bench, "Below the 20 % threshold: at most 17.5 % slower.");
	/* A count that is the same in every run: 120 of what was 100. */
	const struct effect sampled = bench.effect;

	bench.effect.tested = true;
	bench.effect.standard_error = 0;
	bench.effect.change = bench.effect.low = bench.effect.high = expm1(log(120.0 / 100));
	reason_bench_expect(&bench, "At the 20 % threshold, not above it.");
	bench.effect.change = bench.effect.low = bench.effect.high = 0.2001;
	reason_bench_expect(&bench, "Below the 20 % threshold.");
	bench.effect = sampled;
	bench.test.rule = FINDING_COUNTERS;
	bench.finding.counter = &counter_kinds[COUNTER_MAX_RSS];
	bench.test.limits.asked = 0.3;
	reason_bench_expect(&bench, "Below the 30 % threshold: at most 17.5 % more.");
	/* One that only warns, raised by the floor. */
	bench.test.rule = FINDING_NAMED;
	bench.finding.counter = NULL;
	bench.finding.named = &rule;
	bench.test.limits = (struct limits){.asked = 0.4, .warn_at = 0.4, .fail_at = NAN};
	reason_bench_expect(&bench,
		"Below the 40 % threshold (20 %, raised because 1 % of the program is the floor): at most "
		"17.5 % slower.");
	bench.test.limits = (struct limits){NAN, NAN, NAN};
	reason_bench_expect(&bench, "No threshold is set.");
	reason_bench_release(&bench);
}

/* For new runs, after +30 % in the first ones. */
static void
set_fresh_runs(struct reason_bench *bench, double change, double p)
{
	bench->judgement.criteria.two_stages = true;
	bench->test.flagged = true;
	bench->finding.first = bench->effect;
	bench->finding.first.change = 0.3;
	bench->effect.change = change;
	bench->effect.p_adjusted = p;
}

static void
fresh_runs_are_told_with_the_first_ones(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	set_fresh_runs(&bench, 0.2, 0.01);
	reason_bench_decide(&bench, STATUS_FAIL);
	reason_bench_expect(&bench,
		"Above the 15 % threshold; confirmed by 10 new runs (first runs: +30.0 %).");
	set_fresh_runs(&bench, 0.2, 0.06);
	reason_bench_decide(&bench, STATUS_INCONCLUSIVE);
	reason_bench_expect(&bench,
		"Not confirmed: +30.0 % in the first runs, not significant in 10 new runs; measure both builds here (--against HEAD~1).");
	set_fresh_runs(&bench, 0.16, 0.05);
	reason_bench_decide(&bench, STATUS_WARN);
	reason_bench_expect(
		&bench, "Estimate above the 15 % threshold, but its confidence interval is not.");
	/* A growth must be above the threshold to fail. */
	set_fresh_runs(&bench, 0.15, 0.01);
	reason_bench_expect(&bench,
		"Not confirmed: +30.0 % in the first runs, in 10 new runs below the 15 % "
		"threshold.");
	set_fresh_runs(&bench, 0.01, 0.01);
	bench.judgement.criteria.runs_fresh = 1;
	reason_bench_decide(&bench, STATUS_PASS);
	reason_bench_expect(&bench,
		"Not confirmed: +30.0 % in the first runs, in 1 new run below the 15 % "
		"threshold.");
	reason_bench_release(&bench);
}

static void
without_fresh_runs_nothing_is_confirmed(void)
{
	const struct waiver waiver = {
		.owner = "ann", .last_day = "2026-12-31", .max_effect = 0.5, .reason = "checks"};
	struct reason_bench bench;

	reason_bench_init(&bench);
	bench.judgement.criteria.two_stages = true;
	bench.test.flagged = true;
	bench.test.decision.unconfirmed = true;
	reason_bench_decide(&bench, STATUS_INCONCLUSIVE);
	reason_bench_expect(&bench,
		"Undecided: above the 15 % threshold, but no time was left to confirm it; allow more time (--budget 30m).");
	bench.test.decision.weakness = WEAKNESS_MOVED;
	reason_bench_decide(&bench, STATUS_WARN);
	reason_bench_expect(&bench,
		"Above the 15 % threshold. Only a warning: its cost moved here from elsewhere in the "
		"program.");
	/* There was time, but no reason to take any. */
	bench.test.decision.weakness = WEAKNESS_NONE;
	bench.test.evidence.waiver = &waiver;
	bench.test.evidence.waiver_use = WAIVER_ACCEPTS;
	reason_bench_decide(&bench, STATUS_INCONCLUSIVE);
	reason_bench_expect(&bench,
		"Above the 15 % threshold. Accepted by ann until 2026-12-31, up to 50 %: checks.");
	reason_bench_release(&bench);
}

static void
a_warning_says_why_it_does_not_fail(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	reason_bench_decide(&bench, STATUS_WARN);
	bench.effect.change = 0.149;
	reason_bench_expect(&bench, "Above the 8 % warning threshold.");
	bench.effect.change = 0.15;
	reason_bench_expect(&bench, "Above the 8 % warning threshold.");
	bench.effect.change = 0.151;
	reason_bench_expect(
		&bench, "Estimate above the 15 % threshold, but its confidence interval is not.");
	bench.effect.spread = 0.05;
	reason_bench_expect(&bench,
		"Estimate above the 15 % threshold, but its confidence interval, with the spread "
		"between sessions (SD 5.0 %), is not.");
	/* In one stage a flag says no more than that. */
	bench.test.flagged = true;
	reason_bench_expect(&bench,
		"Estimate above the 15 % threshold, but its confidence interval, with the spread "
		"between sessions (SD 5.0 %), is not.");
	bench.test.flagged = false;
	bench.judgement.criteria.two_stages = true;
	reason_bench_expect(&bench,
		"Above the 15 % threshold in all runs together, but not in the first runs alone.");
	/* A rule that only warns. */
	bench.test.limits.fail_at = NAN;
	reason_bench_expect(&bench, "Above the 8 % warning threshold.");
	reason_bench_release(&bench);
}

#define COARSE "Too coarse for the 15 % threshold: it may be up to 17.5 % slower; "

static void
an_undecided_growth_is_told_with_its_numbers(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	reason_bench_decide(&bench, STATUS_INCONCLUSIVE);
	bench.test.decision.more_runs = 12;
	bench.effect.change = 0.15;
	bench.effect.p = 0.05;
	reason_bench_expect(&bench,
		"Undecided: estimate above the 15 % threshold, but not significant after correction "
		"for 20 tests; take about 12 more runs.");
	UNIT_STR_EQ(reason_brief(&bench.judgement, &bench.test, &bench.finding),
		"not significant (threshold 15 %); take about 12 more runs");
	bench.effect.p = 0.051;
	reason_bench_expect(&bench,
		"Undecided: estimate above the 15 % threshold, but not significant; take about 12 "
		"more runs.");
	bench.effect.change = 0.149;
	bench.effect.p = 0.01;
	reason_bench_expect(&bench, COARSE "take about 12 more runs.");
	bench.test.decision.more_runs = 2;
	reason_bench_expect(&bench, COARSE "take about 2 more runs.");
	bench.test.decision.more_runs = 1;
	reason_bench_expect(&bench, COARSE "take about 1 more run.");
	reason_bench_release(&bench);
}

static void
instructions_that_decide_are_told_with_what_time_could_detect(void)
{
	struct reason_bench bench;

	reason_bench_init(&bench);
	bench.judgement.input.mode = GATE_PAIRED;
	bench.test.decision.by_instructions = true;
	reason_bench_decide(&bench, STATUS_FAIL);
	reason_bench_expect(&bench,
		"Time cannot decide it (detectable only from 9.1 %); its instructions are above the "
		"15 % threshold.");
	reason_bench_decide(&bench, STATUS_WARN);
	reason_bench_expect(&bench,
		"Time cannot decide it (detectable only from 9.1 %); its instructions are above the "
		"8 % warning threshold.");
	reason_bench_decide(&bench, STATUS_PASS);
	bench.effect.detectable = INFINITY;
	reason_bench_expect(
		&bench, "Time cannot decide it; the same code executes as many instructions.");
	/* In one stage, and after new runs, a flag is decided by time alone. */
	bench.test.flagged = true;
	reason_bench_expect(
		&bench, "Time cannot decide it; the same code executes as many instructions.");
	bench.judgement.criteria.two_stages = true;
	bench.test.stages[COMPARISON_CONFIRM] = &bench.effect;
	reason_bench_expect(
		&bench, "Time cannot decide it; the same code executes as many instructions.");
	bench.test.stages[COMPARISON_CONFIRM] = NULL;
	reason_bench_decide(&bench, STATUS_FAIL);
	reason_bench_expect(&bench, "Above the 15 % threshold; confirmed by its instructions.");
	bench.judgement.input.mode = GATE_STORED;
	reason_bench_expect(&bench,
		"Above the 15 % threshold; confirmed by its instructions, compared with stored "
		"counts.");
	reason_bench_release(&bench);
}

void
suite_gate_reason_growth(void)
{
	static const struct unit_case cases[] = {
		{"a_threshold_that_the_floor_raised_says_so",
			a_threshold_that_the_floor_raised_says_so},
		{"a_rule_a_counter_and_the_program_have_their_own_threshold",
			a_rule_a_counter_and_the_program_have_their_own_threshold},
		{"fresh_runs_are_told_with_the_first_ones",
			fresh_runs_are_told_with_the_first_ones},
		{"without_fresh_runs_nothing_is_confirmed",
			without_fresh_runs_nothing_is_confirmed},
		{"a_warning_says_why_it_does_not_fail", a_warning_says_why_it_does_not_fail},
		{"an_undecided_growth_is_told_with_its_numbers",
			an_undecided_growth_is_told_with_its_numbers},
		{"instructions_that_decide_are_told_with_what_time_could_detect",
			instructions_that_decide_are_told_with_what_time_could_detect},
		{NULL, NULL},
	};

	unit_suite("gate/reason_growth", cases);
}
