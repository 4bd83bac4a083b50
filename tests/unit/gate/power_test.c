#include "gate/power.h"

#include "gate/paired_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_power(void);

static void
init(struct paired_bench *bench, struct power *power)
{
	const struct synthetic program = synthetic_program(20);

	paired_bench_init(bench, &program, 12, NULL);
	paired_bench_judge(bench);
	power_init(power, &bench->judgement);
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
		UNIT_NEAR(power_detectable(&power, subject, 12),
			subject->finding->effect.detectable, 1e-9);
	}
	power_release(&power);
	paired_bench_release(&bench);
}

static void
what_is_not_asked_about_needs_nothing(void)
{
	struct paired_bench bench;
	struct power power;

	init(&bench, &power);
	power_release(&power);
	bench.policy.total = (struct threshold){NAN, NAN};
	paired_bench_judge(&bench);
	power_init(&power, &bench.judgement);
	CU_ASSERT_EQUAL(power_pairs_needed(&power, &power.subjects[0], 60), 0);
	CU_ASSERT_TRUE(power_pairs_needed(&power, &power.subjects[1], 1000) > 0);
	power_release(&power);
	/* Again, as of one that is empty. */
	power_release(&power);
	paired_bench_release(&bench);
}

void
suite_gate_power(void)
{
	static const struct unit_case cases[] = {
		{"the_whole_program_comes_first_and_functions_by_share",
			the_whole_program_comes_first_and_functions_by_share},
		{"more_pairs_see_smaller_growth", more_pairs_see_smaller_growth},
		{"what_is_not_asked_about_needs_nothing", what_is_not_asked_about_needs_nothing},
		{NULL, NULL},
	};

	unit_suite("gate/power", cases);
}
