#include "compare/phases.h"

#include "base/random.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_compare_phases(void);

#define SAMPLE_NS UINT64_C(1000000)
#define FUNCTIONS 4

/* Samples a millisecond apart, each of one of four functions. */
struct bench {
	struct profile profile;
	struct sample_times times;
	struct phases phases;
	node_id nodes[FUNCTIONS];
	struct random random;
};

static void
begin(struct bench *bench, uint64_t seed)
{
	static const char *const names[FUNCTIONS] = {"load", "parse", "print", "save"};

	*bench = (struct bench){.random = {random_mix(seed)}};
	profile_init(&bench->profile);
	profile_add_run(&bench->profile);
	sample_times_init(&bench->times);
	for (size_t i = 0; i < FUNCTIONS; i++)
		bench->nodes[i] = ctree_child(&bench->profile.tree, CTREE_ROOT,
			profile_frame(&bench->profile, names[i], strlen(names[i]), FRAME_USER));
}

/* `count` samples, of function i with a probability of shares[i]. */
static void
add(struct bench *bench, size_t count, const double shares[FUNCTIONS])
{
	const uint64_t last = bench->times.end_ns;

	for (size_t i = 1; i <= count; i++) {
		double drawn = random_unit(&bench->random);
		size_t function = 0;

		while (function + 1 < FUNCTIONS && drawn >= shares[function])
			drawn -= shares[function++];
		const struct timed_sample sample = {
			.begin_ns = last + (i - 1) * SAMPLE_NS,
			.end_ns = last + i * SAMPLE_NS,
			.weight = 1,
			.node = bench->nodes[function],
			.thread = sample_times_thread(&bench->times, 1, 1),
		};

		sample_times_add(&bench->times, &sample);
	}
}

/*
 * `count` samples, one a millisecond, whose functions are the digits of `pattern` again and again:
 * a slice has ten of them.
 */
static void
repeat(struct bench *bench, size_t count, const char *pattern)
{
	size_t first = bench->times.nsamples;

	for (size_t i = 0; i < count; i++) {
		const uint64_t begin_ns = (first + i) * SAMPLE_NS;
		const struct timed_sample sample = {
			.begin_ns = begin_ns,
			.end_ns = begin_ns + SAMPLE_NS / 2,
			.weight = 1,
			.node = bench->nodes[pattern[i % strlen(pattern)] - '0'],
			.thread = sample_times_thread(&bench->times, 1, 1),
		};

		sample_times_add(&bench->times, &sample);
	}
}

static void
find(struct bench *bench)
{
	phases_find(&bench->phases, &bench->profile, &bench->times);
}

static void
end(struct bench *bench)
{
	phases_release(&bench->phases);
	sample_times_release(&bench->times);
	profile_release(&bench->profile);
}

static void
a_startup_is_found_where_it_ends(void)
{
	struct bench bench;

	begin(&bench, 1);
	add(&bench, 200, (const double[]){0.9, 0.1, 0, 0});
	add(&bench, 800, (const double[]){0, 0.6, 0.4, 0});
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 2);
	CU_ASSERT_EQUAL(bench.phases.startup, 1);
	CU_ASSERT_FALSE(bench.phases.ends_otherwise);
	/* A slice is 10 ms. */
	UNIT_NEAR(phases_startup_ns(&bench.phases), 200 * SAMPLE_NS, 10 * SAMPLE_NS);
	CU_ASSERT_DOUBLE_EQUAL(phases_startup_share(&bench.phases), 0.2, 0.011);
	CU_ASSERT_EQUAL(bench.phases.items[0].begin_ns, 0);
	CU_ASSERT_EQUAL(bench.phases.items[0].end_ns, phases_startup_ns(&bench.phases));
	CU_ASSERT_EQUAL(bench.phases.items[1].begin_ns, phases_startup_ns(&bench.phases));
	CU_ASSERT_EQUAL(bench.phases.items[1].end_ns, 1000L * SAMPLE_NS);
	UNIT_STR_EQ(profile_frame_name(&bench.profile, bench.phases.items[0].function), "load");
	UNIT_STR_EQ(profile_frame_name(&bench.profile, bench.phases.items[1].function), "parse");
	end(&bench);
}

