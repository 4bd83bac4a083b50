#include "gate/advice.h"

#include "compare/model.h"
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
	bench.tally = (struct rehearsal_tally){.ngates = 100, .with = {80, 0, 0, 20}};
	advice_bench_conclude(&bench);
	CU_ASSERT_TRUE(bench.advice.short_runs);
	CU_ASSERT_TRUE(bench.advice.false_alarms);
	advice_bench_release(&bench);
}

#define SUBJECTS_MAX 8

/* Subjects of which it is given what 10 pairs detect, and the advice from them. */
struct given {
	struct finding findings[SUBJECTS_MAX];
	struct power_subject subjects[SUBJECTS_MAX];
	struct power power;
	struct workload workload;
	struct judgement judgement;
	struct calibration_noise noise;
	struct calibration_dispersion dispersion;
	struct rehearsal_tally rehearsal;
	struct advice_request request;
	struct advice advice;
};

static void
given_init(struct given *given)
{
	*given = (struct given){
		/* One look, however many pairs there may be. */
		.power = {.subjects = given->subjects, .npairs = 10, .runs = 200, .level = 0.05},
		.workload = {.gate = {.floor = 0.01, .alpha = 0.05}},
		.judgement = {.input = {.workload = &given->workload}},
		.noise = {.cpu_s = 1},
		.dispersion = {.median = 3},
		.rehearsal = {.ngates = 100, .with = {90, 4, 5, 1}},
		.request =
			{
				.judgement = &given->judgement,
				.power = &given->power,
				.noise = &given->noise,
				.dispersion = &given->dispersion,
				.rehearsal = &given->rehearsal,
				.runs = 10,
				.max_runs = 10,
				.frequency_hz = 4999,
			},
	};
}

/* A growth of `seen` is detectable with 10 pairs; its logarithm goes with 1 / sqrt(pairs). */
static void
given_add(struct given *given, enum finding_rule rule, double share, double asked, double seen)
{
	struct finding *finding = &given->findings[given->power.nsubjects];

	*finding = finding_of(rule, "f");
	finding->asked = asked;
	finding->effect.tested = true;
	finding->effect.margin = 0;
	finding->effect.df = INFINITY;
	finding->effect.standard_error =
		log1p(seen) / model_detectable_reach(INFINITY, given->power.level);
	given->subjects[given->power.nsubjects++] =
		(struct power_subject){.finding = finding, .share = share};
}

static void
given_conclude(struct given *given)
{
	advice_release(&given->advice);
	advice_init(&given->advice, &given->request);
}

static void
expect_runs(struct given *given, size_t runs, size_t nopen, size_t nnever)
{
	given_conclude(given);
	CU_ASSERT_EQUAL(given->advice.runs, runs);
	CU_ASSERT_EQUAL(given->advice.nopen, nopen);
	CU_ASSERT_EQUAL(given->advice.nnever, nnever);
}

static void
runs_are_those_that_the_least_sensitive_threshold_needs(void)
{
	struct given given;

	given_init(&given);
	given.request.max_runs = 30;
	/* 10 * (ln 1.02 / ln 1.15)^2 is 0.2, but there are at least 5 runs. */
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.15, 0.02);
	given_add(&given, FINDING_FUNCTIONS, 0.2, NAN, 0.5);
	expect_runs(&given, 5, 0, 0);
	/* 10 * (ln 1.149 / ln 1.15)^2 is 9.9. */
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.15, 0.149);
	expect_runs(&given, 10, 0, 0);
	/* 10 * (ln 1.15 / ln 1.1)^2 is 21.5. */
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.1, 0.15);
	expect_runs(&given, 22, 1, 0);
	/* A workload may have more runs than a gate may add. */
	given.request.runs = 21;
	given.request.max_runs = 20;
	expect_runs(&given, 21, 1, 1);
	given.request.runs = 22;
	expect_runs(&given, 22, 0, 0);
	advice_release(&given.advice);
}

static void
runs_are_not_reduced_where_a_threshold_is_out_of_reach(void)
{
	struct given given;

	given_init(&given);
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.15, 0.02);
	expect_runs(&given, 5, 0, 0);
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.01, 0.3);
	expect_runs(&given, 10, 1, 1);
	advice_release(&given.advice);
}

