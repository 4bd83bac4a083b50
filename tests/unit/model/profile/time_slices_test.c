#include "profile/sample_times.h"

#include "unit.h"

void suite_profile_time_slices(void);

#define SLICES 4

static void
add(void *context, size_t slice, double weight)
{
	double *weights = context;

	CU_ASSERT_FATAL(slice < SLICES);
	weights[slice] += weight;
}

static void
check(const struct time_slices *slices, uint64_t begin_ns, uint64_t end_ns, double weight,
	const double expected[SLICES])
{
	const struct timed_sample sample = {
		.begin_ns = begin_ns, .end_ns = end_ns, .weight = weight};
	double weights[SLICES] = {0};

	time_slices_spread(slices, &sample, add, weights);
	for (size_t i = 0; i < SLICES; i++)
		CU_ASSERT_DOUBLE_EQUAL(weights[i], expected[i], 1e-9);
}

static void
a_sample_is_in_the_slice_of_its_moment(void)
{
	const struct time_slices slices = {.begin_ns = 100, .slice_ns = 10, .count = SLICES};

	check(&slices, 90, 100, 1, (const double[]){1, 0, 0, 0});
	check(&slices, 110, 119, 2, (const double[]){0, 2, 0, 0});
	check(&slices, 110, 120, 2, (const double[]){0, 0, 2, 0});
	/* The end of all belongs to the last. */
	check(&slices, 130, 140, 1, (const double[]){0, 0, 0, 1});
	check(&slices, 130, 141, 1, (const double[]){0, 0, 0, 0});
	check(&slices, 80, 99, 1, (const double[]){0, 0, 0, 0});
}

static void
a_time_is_spread_over_what_it_lasted(void)
{
	const struct time_slices slices = {
		.begin_ns = 100, .slice_ns = 10, .count = SLICES, .of_times = true};

	check(&slices, 105, 125, 20, (const double[]){5, 10, 5, 0});
	/* What lies outside is not counted. */
	check(&slices, 90, 150, 60, (const double[]){10, 10, 10, 10});
	check(&slices, 0, 100, 100, (const double[]){0, 0, 0, 0});
}

static const struct unit_case cases[] = {
	{"a_sample_is_in_the_slice_of_its_moment", a_sample_is_in_the_slice_of_its_moment},
	{"a_time_is_spread_over_what_it_lasted", a_time_is_spread_over_what_it_lasted},
	{NULL, NULL},
};

void
suite_profile_time_slices(void)
{
	unit_suite("profile/time_slices", cases);
}