/* A capture of a whole machine begins anywhere. */
static void
what_ran_before_has_no_startup(void)
{
	struct bench bench;

	begin(&bench, 1);
	bench.times.was_running = true;
	add(&bench, 200, (const double[]){0.9, 0.1, 0, 0});
	add(&bench, 800, (const double[]){0, 0.6, 0.4, 0});
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 2);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	end(&bench);
}

/* 5 % of 200 divisions at most would be those of a test at 1 % that is tried once a run. */
static void
steady_work_rarely_has_phases(void)
{
	unsigned found = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct bench bench;

		begin(&bench, seed);
		add(&bench, 600, (const double[]){0.1, 0.5, 0.3, 0.1});
		find(&bench);
		CU_ASSERT(bench.phases.count >= 1);
		found += bench.phases.count > 1;
		end(&bench);
	}
	CU_ASSERT(found <= 6);
}

static void
short_rounds_are_one_phase(void)
{
	struct bench bench;

	begin(&bench, 3);
	for (unsigned i = 0; i < 100; i++) {
		add(&bench, 5, (const double[]){0, 1, 0, 0});
		add(&bench, 5, (const double[]){0, 0, 1, 0});
	}
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 1);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	CU_ASSERT_EQUAL(phases_startup_ns(&bench.phases), 0);
	end(&bench);
}

static void
what_comes_again_is_no_startup(void)
{
	struct bench bench;

	begin(&bench, 4);
	for (unsigned i = 0; i < 2; i++) {
		add(&bench, 200, (const double[]){0, 1, 0, 0});
		add(&bench, 200, (const double[]){0, 0, 1, 0});
	}
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 4);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	CU_ASSERT_FALSE(bench.phases.ends_otherwise);
	end(&bench);
}

static void
another_end_is_told(void)
{
	struct bench bench;

	begin(&bench, 5);
	add(&bench, 700, (const double[]){0, 0.6, 0.4, 0});
	add(&bench, 300, (const double[]){0, 0.1, 0, 0.9});
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 2);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	CU_ASSERT_TRUE(bench.phases.ends_otherwise);
	end(&bench);
}

static void
few_samples_tell_nothing(void)
{
	struct bench bench;

	begin(&bench, 6);
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 0);
	phases_release(&bench.phases);
	add(&bench, 99, (const double[]){0, 1, 0, 0});
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 0);
	end(&bench);
}

static void
check_texts(const struct bench *bench, size_t phase, const char *time, const char *text)
{
	struct buf out = {0};

	phases_put_time(&bench->phases.items[phase], &out);
	UNIT_STR_EQ(buf_text(&out), time);
	buf_clear(&out);
	phases_put(&bench->phases, &bench->profile, phase, &out);
	UNIT_STR_EQ(buf_text(&out), text);
	buf_release(&out);
}

static void
weights_and_times_of_phases_add_up(void)
{
	struct bench bench;

	begin(&bench, 7);
	repeat(&bench, 100, "0000100000");
	repeat(&bench, 300, "1212112121");
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 2);
	CU_ASSERT_EQUAL(bench.phases.startup, 1);
	CU_ASSERT_EQUAL(bench.phases.weight, 400);
	CU_ASSERT_EQUAL(bench.phases.items[0].weight, 100);
	CU_ASSERT_EQUAL(bench.phases.items[1].weight, 300);
	UNIT_NEAR(bench.phases.items[0].function_share, 0.9, 1e-12);
	UNIT_NEAR(bench.phases.items[1].function_share, 0.6, 1e-12);
	UNIT_NEAR(phases_startup_share(&bench.phases), 0.25, 1e-12);
	/* A slice is the fortieth part of 399.5 ms, rounded up. */
	CU_ASSERT_EQUAL(phases_startup_ns(&bench.phases), 10 * UINT64_C(9987500));
	CU_ASSERT_EQUAL(bench.phases.items[1].end_ns, 399500000);
	check_texts(&bench, 0, "0 to 99.9 ms",
		"start-up, 25.0 % of the samples, 90.0 % of that in load");
	check_texts(
		&bench, 1, "99.9 ms to 400 ms", "75.0 % of the samples, 60.0 % of that in parse");
	end(&bench);
}