/* Up to 2 % in steps of 0.1 %, up to 10 % of 0.5 %, then of 1 %; a warning at two thirds. */
static void
thresholds_are_rounded_up_to_what_people_would_set(void)
{
	static const struct {
		double seen;
		double fail;
		double warn;
	} cases[] = {
		{0.0121, 0.013, 0.008},
		{0.0512, 0.055, 0.036},
		{0.0951, 0.1, 0.066},
		{0.1234, 0.13, 0.086},
		{0.3, 0.3, 0.2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct given given;

		given_init(&given);
		given_add(&given, FINDING_TOTAL, 1, 0.01, cases[i].seen);
		given_conclude(&given);
		UNIT_NEAR(given.advice.total.fail, cases[i].fail, 1e-12);
		UNIT_NEAR(given.advice.total.warn, cases[i].warn, 1e-12);
		CU_ASSERT_EQUAL(given.advice.nrules, 0);
		CU_ASSERT(advice_changes(&given.advice, 10));
		advice_release(&given.advice);
	}
}

static void
the_floor_is_raised_for_small_functions(void)
{
	struct given given;

	given_init(&given);
	/* 50 % of 2 % is 1 % of the program, and of 3 % 1.5 %. */
	given_add(&given, FINDING_FUNCTIONS, 0.02, 0.15, 0.5);
	given_add(&given, FINDING_FUNCTIONS, 0.03, 0.15, 0.5);
	given_add(&given, FINDING_FUNCTIONS, 0.01, 0.15, 0.4);
	given_conclude(&given);
	UNIT_NEAR(given.advice.floor, 0.015, 1e-12);
	CU_ASSERT_EQUAL(given.advice.nrules, 0);
	CU_ASSERT(advice_changes(&given.advice, 10));
	/* 2.1 % is more than twice the floor: its own threshold. */
	given_add(&given, FINDING_FUNCTIONS, 0.07, 0.15, 0.3);
	/* A rule is no single function. */
	given_add(&given, FINDING_NAMED, 0.01, 0.15, 0.25);
	given_conclude(&given);
	UNIT_NEAR(given.advice.floor, 0.015, 1e-12);
	CU_ASSERT_EQUAL_FATAL(given.advice.nrules, 2);
	CU_ASSERT_PTR_EQUAL(given.advice.rules[0].subject, &given.subjects[3]);
	UNIT_NEAR(given.advice.rules[0].threshold.fail, 0.3, 1e-12);
	CU_ASSERT_PTR_EQUAL(given.advice.rules[1].subject, &given.subjects[4]);
	UNIT_NEAR(given.advice.rules[1].threshold.fail, 0.25, 1e-12);
	advice_release(&given.advice);
}

static void
more_than_five_functions_share_the_largest_threshold(void)
{
	struct given given;

	given_init(&given);
	given_add(&given, FINDING_NAMED, 0.2, 0.1, 0.9);
	for (int i = 0; i < ADVICE_RULES_MAX; i++)
		given_add(&given, FINDING_FUNCTIONS, 0.2, 0.1, i == 1 ? 0.4 : 0.2);
	given_conclude(&given);
	CU_ASSERT_EQUAL(given.advice.nrules, 1 + ADVICE_RULES_MAX);
	CU_ASSERT(isnan(given.advice.functions.fail));
	CU_ASSERT(advice_changes(&given.advice, 10));
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.1, 0.2);
	given_conclude(&given);
	CU_ASSERT_EQUAL_FATAL(given.advice.nrules, 1);
	CU_ASSERT_PTR_EQUAL(given.advice.rules[0].subject, &given.subjects[0]);
	UNIT_NEAR(given.advice.functions.fail, 0.4, 1e-12);
	UNIT_NEAR(given.advice.functions.warn, 0.266, 1e-12);
	/* One threshold for all, and then its own, are a change each. */
	given.findings[0].asked = NAN;
	given_conclude(&given);
	CU_ASSERT_EQUAL(given.advice.nrules, 0);
	CU_ASSERT(advice_changes(&given.advice, 10));
	given.power.nsubjects = 2;
	given_conclude(&given);
	CU_ASSERT_EQUAL(given.advice.nrules, 1);
	CU_ASSERT(isnan(given.advice.functions.fail));
	CU_ASSERT(advice_changes(&given.advice, 10));
	advice_release(&given.advice);
}

