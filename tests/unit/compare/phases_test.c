#include "compare/phases.h"

#include "base/random.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

void suite_compare_phases(void);

#define SAMPLE_NS 1000000
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
	CU_ASSERT(llabs((long long)phases_startup_ns(&bench.phases) - 200LL * SAMPLE_NS) <=
		  10LL * SAMPLE_NS);
	CU_ASSERT_DOUBLE_EQUAL(phases_startup_share(&bench.phases), 0.2, 0.011);
	CU_ASSERT_EQUAL(bench.phases.items[0].begin_ns, 0);
	CU_ASSERT_EQUAL(bench.phases.items[0].end_ns, phases_startup_ns(&bench.phases));
	CU_ASSERT_EQUAL(bench.phases.items[1].begin_ns, phases_startup_ns(&bench.phases));
	CU_ASSERT_EQUAL(bench.phases.items[1].end_ns, 1000L * SAMPLE_NS);
	UNIT_STR_EQ(profile_frame_name(&bench.profile, bench.phases.items[0].function), "load");
	UNIT_STR_EQ(profile_frame_name(&bench.profile, bench.phases.items[1].function), "parse");
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

static const struct unit_case cases[] = {
	{"a_startup_is_found_where_it_ends", a_startup_is_found_where_it_ends},
	{"steady_work_rarely_has_phases", steady_work_rarely_has_phases},
	{"short_rounds_are_one_phase", short_rounds_are_one_phase},
	{"what_comes_again_is_no_startup", what_comes_again_is_no_startup},
	{"another_end_is_told", another_end_is_told},
	{"few_samples_tell_nothing", few_samples_tell_nothing},
	{NULL, NULL},
};

void
suite_compare_phases(void)
{
	unit_suite("compare/phases", cases);
}