static void
time_starts_with_the_earliest_sample(void)
{
	struct bench bench;

	begin(&bench, 8);
	repeat(&bench, 400, "1");
	/* As a reader may give them: the first is not the earliest, and the capture starts later.
	 */
	for (size_t i = 0; i < 400; i++) {
		bench.times.samples[i].begin_ns += 7 * SAMPLE_NS;
		bench.times.samples[i].end_ns += 7 * SAMPLE_NS;
	}
	bench.times.end_ns += 7 * SAMPLE_NS;
	const struct timed_sample first = bench.times.samples[0];

	bench.times.samples[0] = bench.times.samples[9];
	bench.times.samples[9] = first;
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 1);
	CU_ASSERT_EQUAL(bench.phases.items[0].begin_ns, 7 * SAMPLE_NS);
	CU_ASSERT_EQUAL(bench.phases.items[0].weight, 400);
	end(&bench);
}

/* By a tenth of the samples and by a fifth: the limit is 15 %. */
static void
sides_that_differ_by_little_are_one_phase(void)
{
	struct bench bench;

	begin(&bench, 9);
	repeat(&bench, 200, "1212121212");
	repeat(&bench, 200, "1212121211");
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 1);
	end(&bench);
	begin(&bench, 9);
	repeat(&bench, 200, "1212121212");
	repeat(&bench, 200, "1212121111");
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 2);
	end(&bench);
}

/* Where it is, early or late, not in the middle. */
static void
a_small_change_is_found_where_it_is(void)
{
	static const size_t firsts[] = {100, 300};

	for (size_t i = 0; i < 2; i++) {
		struct bench bench;

		begin(&bench, 15);
		repeat(&bench, firsts[i], "1212121212");
		repeat(&bench, 400 - firsts[i], "1212121111");
		find(&bench);
		CU_ASSERT_EQUAL_FATAL(bench.phases.count, 2);
		CU_ASSERT_EQUAL(bench.phases.items[0].weight, (double)firsts[i]);
		end(&bench);
	}
}

static void
startup_ends_by_half_of_the_time(void)
{
	struct bench bench;

	begin(&bench, 10);
	repeat(&bench, 200, "0");
	repeat(&bench, 200, "1");
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.startup, 1);
	CU_ASSERT_FALSE(bench.phases.ends_otherwise);
	end(&bench);
	begin(&bench, 10);
	repeat(&bench, 210, "0");
	repeat(&bench, 190, "1");
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 2);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	CU_ASSERT_TRUE(bench.phases.ends_otherwise);
	end(&bench);
}

static void
startup_may_have_several_phases(void)
{
	struct bench bench;

	begin(&bench, 11);
	repeat(&bench, 100, "0");
	repeat(&bench, 100, "1");
	repeat(&bench, 200, "2");
	repeat(&bench, 100, "3");
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 4);
	CU_ASSERT_EQUAL(bench.phases.startup, 2);
	CU_ASSERT_EQUAL(phases_startup_ns(&bench.phases), bench.phases.items[1].end_ns);
	UNIT_NEAR(phases_startup_share(&bench.phases), 0.4, 1e-12);
	CU_ASSERT_TRUE(bench.phases.ends_otherwise);
	end(&bench);
}

