#include "gate/more_runs.h"

#include "compare/model.h"
#include "unit.h"

#include <math.h>

void suite_gate_more_runs(void);

/* What there is after `first` runs, and `fresh` ones, all that were wanted. */
static struct run_plan
after(unsigned first, unsigned fresh)
{
	return (struct run_plan){.wanted = {first, fresh}, .taken = {first, fresh}, .most = 30};
}

/* A part of the program that these more runs would decide. */
static struct finding
undecided(const char *name, double share, double more)
{
	struct finding finding = finding_of(FINDING_FUNCTIONS, name);

	finding.status = STATUS_INCONCLUSIVE;
	finding.more_runs = more;
	finding.effect.before_share = share;
	return finding;
}

/* After `taken` runs, of a change that repeats in each where `error` is 0. */
static struct run_request
confirmation(unsigned taken, double change, double error)
{
	struct finding finding = undecided("f", 0.1, NAN);
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
	const struct run_plan plan = after(taken, 0);
	struct run_request request;

	finding.unconfirmed = true;
	finding.fail_at = 0.03;
	finding.effect.tested = true;
	finding.effect.change = finding.effect.low = finding.effect.high = change;
	finding.effect.standard_error = error;
	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
	return request;
}

static unsigned
to_confirm(double change, double error)
{
	return confirmation(10, change, error).runs;
}

static void
a_close_call_is_confirmed_by_more_runs(void)
{
	CU_ASSERT_EQUAL(to_confirm(0.12, 0.01), 10);
	/* 0.8 ln 1.07 - ln 1.03 is 0.0246: (0.04 / 0.0246) squared is 2.65. */
	CU_ASSERT_EQUAL(to_confirm(0.07, 0.02), 27);
	CU_ASSERT_EQUAL(to_confirm(0.05, 0.02), 30);
	/* A fifth less would be below the threshold. */
	CU_ASSERT_EQUAL(to_confirm(0.035, 0.001), 30);
}

/* However near the threshold it is: there is no error that more runs would make smaller. */
static void
counts_are_confirmed_by_as_many_runs(void)
{
	const struct run_request request = confirmation(2, 0.0301, 0);

	CU_ASSERT_EQUAL(request.runs, 2);
	CU_ASSERT_EQUAL(request.least, 2);
}

static unsigned
to_decide(double more, unsigned wanted, unsigned taken)
{
	struct finding finding = undecided("f", 0.1, more);
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
	struct run_plan plan = after(wanted, 0);
	struct run_request request;

	plan.taken[COMPARISON_SCREEN] = taken;
	more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request);
	return request.runs;
}

static void
an_undecided_test_gets_the_runs_it_needs_up_to_a_limit(void)
{
	CU_ASSERT_EQUAL(to_decide(NAN, 10, 10), 0);
	CU_ASSERT_EQUAL(to_decide(0, 10, 10), 0);
	CU_ASSERT_EQUAL(to_decide(INFINITY, 10, 10), 0);
	CU_ASSERT_EQUAL(to_decide(1, 10, 10), 3);
	CU_ASSERT_EQUAL(to_decide(6, 10, 10), 6);
	CU_ASSERT_EQUAL(to_decide(15, 10, 10), 10);
	CU_ASSERT_EQUAL(to_decide(15, 20, 20), 10);
	CU_ASSERT_EQUAL(to_decide(80, 10, 10), 10);
	/* Far more than may be added. */
	CU_ASSERT_EQUAL(to_decide(81, 10, 10), 0);
	CU_ASSERT_EQUAL(to_decide(5, 30, 30), 0);
	/* Time or luck ran out before. */
	CU_ASSERT_EQUAL(to_decide(5, 12, 10), 0);
}

