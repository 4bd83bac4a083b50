#include "gate/advice.h"

#include "gate/advice_bench.h"
#include "unit.h"

#include <math.h>

void suite_gate_advice(void);

static void
settings_that_fit_are_left_alone(void)
{
	struct synthetic program = synthetic_program(10);
	struct advice_bench bench;

	program.run_noise = 0.002;
	advice_bench_init(&bench, &program, 20);
	bench.paired.policy.functions.fail = bench.paired.policy.total.fail = 0.5;
	bench.paired.policy.floor = 0.05;
	bench.paired.workload.capture.runs = 10;
	advice_bench_conclude(&bench);
	CU_ASSERT_EQUAL(bench.advice.nopen, 0);
	CU_ASSERT_EQUAL(bench.advice.runs, 5);
	CU_ASSERT_FALSE(advice_changes(&bench.advice, 10));
	CU_ASSERT_FALSE(bench.advice.short_runs);
	CU_ASSERT_FALSE(bench.advice.false_alarms);
	advice_bench_release(&bench);
}

static void
more_runs_come_before_higher_thresholds(void)
{
	struct synthetic program = synthetic_program(10);
	struct advice_bench bench;

	program.run_noise = 0.002;
	advice_bench_init(&bench, &program, 20);
	bench.paired.policy.functions.fail = 0.08;
	bench.paired.workload.capture.max_runs = 60;
	advice_bench_conclude(&bench);
	CU_ASSERT_TRUE(bench.advice.nopen > 0);
	CU_ASSERT_TRUE(bench.advice.runs > 5);
	CU_ASSERT_TRUE(bench.advice.runs <= 60);
	CU_ASSERT_TRUE(advice_changes(&bench.advice, 5));
	for (size_t i = 0; i < bench.power.nsubjects; i++) {
		const struct power_subject *subject = &bench.power.subjects[i];

		if (power_pairs_needed(&bench.power, subject, 60) > 0)
			CU_ASSERT_TRUE(power_detectable(&bench.power, subject, bench.advice.runs) <=
				       subject->finding->asked);
	}
	advice_bench_release(&bench);
}

static void
a_function_that_is_never_seen_gets_thresholds_that_it_is_seen_by(void)
{
	struct synthetic program = synthetic_program(10);
	struct advice_bench bench;

	program.run_noise = 0.002;
	program.noise[0] = 0.3;
	advice_bench_init(&bench, &program, 20);
	bench.paired.policy.functions.fail = 0.2;
	bench.paired.policy.total.fail = 0.9;
	advice_bench_conclude(&bench);
	CU_ASSERT_EQUAL(bench.advice.nnever, 1);
	CU_ASSERT_EQUAL_FATAL(bench.advice.nrules, 1);
	const struct advice_rule *rule = &bench.advice.rules[0];

	UNIT_STR_EQ(rule->subject->finding->subject, "f00");
	CU_ASSERT_TRUE(rule->threshold.fail >=
		       power_detectable(&bench.power, rule->subject, bench.advice.runs));
	CU_ASSERT_TRUE(rule->threshold.fail > 0.2);
	CU_ASSERT_TRUE(rule->threshold.warn < rule->threshold.fail);
	CU_ASSERT_TRUE(isnan(bench.advice.total.fail));
	advice_bench_release(&bench);
}

static void
many_such_functions_share_a_threshold(void)
{
	struct synthetic program = synthetic_program(12);
	struct advice_bench bench;

	for (size_t i = 0; i < 12; i++)
		program.noise[i] = 0.2;
	advice_bench_init(&bench, &program, 12);
	advice_bench_conclude(&bench);
	CU_ASSERT_TRUE(bench.advice.functions.fail > 0.03);
	CU_ASSERT_TRUE(bench.advice.functions.warn < bench.advice.functions.fail);
	CU_ASSERT_EQUAL(bench.advice.nrules, 0);
	CU_ASSERT_TRUE(bench.advice.total.fail > 0.03);
	CU_ASSERT_EQUAL(bench.advice.source, ADVICE_RUNS);
	CU_ASSERT_TRUE(isnan(bench.advice.frequency_hz));
	advice_bench_release(&bench);
}

static void
where_sampling_is_the_noise_more_samples_are_advised(void)
{
	struct synthetic program = synthetic_program(12);
	struct advice_bench bench;

	program.run_noise = 0.0005;
	advice_bench_init(&bench, &program, 12);
	advice_bench_conclude(&bench);
	CU_ASSERT_TRUE(bench.advice.nopen > 0);
	CU_ASSERT_EQUAL(bench.advice.source, ADVICE_SAMPLING);
	UNIT_NEAR(bench.advice.frequency_hz, 9999, 0);
	advice_bench_release(&bench);
}

static void
short_runs_and_false_alarms_are_told(void)
{
	struct synthetic program = synthetic_program(5);
	struct advice_bench bench;

	for (size_t i = 0; i < 5; i++)
		program.share[i] /= 4;
	advice_bench_init(&bench, &program, 8);
	bench.tallies[REHEARSAL_ONE_STAGE] =
		(struct rehearsal_tally){.ngates = 100, .with = {80, 0, 0, 20}};
	advice_bench_conclude(&bench);
	CU_ASSERT_TRUE(bench.advice.short_runs);
	CU_ASSERT_TRUE(bench.advice.false_alarms);
	advice_bench_release(&bench);
}

void
suite_gate_advice(void)
{
	static const struct unit_case cases[] = {
		{"settings_that_fit_are_left_alone", settings_that_fit_are_left_alone},
		{"more_runs_come_before_higher_thresholds",
			more_runs_come_before_higher_thresholds},
		{"a_function_that_is_never_seen_gets_thresholds_that_it_is_seen_by",
			a_function_that_is_never_seen_gets_thresholds_that_it_is_seen_by},
		{"many_such_functions_share_a_threshold", many_such_functions_share_a_threshold},
		{"where_sampling_is_the_noise_more_samples_are_advised",
			where_sampling_is_the_noise_more_samples_are_advised},
		{"short_runs_and_false_alarms_are_told", short_runs_and_false_alarms_are_told},
		{NULL, NULL},
	};

	unit_suite("gate/advice", cases);
}