static void
time_without_samples_is_a_phase(void)
{
	struct bench bench;

	begin(&bench, 12);
	repeat(&bench, 600, "1");
	for (size_t i = 300; i < 600; i++) {
		bench.times.samples[i].begin_ns += 600 * SAMPLE_NS;
		bench.times.samples[i].end_ns += 600 * SAMPLE_NS;
	}
	bench.times.end_ns += 600 * SAMPLE_NS;
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 3);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	CU_ASSERT_FALSE(bench.phases.ends_otherwise);
	CU_ASSERT(bench.phases.items[1].weight <= 20);
	CU_ASSERT(bench.phases.items[0].weight >= 280);
	end(&bench);
}

static void
samples_of_one_moment_have_no_phases(void)
{
	struct bench bench;

	begin(&bench, 13);
	repeat(&bench, 200, "1");
	for (size_t i = 0; i < 200; i++)
		bench.times.samples[i].begin_ns = bench.times.samples[i].end_ns = 5;
	bench.times.end_ns = 5;
	bench.phases = (struct phases){.count = 7, .startup = 3, .weight = 9};
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 0);
	CU_ASSERT_EQUAL(phases_startup_ns(&bench.phases), 0);
	CU_ASSERT_EQUAL(phases_startup_share(&bench.phases), 0);
	end(&bench);
}

static void
samples_without_weight_have_no_shares(void)
{
	struct bench bench;

	begin(&bench, 14);
	repeat(&bench, 200, "1");
	for (size_t i = 0; i < 200; i++)
		bench.times.samples[i].weight = 0;
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 1);
	CU_ASSERT_EQUAL(bench.phases.weight, 0);
	CU_ASSERT_EQUAL(bench.phases.items[0].function, 0);
	CU_ASSERT_EQUAL(bench.phases.items[0].function_share, 0);
	CU_ASSERT_EQUAL(phases_startup_share(&bench.phases), 0);
	check_texts(&bench, 0, "0 to 200 ms", "0 % of the samples");
	end(&bench);
}

/* A hundred slices of 20 ms, not two hundred of 10 ms: the change lies within one. */
static void
a_run_has_a_hundred_slices_at_most(void)
{
	const uint64_t slice_ns = 19995000; /* of 1999.5 ms */
	struct bench bench;

	begin(&bench, 16);
	repeat(&bench, 510, "1");
	repeat(&bench, 1490, "2");
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 2);
	CU_ASSERT(bench.phases.items[1].begin_ns == 25 * slice_ns ||
		  bench.phases.items[1].begin_ns == 26 * slice_ns);
	end(&bench);
}

/*
 * In runs as short as that the sides of the best division differ by 15 % more often than not: only
 * the permutations tell that it is chance. Of 300 runs 1 % are expected, and 3 SD more are 8.
 */
static void
short_steady_work_rarely_has_phases(void)
{
	unsigned found = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct bench bench;

		begin(&bench, 1000 + seed);
		add(&bench, 120, (const double[]){0.25, 0.25, 0.25, 0.25});
		find(&bench);
		found += bench.phases.count > 1;
		end(&bench);
	}
	CU_ASSERT(found <= 8);
}

/* Half of the samples are of one function all the time; those of the others are not. */
static void
weights_may_be_in_any_unit(void)
{
	struct bench bench;

	begin(&bench, 17);
	repeat(&bench, 200, "0101010101");
	repeat(&bench, 200, "0202020202");
	for (size_t i = 0; i < 400; i++)
		bench.times.samples[i].weight = 1e-6;
	find(&bench);
	CU_ASSERT_EQUAL(bench.phases.count, 2);
	phases_release(&bench.phases);
	CU_ASSERT_EQUAL(bench.phases.count, 0);
	CU_ASSERT_EQUAL(phases_startup_ns(&bench.phases), 0);
	end(&bench);
}