/* As two that differ: what they would need is not known, and a few more may agree. */
static void
few_runs_do_not_tell_how_many_are_needed(void)
{
	CU_ASSERT_EQUAL(to_decide(INFINITY, 2, 2), 2);
	CU_ASSERT_EQUAL(to_decide(1e6, 4, 4), 4);
	CU_ASSERT_EQUAL(to_decide(INFINITY, 8, 8), 0);
	CU_ASSERT_EQUAL(to_decide(NAN, 2, 2), 0);
}

static unsigned
to_confirm_again(double more, unsigned wanted, unsigned taken)
{
	struct finding findings[] = {undecided("f", 0.1, more), undecided("g", 0.5, 5)};
	const struct verdict verdict = {.findings = findings, .nfindings = 2, .nall = 2};
	struct run_plan plan = after(10, wanted);
	struct run_request request;

	findings[0].first.tested = true;
	plan.taken[COMPARISON_CONFIRM] = taken;
	more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request);
	return request.runs;
}

static void
undecided_after_new_runs_takes_all_allowed_runs(void)
{
	CU_ASSERT_EQUAL(to_confirm_again(NAN, 12, 12), 0);
	CU_ASSERT_EQUAL(to_confirm_again(3, 12, 12), 18);
	CU_ASSERT_EQUAL(to_confirm_again(3, 30, 30), 0);
	CU_ASSERT_EQUAL(to_confirm_again(73, 12, 12), 0);
	CU_ASSERT_EQUAL(to_confirm_again(3, 12, 11), 0);
}

static void
nothing_is_confirmed_that_would_not_fail(void)
{
	struct finding finding = undecided("f", 0.1, 5);
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
	const struct run_plan plan = after(10, 0);
	struct run_request request;

	CU_ASSERT_FALSE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
}

static void
more_runs_are_for_the_largest_part_that_they_can_decide(void)
{
	struct finding findings[] = {undecided("small", 0.02, 4), undecided("large", 0.4, 7),
		undecided("hopeless", 1, 100)};
	const struct verdict verdict = {.findings = findings, .nfindings = 3, .nall = 3};
	const struct run_plan plan = after(10, 0);
	struct run_request request;

	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request));
	CU_ASSERT_PTR_EQUAL(request.finding, &findings[1]);
	CU_ASSERT_EQUAL(request.nfindings, 2);
	CU_ASSERT_EQUAL(request.runs, 7);
	CU_ASSERT_EQUAL(request.share, 0.4);
}

static void
a_failing_workload_needs_no_more_runs(void)
{
	struct finding findings[] = {undecided("slow", 0.3, NAN), undecided("f", 0.4, 7)};
	const struct verdict verdict = {.findings = findings, .nfindings = 2, .nall = 2};
	const struct run_plan plan = after(10, 10);
	struct run_request request;

	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request));
	findings[0].status = STATUS_FAIL;
	CU_ASSERT_FALSE(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request));
	findings[1].first.tested = true;
	CU_ASSERT_FALSE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
}

/* Once one finding fails, no look is waited for and no run taken for what else is suspected. */
static void
a_decided_workload_gets_no_further_look(void)
{
	struct finding findings[] = {undecided("slow", 0.3, 4), undecided("suspected", 0.4, 7)};
	const struct verdict verdict = {.findings = findings, .nfindings = 2, .nall = 2};
	const struct gate_policy policy = {.self_check = POLICY_PASS};
	struct run_plan plan = {.wanted = {10}, .most = 30};
	struct run_request request;

	run_plan_use_looks(&plan, &policy);
	plan.taken[COMPARISON_SCREEN] = plan.wanted[COMPARISON_SCREEN];
	looks_add(&plan.looks, 5, INFINITY);
	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request));
	CU_ASSERT_EQUAL(request.runs, 3);
	CU_ASSERT_TRUE(run_plan_is_open(&plan, &verdict));
	findings[0].status = STATUS_FAIL;
	CU_ASSERT_FALSE(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request));
	CU_ASSERT_FALSE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
	CU_ASSERT_FALSE(run_plan_is_open(&plan, &verdict));
}

