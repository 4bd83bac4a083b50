/* What pairs test of what a stored baseline flagged. */
#include "gate/screen.h"

#include "gate/paired_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_screen(void);

#define PAIRS 12

/* f00 and f01 cost twice as much; `subjects` are left by the screen. */
static void
judge_grown(struct paired_bench *bench, struct screen_subject *subjects, size_t nsubjects,
	size_t nworkloads)
{
	const struct synthetic program = synthetic_program(12);
	double factor[SYNTHETIC_MAX];
	struct judgement *judgement = &bench->judgement;

	for (size_t i = 0; i < SYNTHETIC_MAX; i++)
		factor[i] = i < 2 ? 2 : 1;
	paired_bench_init(bench, &program, PAIRS, factor);
	paired_bench_prepare(bench);
	judgement->input.looks = (struct looks){.most = 30};
	looks_add(&judgement->input.looks, PAIRS, INFINITY);
	judgement->input.screen = (struct screen){subjects, nsubjects, nworkloads};
	judge_gate(&judgement, 1, &bench->overall);
}

static struct screen_subject
function(const char *name)
{
	return (struct screen_subject){FINDING_FUNCTIONS, QUANTITY_SELF, name};
}

static size_t
count_screened(const struct judgement *judgement)
{
	size_t screened = 0;

	for (size_t i = 0; i < judgement->ntests; i++)
		screened += judgement->tests[i].screened;
	return screened;
}

static void
only_what_it_left_can_fail(void)
{
	struct screen_subject left[] = {function("f00")};
	struct paired_bench bench;

	judge_grown(&bench, left, 1, 1);
	CU_ASSERT_EQUAL(bench.overall, STATUS_FAIL);
	CU_ASSERT_EQUAL(paired_bench_finding(&bench, "functions", "f00")->status, STATUS_FAIL);
	const struct finding *other = paired_bench_finding(&bench, "functions", "f01");

	CU_ASSERT_EQUAL(other->status, STATUS_WARN);
	UNIT_STR_EQ(other->reason,
		"Above the 4.5 % warning threshold in pairs, but not by the stored runs.");
	UNIT_STR_EQ(paired_bench_finding(&bench, "functions", "f02")->reason,
		"Passed by the stored runs; not tested again by pairs.");
	paired_bench_release(&bench);
}

/* Holm of one test in one of three workloads: p and alpha count three times. */
static void
alpha_is_split_over_what_it_left(void)
{
	struct screen_subject left[] = {function("f00")};
	struct paired_bench bench;

	judge_grown(&bench, left, 1, 3);
	const struct judgement *judgement = &bench.judgement;
	const double part = looks_part(&judgement->input.looks);

	CU_ASSERT_EQUAL(judgement->ncorrected[COMPARISON_SCREEN], 1);
	CU_ASSERT_EQUAL(judgement->criteria.nfamilies, 3);
	for (size_t i = 0; i < judgement->ntests; i++) {
		const struct test *test = &judgement->tests[i];

		if (!test->screened && test_is_corrected(test))
			UNIT_NEAR(test->all->p_adjusted, fmin(1, test->all->p * 3 / part), 1e-12);
	}
	paired_bench_release(&bench);
}

static void
without_a_screen_all_is_tested(void)
{
	struct paired_bench bench;

	judge_grown(&bench, NULL, 0, 0);
	CU_ASSERT_EQUAL(count_screened(&bench.judgement), 0);
	CU_ASSERT_EQUAL(bench.judgement.criteria.nfamilies, 1);
	CU_ASSERT_EQUAL(paired_bench_finding(&bench, "functions", "f01")->status, STATUS_FAIL);
	paired_bench_release(&bench);
}

/* What it flagged may be part of another subject of the pairs. */
static void
all_is_tested_where_a_subject_is_missing(void)
{
	struct screen_subject left[] = {function("f00"), function("read_[k]")};
	struct paired_bench bench;

	judge_grown(&bench, left, 2, 1);
	CU_ASSERT_EQUAL(count_screened(&bench.judgement), 0);
	CU_ASSERT_EQUAL(paired_bench_finding(&bench, "functions", "f01")->status, STATUS_FAIL);
	paired_bench_release(&bench);
}

