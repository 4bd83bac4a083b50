#include "compare/phases_bench.h"

void suite_compare_phases_startup(void);

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
a_process_that_ran_before_has_no_startup(void)
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

static void
code_that_comes_again_is_no_startup(void)
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

void
suite_compare_phases_startup(void)
{
	static const struct unit_case cases[] = {
		{"a_startup_is_found_where_it_ends", a_startup_is_found_where_it_ends},
		{"a_process_that_ran_before_has_no_startup",
			a_process_that_ran_before_has_no_startup},
		{"code_that_comes_again_is_no_startup", code_that_comes_again_is_no_startup},
		{"startup_ends_by_half_of_the_time", startup_ends_by_half_of_the_time},
		{"startup_may_have_several_phases", startup_may_have_several_phases},
		{"a_start_that_differs_from_the_end_by_the_limit_is_startup",
			a_start_that_differs_from_the_end_by_the_limit_is_startup},
		{"a_loop_behind_the_loader_is_no_startup", a_loop_behind_the_loader_is_no_startup},
		{"a_function_that_goes_on_is_no_startup", a_function_that_goes_on_is_no_startup},
		{"slices_without_samples_are_no_other_work",
			slices_without_samples_are_no_other_work},
		{"a_startup_may_wait", a_startup_may_wait},
		{"page_faults_are_work_of_the_function_that_has_them",
			page_faults_are_work_of_the_function_that_has_them},
		{NULL, NULL},
	};

	unit_suite("compare/phases_startup", cases);
}
