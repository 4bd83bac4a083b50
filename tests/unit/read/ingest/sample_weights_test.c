/* The weights of samples, and how many samples of equal weight they are worth. */
#include "ingest/sample_weights.h"
#include "profile/weights.h"
#include "unit.h"

void suite_ingest_sample_weights(void);

/*
 * Kish, Survey Sampling (1965), section 11.7. By hand: 10 and 990 give 1000^2 / 980200; 1, 2, 3 and
 * 4 give 100 / 30.
 */
static void
unequal_periods_are_worth_fewer_samples(void)
{
	static const struct {
		uint64_t periods[4];
		double effective;
	} cases[] = {{{10, 990, 0, 0}, 1.0201999591920017}, {{1, 2, 3, 4}, 10.0 / 3}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample_weights weights;
		struct profile profile;
		struct run run = {0};
		double scale;

		profile_init(&profile);
		sample_weights_init(&weights, SAMPLE_WEIGHS_AUTO, false);
		for (size_t k = 0; k < 4; k++)
			CU_ASSERT_EQUAL(sample_weights_take(&weights, cases[i].periods[k], &scale),
				(double)cases[i].periods[k]);
		sample_weights_describe(&weights, "page-faults:u", &profile, &run);
		CU_ASSERT_DOUBLE_EQUAL(run.effective_samples, cases[i].effective, 1e-12);
		CU_ASSERT_EQUAL(run.samples, 4);
		CU_ASSERT(weights_are_periods(&profile));
		UNIT_STR_EQ(weights_unit(&profile), "page-faults");
		profile_release(&profile);
	}
}

static void
a_clock_goes_over_to_periods_where_they_differ(void)
{
	struct sample_weights weights;
	double scale;

	sample_weights_init(&weights, SAMPLE_WEIGHS_AUTO, true);
	CU_ASSERT_EQUAL(sample_weights_take(&weights, 250, &scale), 1);
	CU_ASSERT_EQUAL(sample_weights_take(&weights, 250, &scale), 1);
	CU_ASSERT_EQUAL(scale, 1);
	CU_ASSERT_EQUAL(sample_weights_take(&weights, 1000, &scale), 1000);
	CU_ASSERT_EQUAL(scale, 250);
	CU_ASSERT_EQUAL(sample_weights_take(&weights, 250, &scale), 250);
	CU_ASSERT_EQUAL(scale, 1);
}

/* Sampled instructions are not counted ones, though both have that unit. */
static void
sampled_instructions_are_not_counted(void)
{
	struct sample_weights weights;
	struct profile profile;
	struct run run = {0};
	double scale;

	profile_init(&profile);
	sample_weights_init(&weights, SAMPLE_WEIGHS_AUTO, false);
	sample_weights_take(&weights, 1000, &scale);
	sample_weights_describe(&weights, "instructions", &profile, &run);
	CU_ASSERT(!weights_are_counted(&profile));
	UNIT_STR_EQ(weights_samples_noun(&profile), "samples");
	profile_release(&profile);
}

void
suite_ingest_sample_weights(void)
{
	static const struct unit_case cases[] = {
		{"unequal_periods_are_worth_fewer_samples",
			unequal_periods_are_worth_fewer_samples},
		{"a_clock_goes_over_to_periods_where_they_differ",
			a_clock_goes_over_to_periods_where_they_differ},
		{"sampled_instructions_are_not_counted", sampled_instructions_are_not_counted},
		{NULL, NULL},
	};

	unit_suite("ingest/sample_weights", cases);
}
