/* What the tests of a gate are made with, and corrected for. */
#include "gate/tests.h"

#include "gate/machine_load.h"

#include "gate/judge_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_tests(void);

static const struct criteria *
criteria_of(struct bench *bench)
{
	judgement_release(&bench->judgement);
	tests_make(&bench->judgement);
	return &bench->judgement.criteria;
}

static void
failures_are_confirmed_where_the_policy_wants_it_and_the_caller_can(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	for (int i = 0; i < 4; i++) {
		bench.workload.gate.confirm = i & 1;
		bench.judgement.input.may_confirm = i & 2;
		CU_ASSERT_EQUAL(criteria_of(&bench)->two_stages, i == 3);
	}
	bench_release(&bench);
}

static void
a_new_function_does_no_more_than_a_regression(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	for (int added = POLICY_PASS; added <= POLICY_FAIL; added++) {
		for (int grown = POLICY_PASS; grown <= POLICY_FAIL; grown++) {
			bench.workload.gate.new_functions = (enum policy_action)added;
			bench.workload.gate.regression = (enum policy_action)grown;
			CU_ASSERT_EQUAL((int)criteria_of(&bench)->new_functions,
				added < grown ? added : grown);
		}
	}
	bench_release(&bench);
}

/* Three times max_runs, or the runs that there are. */
static void
runs_are_counted_by_side_and_stage(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	add_runs(&bench.candidate, unchanged, true, 2);
	bench.candidate.runs[6].stage = COMPARISON_CONFIRM;
	bench.baseline.profile.runs[4].stage = COMPARISON_CONFIRM;
	bench.workload.capture.max_runs = 6;
	UNIT_NEAR(criteria_of(&bench)->runs_worth, 21, 0);
	bench.workload.capture.max_runs = 8;
	UNIT_NEAR(criteria_of(&bench)->runs_worth, 24, 0);
	UNIT_NEAR(bench.judgement.criteria.runs_before, 5, 0);
	UNIT_NEAR(bench.judgement.criteria.runs_after, 7, 0);
	UNIT_NEAR(bench.judgement.criteria.runs_fresh, 1, 0);
	bench_release(&bench);
}

static void
modes_differ_in_what_they_may_assume(void)
{
	struct bench bench;
	struct gate_input *input = &bench.judgement.input;

	bench_init(&bench, unchanged);
	CU_ASSERT_EQUAL(bench.judgement.comparison.staged, false);
	CU_ASSERT_FALSE(criteria_of(&bench)->adds_before);
	CU_ASSERT_FALSE(isnan(bench.judgement.criteria.spread.ratio));
	CU_ASSERT_EQUAL(bench.judgement.comparison.mode, COMPARISON_STORED);
	UNIT_NEAR(bench.judgement.comparison.model.session_spread, COMPARISON_SESSION_SPREAD, 0);
	/* Runs of one session do not spread between sessions. */
	input->mode = GATE_FILES;
	input->same_session = true;
	CU_ASSERT_FALSE(criteria_of(&bench)->adds_before);
	CU_ASSERT(isnan(bench.judgement.criteria.spread.ratio));
	CU_ASSERT(bench.judgement.comparison.model.session_spread < 1e-8);
	CU_ASSERT(bench.judgement.comparison.model.machine_spread < 1e-8);
	input->mode = GATE_PAIRED;
	CU_ASSERT(criteria_of(&bench)->adds_before);
	CU_ASSERT(isnan(bench.judgement.criteria.spread.ratio));
	bench_release(&bench);
}

/* Each function's cost moves by 8 % between the sessions. */
static void
the_common_change_is_reported_for_two_sessions(void)
{
	const struct synthetic program = synthetic_program(20);
	const struct synthetic_side side = {.nruns = 10, .session_noise = 0.08};
	const struct sampled none[] = {{NULL, 0, 0}};
	struct rng rng = {.state = 11};
	struct bench bench;

	bench_init(&bench, none);
	profile_release(&bench.baseline.profile);
	profile_release(&bench.candidate);
	profile_init(&bench.baseline.profile);
	profile_init(&bench.candidate);
	synthetic_add(&bench.baseline.profile, &program, &side, &rng);
	synthetic_add(&bench.candidate, &program, &side, &rng);
	const double changed = criteria_of(&bench)->most_changed;

	CU_ASSERT(changed > 0.07);
	UNIT_NEAR(changed, bench.judgement.comparison.model.session_spread * M_SQRT2, 1e-12);
	bench.judgement.input.mode = GATE_FILES;
	bench.judgement.input.same_session = true;
	UNIT_NEAR(criteria_of(&bench)->most_changed, 0, 0);
	bench_release(&bench);
}

