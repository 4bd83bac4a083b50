#include "profile/sample_times.h"

#include "unit.h"

void suite_profile_sample_times(void);

static void
add(struct sample_times *times, uint32_t pid, uint32_t tid, uint64_t end_ns, double weight)
{
	const struct timed_sample sample = {
		.begin_ns = end_ns,
		.end_ns = end_ns,
		.weight = weight,
		.thread = sample_times_thread(times, pid, tid),
	};

	sample_times_add(times, &sample);
}

static void
samples_come_out_in_order_of_time(void)
{
	struct sample_times times;

	sample_times_init(&times);
	add(&times, 1, 1, 30, 1);
	add(&times, 1, 2, 10, 1);
	add(&times, 1, 1, 20, 1);
	sample_times_finish(&times);
	for (size_t i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(times.samples[i].end_ns, 10 * (i + 1));
	CU_ASSERT_EQUAL(times.end_ns, 30);
	CU_ASSERT_EQUAL(sample_times_nthreads(&times), 2);
	CU_ASSERT_EQUAL(times.threads[0].nsamples, 2);
	const struct timed_sample *of_one = sample_times_first(&times, 0);

	CU_ASSERT_PTR_NOT_NULL_FATAL(of_one);
	CU_ASSERT_EQUAL(of_one->end_ns, 20);
	of_one = sample_times_after(&times, of_one);
	CU_ASSERT_PTR_NOT_NULL_FATAL(of_one);
	CU_ASSERT_EQUAL(of_one->end_ns, 30);
	CU_ASSERT_PTR_NULL(sample_times_after(&times, of_one));
	sample_times_release(&times);
}

static void
a_thread_is_found_by_id_by_name_or_by_weight(void)
{
	struct sample_times times;

	sample_times_init(&times);
	add(&times, 1, 1, 1, 2);
	add(&times, 1, 7, 2, 5);
	add(&times, 1, 8, 3, 3);
	sample_times_set_name(&times, 0, "8");
	sample_times_set_name(&times, 1, "io_pool");
	sample_times_set_name(&times, 2, "io_pool");
	CU_ASSERT_EQUAL(sample_times_find_thread(&times, NULL), 1);
	CU_ASSERT_EQUAL(sample_times_find_thread(&times, "io pool"), 1);
	/* The id counts more than the name of another. */
	CU_ASSERT_EQUAL(sample_times_find_thread(&times, "8"), 2);
	CU_ASSERT_EQUAL(sample_times_find_thread(&times, "io"), SIZE_MAX);
	CU_ASSERT_EQUAL(sample_times_find_thread(&times, "io_pool2"), SIZE_MAX);
	sample_times_release(&times);
}

static void
the_interval_is_that_of_the_frequency_else_the_median_gap(void)
{
	struct sample_times times;
	struct profile profile;

	sample_times_init(&times);
	profile_init(&profile);
	CU_ASSERT_EQUAL(sample_times_interval_ns(&times, &profile), 0);
	add(&times, 1, 1, 100, 1);
	add(&times, 1, 2, 105, 1);
	add(&times, 1, 1, 110, 1);
	add(&times, 1, 1, 120, 1);
	add(&times, 1, 1, 900, 1);
	CU_ASSERT_EQUAL(sample_times_interval_ns(&times, &profile), 10);
	profile.frequency_hz = 1000;
	CU_ASSERT_EQUAL(sample_times_interval_ns(&times, &profile), 1000000);
	profile_release(&profile);
	sample_times_release(&times);
}

static void
a_phase_lasts_until_the_next_one(void)
{
	static const struct {
		uint64_t begin_ns;
		uint64_t end_ns;
		const char *name;
	} wanted[] = {{10, 20, "parse"}, {20, 30, "print"}, {50, 80, "parse"}};
	struct sample_times times;

	sample_times_init(&times);
	add(&times, 1, 1, 80, 1);
	sample_times_begin_phase(&times, 5, "", 0);
	sample_times_begin_phase(&times, 10, "parse", 5);
	sample_times_begin_phase(&times, 20, "print", 5);
	sample_times_begin_phase(&times, 30, "", 0);
	sample_times_begin_phase(&times, 50, "parse", 5);
	sample_times_finish(&times);
	CU_ASSERT_EQUAL_FATAL(times.nphases, 3);
	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(times.phases[i].begin_ns, wanted[i].begin_ns);
		CU_ASSERT_EQUAL(times.phases[i].end_ns, wanted[i].end_ns);
		UNIT_STR_EQ(strtab_str(&times.names, times.phases[i].name), wanted[i].name);
	}
	sample_times_release(&times);
}

#define SLICES 4

static void
slices_add(void *context, size_t slice, double weight)
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

	time_slices_spread(slices, &sample, slices_add, weights);
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
	{"samples_come_out_in_order_of_time", samples_come_out_in_order_of_time},
	{"a_thread_is_found_by_id_by_name_or_by_weight",
		a_thread_is_found_by_id_by_name_or_by_weight},
	{"the_interval_is_that_of_the_frequency_else_the_median_gap",
		the_interval_is_that_of_the_frequency_else_the_median_gap},
	{"a_phase_lasts_until_the_next_one", a_phase_lasts_until_the_next_one},
	{"a_sample_is_in_the_slice_of_its_moment", a_sample_is_in_the_slice_of_its_moment},
	{"a_time_is_spread_over_what_it_lasted", a_time_is_spread_over_what_it_lasted},
	{NULL, NULL},
};

void
suite_profile_sample_times(void)
{
	unit_suite("profile/sample_times", cases);
}
