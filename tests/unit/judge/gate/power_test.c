#include "gate/power.h"

#include "compare/model.h"
#include "gate/paired_bench.h"
#include "unit.h"

#include <math.h>

/* Runs of a plan whose first look is its last one, however many pairs it may take. */
#define ONE_LOOK 200

void suite_gate_power(void);

/* A tested subject with these shares before and after. */
static struct finding
subject(enum finding_rule rule, const char *name, double before, double after, double q)
{
	struct finding finding = finding_of(rule, name);

	finding.asked = 0.1;
	finding.effect.tested = true;
	finding.effect.before_share = before;
	finding.effect.after_share = after;
	finding.effect.overdispersion = q;
	finding.effect.margin = 0;
	finding.effect.df = 9;
	finding.effect.standard_error = 0.02;
	return finding;
}

static void
init(struct paired_bench *bench, struct power *power)
{
	const struct synthetic program = synthetic_program(20);

	paired_bench_init(bench, &program, 12, NULL);
	paired_bench_judge(bench);
	power_init(power, &bench->judgement, 10);
}

static void
the_whole_program_comes_first_and_functions_by_share(void)
{
	struct paired_bench bench;
	struct power power;

	init(&bench, &power);
	CU_ASSERT_EQUAL(power.nsubjects, power.ntests);
	CU_ASSERT_EQUAL(power.npairs, 12);
	CU_ASSERT_TRUE(power.nsubjects > 10);
	UNIT_STR_EQ(power.subjects[0].finding->subject, "whole program");
	UNIT_STR_EQ(power.subjects[1].finding->subject, "f00");
	UNIT_NEAR(power.subjects[1].share, 0.3, 0.02);
	for (size_t i = 2; i < power.nsubjects; i++)
		CU_ASSERT_TRUE(power.subjects[i].share <= power.subjects[i - 1].share);
	power_release(&power);
	paired_bench_release(&bench);
}

static void
more_pairs_see_smaller_growth(void)
{
	struct paired_bench bench;
	struct power power;

	init(&bench, &power);
	for (size_t i = 0; i < power.nsubjects; i++) {
		const struct power_subject *subject = &power.subjects[i];

		for (int step = 1; step < POWER_STEPS; step++)
			CU_ASSERT_TRUE(subject->detectable[step] < subject->detectable[step - 1]);
	}
	power_release(&power);
	paired_bench_release(&bench);
}

/*
 * For 10 planned runs, looks are after 6, 9 and 12 pairs. The last one has what those before leave:
 * 1 - (9 / 12)^2 of alpha; of 5 pairs there is one look, with all of it.
 */
static void
detectable_growth_is_that_of_the_last_look(void)
{
	struct finding finding = subject(FINDING_FUNCTIONS, "f", 0.1, 0.1, 1);
	const struct gate_policy policy = {.alpha = 0.05};
	struct judgement judgement = {
		.input.policy = &policy, .ncorrected = {2}, .criteria.nfamilies = 5};
	struct power power;

	judgement.comparison.model.npairs = 12;
	judgement.verdict.findings = &finding;
	judgement.verdict.nall = judgement.verdict.nfindings = 1;
	power_init(&power, &judgement, 10);
	UNIT_NEAR(power.level, 0.005, 1e-15);
	UNIT_NEAR(power_detectable(&power, &power.subjects[0], 12),
		model_detectable(0, 0.02, 9, 0.005 * 7 / 16), 1e-12);
	UNIT_NEAR(power_detectable(&power, &power.subjects[0], 5),
		model_detectable(0, 0.02 * sqrt(12.0 / 5), 2, 0.005), 1e-12);
	power_release(&power);
}

static void
a_test_without_a_threshold_needs_nothing(void)
{
	struct paired_bench bench;
	struct power power;

	init(&bench, &power);
	power_release(&power);
	bench.policy.total = (struct threshold){NAN, NAN};
	paired_bench_judge(&bench);
	power_init(&power, &bench.judgement, 10);
	CU_ASSERT_EQUAL(power_pairs_needed(&power, &power.subjects[0], 60), 0);
	CU_ASSERT_TRUE(power_pairs_needed(&power, &power.subjects[1], 1000) > 0);
	power_release(&power);
	/* Again, as of one that is empty. */
	power_release(&power);
	paired_bench_release(&bench);
}