static void
the_same_program_needs_a_side_before(void)
{
	struct bench bench;
	struct gate_input *input = &bench.judgement.input;

	bench_init(&bench, unchanged);
	CU_ASSERT_FALSE(criteria_of(&bench)->same_program);
	input->program = PROGRAM_SAME;
	CU_ASSERT(criteria_of(&bench)->same_program);
	input->baseline_is_of_other_machine = true;
	CU_ASSERT_PTR_NOT_NULL(criteria_of(&bench)->limited);
	input->before = NULL;
	CU_ASSERT_FALSE(criteria_of(&bench)->same_program);
	CU_ASSERT_PTR_NULL(bench.judgement.criteria.limited);
	input->error = "it exited with 3";
	criteria_of(&bench);
	CU_ASSERT(isnan(bench.judgement.verdict.detectable));
	CU_ASSERT_PTR_NULL(bench.judgement.comparison.self);
	bench_release(&bench);
}

/* Lets the hypervisor take 20 % of the CPU of `count` of the 5 runs of a side. */
static void
disturb(struct profile *profile, size_t count)
{
	for (size_t i = 0; i < profile->nruns; i++) {
		profile->runs[i].program_cpus = 1;
		profile->runs[i].wall_ns = 1000000000;
		profile->runs[i].steal_ns = i < count ? 200000000 : 0;
	}
}

static void
runs_of_either_side_may_be_disturbed(void)
{
	struct bench bench;
	struct gate_policy *policy = &bench.workload.gate;

	bench_init(&bench, unchanged);
	disturb(&bench.candidate, 2);
	disturb(&bench.baseline.profile, 2);
	CU_ASSERT_FALSE(load_is_known(criteria_of(&bench)));
	disturb(&bench.candidate, 3);
	CU_ASSERT(criteria_of(&bench)->disturbed_after);
	CU_ASSERT_FALSE(bench.judgement.criteria.disturbed_before);
	disturb(&bench.candidate, 0);
	disturb(&bench.baseline.profile, 3);
	CU_ASSERT(criteria_of(&bench)->disturbed_before);
	CU_ASSERT_FALSE(bench.judgement.criteria.disturbed_after);
	CU_ASSERT(bench.judgement.rest.nfunctions > 0);
	policy->disturbed = 0.2;
	CU_ASSERT_FALSE(load_is_known(criteria_of(&bench)));
	/* Whatever was taken: of all, runs may lose that much. */
	disturb(&bench.candidate, 3);
	for (size_t i = 0; i < 5; i++)
		bench.candidate.runs[i].steal_ns = bench.candidate.runs[i].others_ns = 900000000;
	policy->disturbed = 0.99;
	CU_ASSERT(criteria_of(&bench)->disturbed_after);
	CU_ASSERT_FALSE(isnan(bench.judgement.criteria.spread.ratio));
	policy->disturbed = 1;
	CU_ASSERT_FALSE(load_is_known(criteria_of(&bench)));
	CU_ASSERT(isnan(bench.judgement.criteria.spread.ratio));
	/* Alternating runs are disturbed alike. */
	policy->disturbed = 0.1;
	bench.judgement.input.mode = GATE_PAIRED;
	CU_ASSERT_FALSE(load_is_known(criteria_of(&bench)));
	bench.judgement.input.mode = GATE_STORED;
	bench.judgement.input.before = NULL;
	CU_ASSERT_FALSE(load_is_known(criteria_of(&bench)));
	bench_release(&bench);
}

#define SIDES 2

/* Two workloads of four tests each, one of them slower. */
struct family_bench {
	struct bench benches[SIDES];
	struct judgement *all[SIDES];
};

static void
family_init(struct family_bench *family)
{
	bench_init(&family->benches[0], unchanged);
	bench_init(&family->benches[1], slower);
	for (size_t i = 0; i < SIDES; i++)
		family->all[i] = &family->benches[i].judgement;
}

static void
family_correct(struct family_bench *family)
{
	for (size_t i = 0; i < SIDES; i++) {
		judgement_release(family->all[i]);
		tests_make(family->all[i]);
	}
	tests_correct(family->all, SIDES);
}