/*
 * Start-up is in another function than the largest, and is cut off first: its squared distance of
 * 1.9 weighs 0.04 * 0.96, that of a tenth of the rest, which is in another function later, is 0.2
 * at a weight of 0.25. In two parts without start-up that tenth is too little.
 */
static void
the_largest_function_counts_in_a_division(void)
{
	struct bench bench;

	begin(&bench, 18);
	repeat(&bench, 40, "1");
	repeat(&bench, 480, "0000020000");
	repeat(&bench, 480, "0000030000");
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 2);
	CU_ASSERT_EQUAL(bench.phases.items[0].weight, 40);
	end(&bench);
}

/* Before and after other work 15 % of the weight, 3 of 20, are in other functions: just enough. */
static void
a_start_that_differs_from_the_end_by_the_limit_is_startup(void)
{
	struct bench bench;

	begin(&bench, 19);
	repeat(&bench, 80, "1000000000");
	repeat(&bench, 320, "3");
	repeat(&bench, 80, "2000000000");
	for (size_t i = 0; i < 480; i++)
		bench.times.samples[i].weight = i % 10 == 0 ? 3 : i % 10 == 1 ? 1 : 2;
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 3);
	CU_ASSERT_EQUAL(bench.phases.startup, 1);
	end(&bench);
}

/* As captured of a plain loop: the loader has some of the first samples, the loop the others. */
static void
a_loop_behind_the_loader_is_no_startup(void)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct bench bench;

		begin(&bench, seed);
		repeat(&bench, 10, "0010101101");
		add(&bench, 40, (const double[]){0.25, 0.75, 0, 0});
		repeat(&bench, 850, "1");
		find(&bench);
		CU_ASSERT_EQUAL(bench.phases.startup, 0);
		end(&bench);
	}
}

/* Most of what it does is rare later: less than a quarter of its share is left. */
static void
a_function_that_goes_on_is_no_startup(void)
{
	static const struct {
		const char *rest;
		size_t startup;
	} cases[] = {{"0011111111", 1}, {"0001111111", 0}};

	for (size_t i = 0; i < 2; i++) {
		struct bench bench;

		begin(&bench, 22);
		repeat(&bench, 100, "0000000002");
		repeat(&bench, 400, cases[i].rest);
		find(&bench);
		CU_ASSERT_EQUAL_FATAL(bench.phases.count, 2);
		CU_ASSERT_EQUAL(bench.phases.startup, cases[i].startup);
		end(&bench);
	}
}

/* Moves the samples from `first` on to a later time. */
static void
wait_before(struct bench *bench, size_t first, uint64_t ms)
{
	for (size_t i = first; i < bench->times.nsamples; i++) {
		bench->times.samples[i].begin_ns += ms * SAMPLE_NS;
		bench->times.samples[i].end_ns += ms * SAMPLE_NS;
	}
	bench->times.end_ns += ms * SAMPLE_NS;
}

/* Other processes had the CPU for most of the first second. */
static void
slices_without_samples_are_no_other_work(void)
{
	struct bench bench;

	begin(&bench, 23);
	repeat(&bench, 1000, "1212112121");
	for (size_t burst = 1; burst <= 10; burst++)
		wait_before(&bench, 20 * burst, 80);
	find(&bench);
	CU_ASSERT(bench.phases.count > 1);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	CU_ASSERT_FALSE(bench.phases.ends_otherwise);
	end(&bench);
}

static void
a_startup_may_wait(void)
{
	struct bench bench;

	begin(&bench, 24);
	repeat(&bench, 100, "0");
	repeat(&bench, 100, "2");
	repeat(&bench, 600, "1");
	wait_before(&bench, 100, 100);
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 4);
	CU_ASSERT_EQUAL(bench.phases.startup, 3);
	UNIT_NEAR(phases_startup_share(&bench.phases), 0.25, 0.02);
	end(&bench);
	/* What comes after the wait is no start-up, and so the wait is none. */
	begin(&bench, 24);
	repeat(&bench, 100, "0");
	repeat(&bench, 700, "1");
	wait_before(&bench, 100, 100);
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 3);
	CU_ASSERT_EQUAL(bench.phases.startup, 1);
	end(&bench);
}