static void
the_first_look_waits_for_the_self_check(void)
{
	const struct gate_policy checked = {.self_check = POLICY_WARN};
	struct run_plan plan = {.wanted = {10}, .most = 30};

	run_plan_use_looks(&plan, &checked);
	CU_ASSERT_EQUAL(plan.wanted[COMPARISON_SCREEN], 6);
	plan = (struct run_plan){.wanted = {4}, .most = 4};
	run_plan_use_looks(&plan, &checked);
	CU_ASSERT_EQUAL(plan.wanted[COMPARISON_SCREEN], 3);
}

/* After 12 of at most 30 pairs. */
static struct run_plan
after_twelve_pairs(void)
{
	struct run_plan plan = after(12, 0);

	plan.by_looks = true;
	plan.looks.most = plan.most;
	looks_add(&plan.looks, 12, INFINITY);
	return plan;
}

static void
looks_stop_where_no_number_of_pairs_decides(void)
{
	static const struct {
		double more;
		enum status status;
		bool stops;
	} cases[] = {
		{6, STATUS_INCONCLUSIVE, false},
		{100, STATUS_INCONCLUSIVE, true},
		{INFINITY, STATUS_INCONCLUSIVE, true},
		{100, STATUS_FAIL, false},
		{NAN, STATUS_PASS, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct finding finding = undecided("f", 0.1, cases[i].more);
		struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
		struct run_plan plan = after_twelve_pairs();

		finding.status = verdict.status = cases[i].status;
		CU_ASSERT_EQUAL(run_plan_stop(&plan, &verdict), cases[i].stops);
		CU_ASSERT_EQUAL(plan.looks.stopped, cases[i].stops);
		CU_ASSERT_FALSE(plan.looks.last);
		CU_ASSERT_FALSE(run_plan_stop(&plan, &verdict));
		if (cases[i].stops)
			CU_ASSERT_FALSE(run_plan_is_open(&plan, &verdict));
	}
}

static void
pairs_that_more_would_decide_can_be_ended(void)
{
	struct finding finding = undecided("f", 0.1, 6);
	const struct verdict verdict = {
		.findings = &finding, .nfindings = 1, .nall = 1, .status = STATUS_INCONCLUSIVE};
	struct run_plan plan = after_twelve_pairs();

	CU_ASSERT_TRUE(run_plan_end(&plan, &verdict));
	CU_ASSERT_TRUE(plan.looks.last);
	CU_ASSERT_FALSE(plan.looks.stopped);
	/* Runs in two stages have no last look, and what was stopped has ended. */
	plan = after_twelve_pairs();
	plan.by_looks = false;
	CU_ASSERT_FALSE(run_plan_end(&plan, &verdict));
	CU_ASSERT_FALSE(plan.looks.last);
	plan = after_twelve_pairs();
	plan.looks.stopped = true;
	CU_ASSERT_FALSE(run_plan_end(&plan, &verdict));
}

static void
set_error(struct effect *effect, double error)
{
	effect->standard_error = error;
	effect->df = INFINITY;
	effect->alpha = 0.05;
	effect->detectable = model_detectable(0, error, INFINITY, 0.05 / 20);
}

/* Stopped for counting, which did not decide it. */
static void
stopped_pairs_go_on_where_they_have_a_chance(void)
{
	static const struct {
		double change;
		enum status status;
		bool goes_on;
	} cases[] = {
		{0.06, STATUS_WARN, true},
		{0.12, STATUS_INCONCLUSIVE, true},
		{0.06, STATUS_FAIL, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct finding finding = undecided("f", 0.1, INFINITY);
		struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
		struct run_plan plan = after_twelve_pairs();

		finding.asked = 0.08;
		finding.effect.change = cases[i].change;
		set_error(&finding.effect, 0.04);
		CU_ASSERT_FALSE(run_plan_resume(&plan, &verdict));
		CU_ASSERT_TRUE(run_plan_stop(&plan, &verdict));
		finding.status = verdict.status = cases[i].status;
		CU_ASSERT_EQUAL(run_plan_resume(&plan, &verdict), cases[i].goes_on);
		CU_ASSERT_EQUAL(plan.looks.stopped, !cases[i].goes_on);
		CU_ASSERT_EQUAL(run_plan_is_open(&plan, &verdict), cases[i].goes_on);
		/* Once only. */
		CU_ASSERT_FALSE(run_plan_resume(&plan, &verdict));
		CU_ASSERT_EQUAL(run_plan_stop(&plan, &verdict), false);
	}
}

static void
pairs_without_a_chance_stay_stopped(void)
{
	struct finding finding = undecided("f", 0.1, INFINITY);
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
	struct run_plan plan = after_twelve_pairs();

	/* Two more pairs make next to no difference to such an error. */
	finding.asked = 0.1;
	finding.effect.change = 0;
	set_error(&finding.effect, 0.2);
	plan.taken[COMPARISON_SCREEN] = 28;
	plan.looks.pairs[0] = 28;
	CU_ASSERT_TRUE(run_plan_stop(&plan, &verdict));
	CU_ASSERT_FALSE(run_plan_resume(&plan, &verdict));
	CU_ASSERT_TRUE(plan.looks.stopped);
	CU_ASSERT_FALSE(run_plan_is_open(&plan, &verdict));
}

static void
counts_wait_for_pairs_that_take_less_time(void)
{
	struct finding finding = undecided("f", 0.1, 6);
	const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
	struct run_plan plan = after_twelve_pairs();

	CU_ASSERT_TRUE(run_plan_counts_next(&plan, &verdict, COUNT_QUICK, 12, 1));
	CU_ASSERT_FALSE(run_plan_counts_next(&plan, &verdict, COUNT_QUICK, 13, 1));
	CU_ASSERT_FALSE(run_plan_counts_next(&plan, &verdict, COUNT_ALL, 13, 1));
	finding.more_runs = 100;
	CU_ASSERT_TRUE(run_plan_counts_next(&plan, &verdict, COUNT_ALL, 13, 1));
}

/*
 * Nothing can be decided, and all that may be added is taken: with the planned runs, three times as
 * long as these took, or ten seconds longer, whatever runs and max_runs are.
 */
static void
the_default_time_is_three_times_that_of_the_planned_runs(void)
{
	for (unsigned runs = 3; runs <= 60; runs++) {
		struct finding finding = undecided("f", 0.5, 1);
		const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
		const struct gate_policy policy = {.self_check = POLICY_PASS};
		struct run_plan plan = {.wanted = {runs}, .most = 1000};
		struct run_request request;

		run_plan_use_looks(&plan, &policy);
		unsigned *wanted = &plan.wanted[COMPARISON_SCREEN];
		unsigned *taken = &plan.taken[COMPARISON_SCREEN];
		const unsigned planned = *wanted;

		for (bool more = true; more;) {
			*taken = *wanted;
			const double left = more_runs_seconds(planned) - (*taken - planned);

			looks_add(&plan.looks, *taken, left);
			more = more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request);
			request.run_seconds = 1;
			more_runs_grant(&request, more, left);
			*wanted += request.runs;
			more = more && request.runs > 0;
		}
		CU_ASSERT(*taken - planned <= more_runs_seconds(planned));
		CU_ASSERT_TRUE(plan.looks.last);
	}
	UNIT_NEAR(more_runs_seconds(20), 40, 0);
	UNIT_NEAR(more_runs_seconds(0.9), 10, 0);
}

static void
time_goes_to_the_largest_part_first(void)
{
	struct run_request requests[] = {
		{.workload = 0, .share = 0.1, .runs = 5, .least = 1, .needed = 5, .run_seconds = 2},
		{.workload = 1, .share = 1, .runs = 10, .least = 1, .needed = 20, .run_seconds = 1},
		{.workload = 2, .share = 0.2, .runs = 9, .least = 3, .needed = 9, .run_seconds = 4},
	};

	/* 20 s are for the whole program of the second, and 6 s are too few for 3 runs of 4 s. */
	more_runs_grant(requests, 3, 26);
	CU_ASSERT_EQUAL(requests[0].workload, 1);
	CU_ASSERT_EQUAL(requests[0].runs, 10);
	CU_ASSERT_EQUAL(requests[1].workload, 2);
	CU_ASSERT_EQUAL(requests[1].runs, 0);
	CU_ASSERT_EQUAL(requests[2].workload, 0);
	CU_ASSERT_EQUAL(requests[2].runs, 3);
	more_runs_grant(requests, 3, -1);
	CU_ASSERT_EQUAL(requests[0].runs, 0);
}

static void
without_a_limit_all_get_what_they_ask_for(void)
{
	struct run_request requests[] = {
		{.share = 0.1, .runs = 5, .least = 1, .needed = 5, .run_seconds = 2},
		{.share = 0.2, .runs = 9, .least = 3, .needed = 9},
	};

	more_runs_grant(requests, 2, INFINITY);
	CU_ASSERT_EQUAL(requests[0].runs, 9);
	CU_ASSERT_EQUAL(requests[1].runs, 5);
}

static void
all_that_would_fail_is_confirmed_by_the_same_runs(void)
{
	struct finding findings[] = {undecided("close", 0.1, NAN), undecided("open", 0.9, 5),
		undecided("clear", NAN, NAN), undecided("new", 0.2, NAN)};
	const struct verdict verdict = {.findings = findings, .nfindings = 4, .nall = 4};
	struct run_plan plan = after(10, 0);
	struct run_request request;

	for (size_t i = 0; i < 4; i++) {
		findings[i].unconfirmed = i != 1;
		findings[i].fail_at = 0.03;
		findings[i].effect.tested = i != 3;
		findings[i].effect.change = i == 0 ? 0.07 : 0.5;
		findings[i].effect.standard_error = 0.02;
	}
	/* It was not there before. */
	findings[2].effect.after_share = 0.3;
	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
	CU_ASSERT_PTR_EQUAL(request.finding, &findings[0]);
	CU_ASSERT_EQUAL(request.nfindings, 3);
	UNIT_NEAR(request.share, 0.3, 0);
	CU_ASSERT_EQUAL(request.runs, 27);
	CU_ASSERT_EQUAL(request.needed, 27);
	CU_ASSERT_EQUAL(request.least, 3);
	/* As many as there were, if that is more than may be added. */
	plan = after(40, 0);
	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
	CU_ASSERT_EQUAL(request.runs, 40);
	plan = after(3, 0);
	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
	CU_ASSERT_EQUAL(request.least, 3);
	/* Asked for once. */
	plan = after(10, 27);
	CU_ASSERT_FALSE(more_runs_request(&plan, COMPARISON_CONFIRM, &verdict, &request));
}

/* The runs that a finding needs in all are planned for, whatever it gets first. */
static void
the_need_is_told_beyond_the_next_runs(void)
{
	static const struct {
		double more;
		unsigned taken;
		unsigned runs;
		double needed;
	} cases[] = {{15, 10, 10, 15}, {80, 10, 10, 20}, {1, 10, 3, 3}, {INFINITY, 4, 3, 3},
		{INFINITY, 2, 2, 3}, {INFINITY, 5, 0, 0}, {100, 5, 5, 25}, {101, 5, 0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct finding finding = undecided("f", 0.1, cases[i].more);
		const struct verdict verdict = {.findings = &finding, .nfindings = 1, .nall = 1};
		const struct run_plan plan = after(cases[i].taken, 0);
		struct run_request request;

		CU_ASSERT_EQUAL(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request),
			cases[i].runs > 0);
		CU_ASSERT_EQUAL(request.runs, cases[i].runs);
		CU_ASSERT_EQUAL(request.needed, cases[i].needed);
		CU_ASSERT_EQUAL(request.least, 1);
	}
}

static void
the_first_of_equal_parts_is_served(void)
{
	struct finding findings[] = {undecided("first", 0.2, 4), undecided("second", 0.2, 7),
		undecided("third", 0.1, 9)};
	const struct verdict verdict = {.findings = findings, .nfindings = 3, .nall = 3};
	const struct run_plan plan = after(10, 0);
	struct run_request request;
	struct run_request requests[] = {
		{.workload = 2, .share = 0.2, .runs = 5, .least = 1, .needed = 5, .run_seconds = 1},
		{.workload = 1, .share = 0.2, .runs = 5, .least = 5, .needed = 5, .run_seconds = 1},
	};

	CU_ASSERT_TRUE(more_runs_request(&plan, COMPARISON_SCREEN, &verdict, &request));
	CU_ASSERT_PTR_EQUAL(request.finding, &findings[0]);
	CU_ASSERT_EQUAL(request.nfindings, 3);
	/* Exactly enough for the least, and one second for the other. */
	more_runs_grant(requests, 2, 6);
	CU_ASSERT_EQUAL(requests[0].workload, 1);
	CU_ASSERT_EQUAL(requests[0].runs, 5);
	CU_ASSERT_EQUAL(requests[1].runs, 1);
	more_runs_grant(requests, 0, 6);
}

void
suite_gate_more_runs(void)
{
	static const struct unit_case cases[] = {
		{"a_close_call_is_confirmed_by_more_runs", a_close_call_is_confirmed_by_more_runs},
		{"counts_are_confirmed_by_as_many_runs", counts_are_confirmed_by_as_many_runs},
		{"an_undecided_test_gets_the_runs_it_needs_up_to_a_limit",
			an_undecided_test_gets_the_runs_it_needs_up_to_a_limit},
		{"few_runs_do_not_tell_how_many_are_needed",
			few_runs_do_not_tell_how_many_are_needed},
		{"undecided_after_new_runs_takes_all_allowed_runs",
			undecided_after_new_runs_takes_all_allowed_runs},
		{"nothing_is_confirmed_that_would_not_fail",
			nothing_is_confirmed_that_would_not_fail},
		{"more_runs_are_for_the_largest_part_that_they_can_decide",
			more_runs_are_for_the_largest_part_that_they_can_decide},
		{"a_failing_workload_needs_no_more_runs", a_failing_workload_needs_no_more_runs},
		{"a_decided_workload_gets_no_further_look",
			a_decided_workload_gets_no_further_look},
		{"looks_stop_where_no_number_of_pairs_decides",
			looks_stop_where_no_number_of_pairs_decides},
		{"pairs_that_more_would_decide_can_be_ended",
			pairs_that_more_would_decide_can_be_ended},
		{"stopped_pairs_go_on_where_they_have_a_chance",
			stopped_pairs_go_on_where_they_have_a_chance},
		{"pairs_without_a_chance_stay_stopped", pairs_without_a_chance_stay_stopped},
		{"counts_wait_for_pairs_that_take_less_time",
			counts_wait_for_pairs_that_take_less_time},
		{"the_first_look_waits_for_the_self_check",
			the_first_look_waits_for_the_self_check},
		{"the_default_time_is_three_times_that_of_the_planned_runs",
			the_default_time_is_three_times_that_of_the_planned_runs},
		{"time_goes_to_the_largest_part_first", time_goes_to_the_largest_part_first},
		{"without_a_limit_all_get_what_they_ask_for",
			without_a_limit_all_get_what_they_ask_for},
		{"all_that_would_fail_is_confirmed_by_the_same_runs",
			all_that_would_fail_is_confirmed_by_the_same_runs},
		{"the_need_is_told_beyond_the_next_runs", the_need_is_told_beyond_the_next_runs},
		{"the_first_of_equal_parts_is_served", the_first_of_equal_parts_is_served},
		{NULL, NULL},
	};

	unit_suite("gate/more_runs", cases);
}