static void
family_release(struct family_bench *family)
{
	for (size_t i = 0; i < SIDES; i++)
		bench_release(&family->benches[i]);
}

/* Each workload receives the same numbers. */
static void
expect_family(struct family_bench *family, size_t all, size_t flagging, size_t confirming)
{
	family_correct(family);
	for (size_t i = 0; i < SIDES; i++) {
		CU_ASSERT_EQUAL(family->all[i]->ncorrected[COMPARISON_SCREEN], all);
		CU_ASSERT_EQUAL(family->all[i]->nflagging, flagging);
		CU_ASSERT_EQUAL(family->all[i]->ncorrected[COMPARISON_CONFIRM], confirming);
	}
}

static void
all_workloads_share_one_correction(void)
{
	struct family_bench family;

	family_init(&family);
	/* Untested functions do not count. */
	family.benches[0].workload.gate.min_share = 0.9;
	expect_family(&family, 5, 5, 0);
	family.benches[0].workload.gate.min_share = 0.01;
	expect_family(&family, 8, 8, 0);
	family_release(&family);
}

static void
a_shard_is_corrected_for_the_whole_gate(void)
{
	struct family_bench family;

	family_init(&family);
	family.all[0]->input.planned = 2;
	expect_family(&family, 8, 8, 0);
	/* 8 tests here are two fifths of those of five workloads. */
	family.all[0]->input.planned = 5;
	expect_family(&family, 20, 8, 0);
	/* The smallest part counts. */
	family.all[1]->input.planned = 4;
	expect_family(&family, 20, 8, 0);
	family_release(&family);
}

static void
the_smallest_alpha_is_that_of_the_gate(void)
{
	struct family_bench family;

	family_init(&family);
	family.benches[1].workload.gate.alpha = 0.01;
	family_correct(&family);
	for (size_t i = 0; i < SIDES; i++)
		UNIT_NEAR(test_about(&family.benches[i], "parse")->all->alpha, 0.01, 0);
	family_release(&family);
}

static void
only_flagged_tests_are_corrected_for_confirmation(void)
{
	struct family_bench family;

	family_init(&family);
	for (size_t i = 0; i < SIDES; i++) {
		struct bench *bench = &family.benches[i];

		bench->judgement.input.may_confirm = true;
		bench->workload.gate.total = (struct threshold){NAN, NAN};
		add_runs(&bench->baseline.profile, i == 0 ? unchanged : slower, false, 5);
		add_runs(&bench->candidate, i == 0 ? unchanged : slower, true, 5);
		for (size_t run = 5; run < 10; run++)
			bench->baseline.profile.runs[run].stage = bench->candidate.runs[run].stage =
				COMPARISON_CONFIRM;
	}
	expect_family(&family, 8, 8, 1);
	CU_ASSERT(test_is_confirmed(test_about(&family.benches[1], "parse")));
	CU_ASSERT_FALSE(test_is_confirmed(test_about(&family.benches[1], "print")));
	CU_ASSERT_FALSE(test_is_confirmed(test_about(&family.benches[0], "parse")));
	family_release(&family);
}

void
suite_gate_tests(void)
{
	static const struct unit_case cases[] = {
		{"failures_are_confirmed_where_the_policy_wants_it_and_the_caller_can",
			failures_are_confirmed_where_the_policy_wants_it_and_the_caller_can},
		{"a_new_function_does_no_more_than_a_regression",
			a_new_function_does_no_more_than_a_regression},
		{"runs_are_counted_by_side_and_stage", runs_are_counted_by_side_and_stage},
		{"modes_differ_in_what_they_may_assume", modes_differ_in_what_they_may_assume},
		{"the_same_program_needs_a_side_before", the_same_program_needs_a_side_before},
		{"runs_of_either_side_may_be_disturbed", runs_of_either_side_may_be_disturbed},
		{"all_workloads_share_one_correction", all_workloads_share_one_correction},
		{"a_shard_is_corrected_for_the_whole_gate",
			a_shard_is_corrected_for_the_whole_gate},
		{"the_smallest_alpha_is_that_of_the_gate", the_smallest_alpha_is_that_of_the_gate},
		{"only_flagged_tests_are_corrected_for_confirmation",
			only_flagged_tests_are_corrected_for_confirmation},
		{"the_common_change_is_reported_for_two_sessions",
			the_common_change_is_reported_for_two_sessions},
		{NULL, NULL},
	};

	unit_suite("gate/tests", cases);
}
