#include "gate/rules.h"

#include "gate/judge_bench.h"
#include "unit.h"

#include <string.h>

void suite_gate_rule_validity(void);

static void
poor_runs_are_inconclusive(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	bench.candidate.runs[0].expected_samples *= 2;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(finding_about(&bench, "validity", "runs").status, STATUS_WARN);
	judgement_release(&bench.judgement);

	bench.candidate.runs[1].lost = 1000;
	CU_ASSERT_EQUAL(judge(&bench), 3);
	CU_ASSERT_EQUAL(bench.overall, STATUS_INCONCLUSIVE);
	UNIT_CONTAINS(finding_about(&bench, "validity", "runs").reason, "2 of 5 runs");
	judgement_release(&bench.judgement);

	bench.workload.gate.inconclusive = POLICY_WARN;
	CU_ASSERT_EQUAL(judge(&bench), 0);
	CU_ASSERT_EQUAL(bench.overall, STATUS_INCONCLUSIVE);
	bench_release(&bench);
}

static void
too_few_runs_or_samples_are_inconclusive(void)
{
	const struct sampled few[] = {{"parse", 4, 4}, {"print", 5, 5}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.candidate, 2);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	bench_release(&bench);

	bench_init(&bench, few);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	CU_ASSERT_EQUAL(finding_about(&bench, "functions", "parse").status, STATUS_WARN);
	bench_release(&bench);
}

static void
nothing_fails_where_no_run_before_is_usable(void)
{
	struct bench bench;

	bench_init(&bench, slower);
	CU_ASSERT_EQUAL(judge(&bench), 1);
	judgement_release(&bench.judgement);
	for (size_t i = 0; i < bench.baseline.profile.nruns; i++)
		bench.baseline.profile.runs[i].expected_samples *= 2;
	CU_ASSERT_EQUAL(judge(&bench), 3);
	CU_ASSERT_EQUAL(verdict_findings_with(&bench.judgement.verdict, STATUS_FAIL), 0);
	judgement_release(&bench.judgement);
	/* One of them is enough to say that it is slower, and not how sure that is. */
	bench.baseline.profile.runs[0].expected_samples /= 2;
	CU_ASSERT_EQUAL(judge(&bench), 1);
	bench_release(&bench);
}

static void
no_run_at_all_is_an_error(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.candidate, 0);
	CU_ASSERT_EQUAL(judge(&bench), 2);
	bench_release(&bench);

	bench_init(&bench, unchanged);
	bench.judgement.input.candidate = NULL;
	CU_ASSERT_EQUAL(judge(&bench), 2);
	bench_release(&bench);

	bench_init(&bench, unchanged);
	profile_drop_runs(&bench.baseline.profile, 0);
	CU_ASSERT_EQUAL(judge(&bench), 3);
	bench_release(&bench);
}

static void
the_other_side_is_called_what_it_is(void)
{
	static const struct {
		enum gate_mode mode;
		const char *subject;
	} cases[] = {
		{GATE_STORED, "baseline runs"},
		{GATE_PAIRED, "runs of the base"},
		{GATE_FILES, "runs before"},
	};
	struct bench bench;

	bench_init(&bench, unchanged);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct judgement *judgement = &bench.judgement;

		judgement->input.mode = cases[i].mode;
		judgement->compared = true;
		verdict_init(&judgement->verdict);
		rule_validity.add(judgement);
		CU_ASSERT_EQUAL_FATAL(judgement->ntests, 2);
		for (size_t k = 0; k < 2; k++)
			CU_ASSERT_EQUAL(judgement->tests[k].condition, CONDITION_MET);
		UNIT_STR_EQ(judgement->tests[0].subject, "runs");
		UNIT_STR_EQ(judgement->tests[1].subject, cases[i].subject);
		judgement_release(judgement);
	}
	bench_release(&bench);
}

/* What is said of the candidate's runs. */
static void
expect(struct bench *bench, enum status status, const char *reason)
{
	judgement_release(&bench->judgement);
	judge(bench);
	const struct finding finding = finding_about(bench, "validity", "runs");

	CU_ASSERT_EQUAL(finding.status, status);
	UNIT_STR_EQ(finding.reason, reason);
}