static void
subjects_are_those_tested_with_their_share_and_power(void)
{
	struct finding findings[] = {
		subject(FINDING_FUNCTIONS, "small", 0.1, 0.2, 0.8),
		subject(FINDING_FUNCTIONS, "b", 0.2, 0.2, 0),
		subject(FINDING_TOTAL, "whole program", 0, 0, NAN),
		subject(FINDING_FUNCTIONS, "a", 0.3, 0.1, 2),
		subject(FINDING_FUNCTIONS, "untested", 0.9, 0.9, 2),
		subject(FINDING_FUNCTIONS, "large", 0.5, 0.7, 3),
	};
	static const struct {
		const char *name;
		double share;
		double q;
	} order[] = {{"whole program", 0, NAN}, {"large", 0.6, 3}, {"a", 0.2, 2}, {"b", 0.2, NAN},
		{"small", 0.15, 0.8}};
	const struct gate_policy policy = {.alpha = 0.05};
	struct judgement judgement = {.input.policy = &policy, .ncorrected = {4}};
	struct power power;

	findings[4].effect.tested = false;
	judgement.comparison.model.npairs = 10;
	judgement.verdict.findings = findings;
	judgement.verdict.nall = judgement.verdict.nfindings = 6;
	power_init(&power, &judgement, ONE_LOOK);
	CU_ASSERT_EQUAL_FATAL(power.nsubjects, 5);
	CU_ASSERT_EQUAL(power.npairs, 10);
	CU_ASSERT_EQUAL(power.ntests, 4);
	UNIT_NEAR(power.level, 0.0125, 1e-15);
	for (size_t i = 0; i < 5; i++) {
		const struct power_subject *one = &power.subjects[i];

		UNIT_STR_EQ(one->finding->subject, order[i].name);
		UNIT_NEAR(one->share, order[i].share, 1e-12);
		CU_ASSERT(isnan(order[i].q) ? isnan(one->q) : one->q == order[i].q);
		/* As with 9 + 20 - 10 degrees of freedom and the error of 20 pairs. */
		UNIT_NEAR(one->detectable[2], model_detectable(0, 0.02 * M_SQRT1_2, 19, 0.0125),
			1e-12);
		UNIT_NEAR(
			one->detectable[0], model_detectable(0, 0.02 * M_SQRT2, 4, 0.0125), 1e-12);
	}
	power_release(&power);
	/* For a gate without tests nothing is divided by 0. */
	judgement.verdict.nall = judgement.verdict.nfindings = 0;
	judgement.ncorrected[0] = 0;
	power_init(&power, &judgement, ONE_LOOK);
	CU_ASSERT_EQUAL(power.nsubjects, 0);
	UNIT_NEAR(power.level, 0.05, 0);
	power_release(&power);
}

/* Whatever the order in which they were judged. */
static void
counters_come_behind_what_has_a_share(void)
{
	static const char *const order[] = {
		"whole program", "large", "small", "max_rss", "page_faults"};
	const struct finding all[] = {
		subject(FINDING_FUNCTIONS, "small", 0.1, 0.1, 1),
		subject(FINDING_COUNTERS, "page_faults", NAN, NAN, NAN),
		subject(FINDING_FUNCTIONS, "large", 0.5, 0.5, 1),
		subject(FINDING_COUNTERS, "max_rss", NAN, NAN, NAN),
		subject(FINDING_TOTAL, "whole program", 1, 1, NAN),
	};
	const struct gate_policy policy = {.alpha = 0.05};

	for (size_t first = 0; first < 5; first++) {
		struct judgement judgement = {.input.policy = &policy, .ncorrected = {4}};
		struct finding findings[5];
		struct power power;

		for (size_t i = 0; i < 5; i++)
			findings[i] = all[(first + i) % 5];
		judgement.comparison.model.npairs = 10;
		judgement.verdict.findings = findings;
		judgement.verdict.nall = judgement.verdict.nfindings = 5;
		power_init(&power, &judgement, ONE_LOOK);
		CU_ASSERT_EQUAL_FATAL(power.nsubjects, 5);
		for (size_t i = 0; i < 5; i++)
			UNIT_STR_EQ(power.subjects[i].finding->subject, order[i]);
		power_release(&power);
	}
}

static void
the_fewest_pairs_are_told_up_to_a_limit(void)
{
	struct finding finding = subject(FINDING_FUNCTIONS, "f", 0.1, 0.1, 1);
	const struct gate_policy policy = {.alpha = 0.05};
	struct judgement judgement = {.input.policy = &policy, .ncorrected = {1}};
	struct power power;

	judgement.comparison.model.npairs = 10;
	judgement.verdict.findings = &finding;
	judgement.verdict.nall = judgement.verdict.nfindings = 1;
	power_init(&power, &judgement, ONE_LOOK);
	const size_t needed = power_pairs_needed(&power, &power.subjects[0], 100);

	CU_ASSERT(power_detectable(&power, &power.subjects[0], needed) <= 0.1);
	CU_ASSERT(power_detectable(&power, &power.subjects[0], needed - 1) > 0.1);
	CU_ASSERT_EQUAL(power_pairs_needed(&power, &power.subjects[0], needed), needed);
	CU_ASSERT_EQUAL(power_pairs_needed(&power, &power.subjects[0], needed - 1), 0);
	finding.asked = NAN;
	CU_ASSERT_EQUAL(power_pairs_needed(&power, &power.subjects[0], 100), 0);
	power_release(&power);
}

void
suite_gate_power(void)
{
	static const struct unit_case cases[] = {
		{"the_whole_program_comes_first_and_functions_by_share",
			the_whole_program_comes_first_and_functions_by_share},
		{"more_pairs_see_smaller_growth", more_pairs_see_smaller_growth},
		{"detectable_growth_is_that_of_the_last_look",
			detectable_growth_is_that_of_the_last_look},
		{"a_test_without_a_threshold_needs_nothing",
			a_test_without_a_threshold_needs_nothing},
		{"subjects_are_those_tested_with_their_share_and_power",
			subjects_are_those_tested_with_their_share_and_power},
		{"counters_come_behind_what_has_a_share", counters_come_behind_what_has_a_share},
		{"the_fewest_pairs_are_told_up_to_a_limit",
			the_fewest_pairs_are_told_up_to_a_limit},
		{NULL, NULL},
	};

	unit_suite("gate/power", cases);
}