static void
a_higher_frequency_is_advised_where_sampling_is_the_noise(void)
{
	static const struct {
		double median;
		enum advice_source source;
	} sources[] = {{NAN, ADVICE_UNKNOWN}, {2, ADVICE_SAMPLING}, {2.01, ADVICE_MIXED},
		{3.99, ADVICE_MIXED}, {4, ADVICE_RUNS}};
	static const struct {
		double now;
		double advised;
	} frequencies[] = {{999, 4999}, {4999, 9999}, {9998, 9999}, {9999, NAN}};
	struct given given;

	given_init(&given);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		given.dispersion.median = sources[i].median;
		given_conclude(&given);
		CU_ASSERT_EQUAL(given.advice.source, sources[i].source);
	}
	given.dispersion.median = 1;
	given_conclude(&given);
	CU_ASSERT(isnan(given.advice.frequency_hz));
	/* 11 runs detect the threshold, so it stays as it is. */
	given.request.max_runs = 30;
	given_add(&given, FINDING_FUNCTIONS, 0.2, 0.15, 0.155);
	for (size_t i = 0; i < sizeof(frequencies) / sizeof(frequencies[0]); i++) {
		bool leave = isnan(frequencies[i].advised);

		given.request.frequency_hz = frequencies[i].now;
		given_conclude(&given);
		CU_ASSERT(leave ? isnan(given.advice.frequency_hz)
				: given.advice.frequency_hz == frequencies[i].advised);
		CU_ASSERT_EQUAL(given.advice.runs, 11);
		CU_ASSERT_EQUAL(advice_changes(&given.advice, 11), !leave);
		CU_ASSERT(advice_changes(&given.advice, 10));
	}
	advice_release(&given.advice);
}

static void
half_a_second_is_no_short_run_and_nine_failures_of_100_may_be_chance(void)
{
	struct given given;

	given_init(&given);
	given.noise.cpu_s = 0.5;
	/* The 95 % interval of 9 of 100 is 4.8 to 16.2 %, of 10 it begins at 5.5 %. */
	given.rehearsal.with[STATUS_FAIL] = 9;
	given_conclude(&given);
	CU_ASSERT_FALSE(given.advice.short_runs);
	CU_ASSERT_FALSE(given.advice.false_alarms);
	CU_ASSERT_FALSE(advice_changes(&given.advice, 10));
	given.noise.cpu_s = 0.499;
	given.rehearsal.with[STATUS_FAIL] = 10;
	given_conclude(&given);
	CU_ASSERT(given.advice.short_runs);
	CU_ASSERT(given.advice.false_alarms);
	advice_release(&given.advice);
	/* Again, as of one that is empty. */
	advice_release(&given.advice);
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
		{"runs_are_those_that_the_least_sensitive_threshold_needs",
			runs_are_those_that_the_least_sensitive_threshold_needs},
		{"runs_are_not_reduced_where_a_threshold_is_out_of_reach",
			runs_are_not_reduced_where_a_threshold_is_out_of_reach},
		{"thresholds_are_rounded_up_to_what_people_would_set",
			thresholds_are_rounded_up_to_what_people_would_set},
		{"the_floor_is_raised_for_small_functions",
			the_floor_is_raised_for_small_functions},
		{"more_than_five_functions_share_the_largest_threshold",
			more_than_five_functions_share_the_largest_threshold},
		{"a_higher_frequency_is_advised_where_sampling_is_the_noise",
			a_higher_frequency_is_advised_where_sampling_is_the_noise},
		{"half_a_second_is_no_short_run_and_nine_failures_of_100_may_be_chance",
			half_a_second_is_no_short_run_and_nine_failures_of_100_may_be_chance},
		{NULL, NULL},
	};

	unit_suite("gate/advice", cases);
}