static void
three_runs_are_enough_and_one_of_counts(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	expect(&bench, STATUS_PASS, "All 5 runs are usable.");
	for (size_t i = 0; i < 5; i++)
		bench.candidate.runs[i].executions = i == 0 ? 40 : 60;
	expect(&bench, STATUS_PASS, "All 5 runs of 40 to 60 executions are usable.");
	for (size_t i = 0; i < 5; i++)
		bench.candidate.runs[i].executions = 1;
	profile_drop_runs(&bench.candidate, 3);
	expect(&bench, STATUS_PASS, "All 3 runs are usable.");
	profile_drop_runs(&bench.candidate, 2);
	expect(&bench, STATUS_INCONCLUSIVE,
		"2 runs cannot show how much runs differ: at least 3 are needed.");
	profile_drop_runs(&bench.candidate, 1);
	expect(&bench, STATUS_INCONCLUSIVE,
		"1 run cannot show how much runs differ: at least 3 are needed.");
	bench.candidate.metric = bench.candidate.unit =
		strtab_intern_str(&bench.candidate.strings, "instructions");
	expect(&bench, STATUS_PASS, "The 1 run is usable.");
	bench_release(&bench);
}

static void
fifty_samples_in_all_are_enough(void)
{
	const struct sampled fifty[] = {{"parse", 6, 6}, {"print", 4, 4}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, fifty);
	/* For a file that somebody else measured. */
	for (size_t i = 0; i < 5; i++)
		bench.candidate.runs[i].measured = false;
	expect(&bench, STATUS_PASS, "All 5 runs are usable.");
	ctree_add(&bench.candidate.tree, 0, bench.candidate.tree.nnodes - 1, -1);
	expect(&bench, STATUS_INCONCLUSIVE,
		"49 samples in all runs together say nothing: at least 50 are needed.");
	bench_release(&bench);
}

static void
a_fifth_of_the_runs_may_be_poor(void)
{
	struct bench bench;
	struct run *runs;

	bench_init(&bench, unchanged);
	runs = bench.candidate.runs;
	runs[1].expected_samples = 20000;
	expect(&bench, STATUS_WARN,
		"1 of 5 runs is poor: only 50 % of the expected samples arrived.");
	runs[3].lost = 1000;
	expect(&bench, STATUS_INCONCLUSIVE,
		"2 of 5 runs are not usable, the first because only 50 % of the expected samples "
		"arrived: raise capture.max_runs, so that others replace them.");
	runs[1].samples = 31;
	expect(&bench, STATUS_INCONCLUSIVE,
		"2 of 5 runs are not usable, the first because only 31 samples were taken: measure "
		"longer runs (capture.repeat).");
	runs[1].samples = 10000;
	add_runs(&bench.candidate, unchanged, true, 5);
	expect(&bench, STATUS_WARN,
		"2 of 10 runs are poor: only 50 % of the expected samples arrived.");
	bench_release(&bench);
}

static void
a_run_without_samples_is_poor(void)
{
	struct bench bench;

	bench_init(&bench, unchanged);
	profile_add_run(&bench.candidate);
	expect(&bench, STATUS_WARN, "1 of 6 runs is poor: it has no samples.");
	bench_release(&bench);
}

static void
one_percent_of_interrupts_is_told(void)
{
	const struct sampled enough[] = {
		{"parse", 9950, 9900}, {"irqentry_exit_to_user_mode_[k]", 50, 100}, {NULL, 0, 0}};
	const struct sampled less[] = {
		{"parse", 9901, 9950}, {"irqentry_exit_to_user_mode_[k]", 99, 50}, {NULL, 0, 0}};
	struct bench bench;

	bench_init(&bench, enough);
	judge(&bench);
	UNIT_STR_EQ(finding_about(&bench, "validity", "scheduling and interrupts").reason,
		"0.50 % of the program before, 1.0 % after; not compared function by function.");
	bench_release(&bench);
	bench_init(&bench, less);
	judge(&bench);
	UNIT_STR_EQ(finding_about(&bench, "validity", "scheduling and interrupts").subject, "");
	bench_release(&bench);
}

void
suite_gate_rule_validity(void)
{
	static const struct unit_case cases[] = {
		{"poor_runs_are_inconclusive", poor_runs_are_inconclusive},
		{"too_few_runs_or_samples_are_inconclusive",
			too_few_runs_or_samples_are_inconclusive},
		{"nothing_fails_where_no_run_before_is_usable",
			nothing_fails_where_no_run_before_is_usable},
		{"no_run_at_all_is_an_error", no_run_at_all_is_an_error},
		{"the_other_side_is_called_what_it_is", the_other_side_is_called_what_it_is},
		{"three_runs_are_enough_and_one_of_counts",
			three_runs_are_enough_and_one_of_counts},
		{"fifty_samples_in_all_are_enough", fifty_samples_in_all_are_enough},
		{"a_fifth_of_the_runs_may_be_poor", a_fifth_of_the_runs_may_be_poor},
		{"a_run_without_samples_is_poor", a_run_without_samples_is_poor},
		{"one_percent_of_interrupts_is_told", one_percent_of_interrupts_is_told},
		{NULL, NULL},
	};

	unit_suite("gate/rule_validity", cases);
}