/* A subject is a rule, a quantity and a name. */
static void
the_same_name_of_another_rule_is_another_subject(void)
{
	struct screen_subject left[] = {{FINDING_TOTAL, QUANTITY_TOTAL, "whole program"}};
	struct paired_bench bench;

	judge_grown(&bench, left, 1, 1);
	CU_ASSERT_EQUAL(count_screened(&bench.judgement), bench.judgement.ntests - 1);
	CU_ASSERT_EQUAL(
		paired_bench_finding(&bench, "total", "whole program")->status, STATUS_FAIL);
	left[0].rule = FINDING_NAMED;
	judgement_release(&bench.judgement);
	struct judgement *judgement = &bench.judgement;

	judge_gate(&judgement, 1, &bench.overall);
	CU_ASSERT_EQUAL(count_screened(&bench.judgement), 0);
	paired_bench_release(&bench);
}

/* No more runs are taken for it. */
static void
tests_that_passed_the_screen_are_not_waited_for(void)
{
	struct screen_subject left[] = {function("f03")};
	const struct synthetic program = synthetic_program(12);
	struct synthetic noisy = program;
	struct paired_bench bench;
	struct judgement *judgement = &bench.judgement;

	noisy.noise[0] = noisy.noise[1] = 0.3;
	paired_bench_init(&bench, &noisy, 5, NULL);
	paired_bench_prepare(&bench);
	judgement->input.looks = (struct looks){.most = 30};
	looks_add(&judgement->input.looks, 5, INFINITY);
	judge_gate(&judgement, 1, &bench.overall);
	CU_ASSERT(paired_bench_finding(&bench, "functions", "f01")->more_runs > 0);
	judgement_release(judgement);
	judgement->input.screen = (struct screen){left, 1, 1};
	judge_gate(&judgement, 1, &bench.overall);
	CU_ASSERT_FALSE(paired_bench_finding(&bench, "functions", "f01")->more_runs > 0);
	CU_ASSERT(paired_bench_finding(&bench, "functions", "f01")->status <= STATUS_WARN);
	paired_bench_release(&bench);
}

static void
it_leaves_what_is_flagged_or_undecided(void)
{
	struct finding findings[] = {
		finding_of(FINDING_FUNCTIONS, "flagged"),
		finding_of(FINDING_FUNCTIONS, "undecided"),
		finding_of(FINDING_VALIDITY, "condition"),
		finding_of(FINDING_FUNCTIONS, "passed"),
	};
	const struct verdict verdict = {.findings = findings, .nfindings = 4, .nall = 4};
	struct arena arena = {0};
	struct screen screen;

	findings[0].unconfirmed = true;
	findings[0].status = findings[1].status = findings[2].status = STATUS_INCONCLUSIVE;
	findings[1].effect.tested = findings[3].effect.tested = true;
	findings[1].of = QUANTITY_TOTAL;
	screen_take(&screen, &verdict, &arena);
	CU_ASSERT_EQUAL_FATAL(screen.nsubjects, 2);
	UNIT_STR_EQ(screen.subjects[0].name, "flagged");
	UNIT_STR_EQ(screen.subjects[1].name, "undecided");
	CU_ASSERT_EQUAL(screen.subjects[1].of, QUANTITY_TOTAL);
	arena_release(&arena);
}

void
suite_gate_screen(void)
{
	static const struct unit_case cases[] = {
		{"only_what_it_left_can_fail", only_what_it_left_can_fail},
		{"alpha_is_split_over_what_it_left", alpha_is_split_over_what_it_left},
		{"without_a_screen_all_is_tested", without_a_screen_all_is_tested},
		{"all_is_tested_where_a_subject_is_missing",
			all_is_tested_where_a_subject_is_missing},
		{"the_same_name_of_another_rule_is_another_subject",
			the_same_name_of_another_rule_is_another_subject},
		{"tests_that_passed_the_screen_are_not_waited_for",
			tests_that_passed_the_screen_are_not_waited_for},
		{"it_leaves_what_is_flagged_or_undecided", it_leaves_what_is_flagged_or_undecided},
		{NULL, NULL},
	};

	unit_suite("gate/screen", cases);
}