/* The first touch of memory by a loop is no start-up. */
static void
page_faults_are_work_of_the_function_that_has_them(void)
{
	struct bench bench;

	begin(&bench, 20);
	const node_id app = ctree_child(&bench.profile.tree, CTREE_ROOT,
		profile_frame(&bench.profile, "app", strlen("app"), FRAME_USER));

	bench.nodes[1] = ctree_child(&bench.profile.tree, app,
		profile_frame(&bench.profile, "parse", strlen("parse"), FRAME_USER));
	bench.nodes[2] = ctree_child(&bench.profile.tree, bench.nodes[1],
		profile_frame(&bench.profile, "clear_page", strlen("clear_page"), FRAME_KERNEL));
	repeat(&bench, 100, "2222222221");
	repeat(&bench, 300, "1");
	find(&bench);
	CU_ASSERT_EQUAL_FATAL(bench.phases.count, 1);
	CU_ASSERT_EQUAL(bench.phases.startup, 0);
	UNIT_STR_EQ(profile_frame_name(&bench.profile, bench.phases.items[0].function), "parse");
	end(&bench);
}

static const struct unit_case cases[] = {
	{"a_loop_behind_the_loader_is_no_startup", a_loop_behind_the_loader_is_no_startup},
	{"a_function_that_goes_on_is_no_startup", a_function_that_goes_on_is_no_startup},
	{"slices_without_samples_are_no_other_work", slices_without_samples_are_no_other_work},
	{"a_startup_may_wait", a_startup_may_wait},
	{"page_faults_are_work_of_the_function_that_has_them",
		page_faults_are_work_of_the_function_that_has_them},
	{"a_run_has_a_hundred_slices_at_most", a_run_has_a_hundred_slices_at_most},
	{"short_steady_work_rarely_has_phases", short_steady_work_rarely_has_phases},
	{"a_startup_is_found_where_it_ends", a_startup_is_found_where_it_ends},
	{"what_ran_before_has_no_startup", what_ran_before_has_no_startup},
	{"steady_work_rarely_has_phases", steady_work_rarely_has_phases},
	{"short_rounds_are_one_phase", short_rounds_are_one_phase},
	{"what_comes_again_is_no_startup", what_comes_again_is_no_startup},
	{"another_end_is_told", another_end_is_told},
	{"few_samples_tell_nothing", few_samples_tell_nothing},
	{"weights_and_times_of_phases_add_up", weights_and_times_of_phases_add_up},
	{"time_starts_with_the_earliest_sample", time_starts_with_the_earliest_sample},
	{"sides_that_differ_by_little_are_one_phase", sides_that_differ_by_little_are_one_phase},
	{"startup_ends_by_half_of_the_time", startup_ends_by_half_of_the_time},
	{"startup_may_have_several_phases", startup_may_have_several_phases},
	{"time_without_samples_is_a_phase", time_without_samples_is_a_phase},
	{"samples_of_one_moment_have_no_phases", samples_of_one_moment_have_no_phases},
	{"samples_without_weight_have_no_shares", samples_without_weight_have_no_shares},
	{"a_small_change_is_found_where_it_is", a_small_change_is_found_where_it_is},
	{"weights_may_be_in_any_unit", weights_may_be_in_any_unit},
	{"the_largest_function_counts_in_a_division", the_largest_function_counts_in_a_division},
	{"a_start_that_differs_from_the_end_by_the_limit_is_startup",
		a_start_that_differs_from_the_end_by_the_limit_is_startup},
	{NULL, NULL},
};

void
suite_compare_phases(void)
{
	unit_suite("compare/phases", cases);
}
