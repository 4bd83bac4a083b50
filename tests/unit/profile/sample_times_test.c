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

static const struct unit_case cases[] = {
	{"samples_come_out_in_order_of_time", samples_come_out_in_order_of_time},
	{"a_thread_is_found_by_id_by_name_or_by_weight",
		a_thread_is_found_by_id_by_name_or_by_weight},
	{"the_interval_is_that_of_the_frequency_else_the_median_gap",
		the_interval_is_that_of_the_frequency_else_the_median_gap},
	{NULL, NULL},
};

void
suite_profile_sample_times(void)
{
	unit_suite("profile/sample_times", cases);
}
