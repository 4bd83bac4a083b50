#include "profile/chart.h"

#include "unit.h"

void suite_profile_chart(void);

#define INTERVAL_NS 10

/* One thread. */
struct bench {
	struct profile profile;
	struct sample_times times;
	struct chart chart;
};

static void
begin(struct bench *bench)
{
	profile_init(&bench->profile);
	profile_add_run(&bench->profile);
	sample_times_init(&bench->times);
}

/* `stack`: a letter a frame. */
static void
add(struct bench *bench, const char *stack, uint64_t begin_ns, uint64_t end_ns, bool waits)
{
	node_id node = CTREE_ROOT;

	for (; *stack; stack++)
		node = ctree_child(&bench->profile.tree, node,
			profile_frame(&bench->profile, stack, 1, FRAME_USER));
	const struct timed_sample sample = {
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.weight = 1,
		.node = node,
		.waits = waits,
		.thread = sample_times_thread(&bench->times, 1, 1),
	};

	sample_times_add(&bench->times, &sample);
}

static void
end(struct bench *bench)
{
	chart_release(&bench->chart);
	sample_times_release(&bench->times);
	profile_release(&bench->profile);
}

/* Checks that call `node` is `name` from `begin_ns` on, with so many ns of its own. */
static void
check(const struct bench *bench, node_id node, const char *name, uint64_t begin_ns, double self)
{
	const struct profile *profile = &bench->chart.profile;

	CU_ASSERT_FATAL(node < profile->tree.nnodes);
	UNIT_STR_EQ(profile_frame_name(profile, profile->tree.nodes[node].frame), name);
	CU_ASSERT_EQUAL(bench->chart.begins_ns[node], begin_ns);
	CU_ASSERT_EQUAL(ctree_weight(&profile->tree, 0, node), self);
}

static void
successive_samples_share_their_calls(void)
{
	struct bench bench;

	begin(&bench);
	add(&bench, "ab", 110, 110, false);
	add(&bench, "ab", 120, 120, false);
	add(&bench, "ac", 131, 131, false);
	chart_init(&bench.chart, &bench.profile, &bench.times, 0, INTERVAL_NS);
	CU_ASSERT_EQUAL(bench.chart.profile.tree.nnodes, 4);
	check(&bench, 1, "a", 100, 0);
	check(&bench, 2, "b", 100, 20);
	/* A sample that comes a little late begins where the one before ended. */
	check(&bench, 3, "c", 120, 11);
	CU_ASSERT_EQUAL(bench.chart.profile.tree.nodes[3].parent, 1);
	CU_ASSERT_EQUAL(bench.chart.end_ns, 131);
	end(&bench);
}

static void
a_gap_ends_all_calls(void)
{
	struct bench bench;

	begin(&bench);
	add(&bench, "a", 110, 110, false);
	add(&bench, "a", 1000000, 1000000, false);
	chart_init(&bench.chart, &bench.profile, &bench.times, 0, INTERVAL_NS);
	CU_ASSERT_EQUAL(bench.chart.profile.tree.nnodes, 3);
	check(&bench, 1, "a", 100, 10);
	check(&bench, 2, "a", 999990, 10);
	/* The time without samples is the root's own. */
	CU_ASSERT_EQUAL(ctree_weight(&bench.chart.profile.tree, 0, CTREE_ROOT), 999990 - 110);
	end(&bench);
}

static void
a_wait_has_its_own_times_and_ends_what_ran_before(void)
{
	struct bench bench;

	begin(&bench);
	add(&bench, "ab", 0, 10000, false);
	/* The thread ran for 5 us more, which no sample tells of. */
	add(&bench, "aw", 15000, 95000, true);
	chart_init(&bench.chart, &bench.profile, &bench.times, 0, 10000);
	check(&bench, 1, "a", 0, 0);
	check(&bench, 2, "b", 0, 15000);
	check(&bench, 3, "w", 15000, 80000);
	end(&bench);
}

static void
recursion_is_a_call_each(void)
{
	struct bench bench;

	begin(&bench);
	add(&bench, "aaa", 110, 110, false);
	add(&bench, "aa", 120, 120, false);
	chart_init(&bench.chart, &bench.profile, &bench.times, 0, INTERVAL_NS);
	CU_ASSERT_EQUAL(bench.chart.profile.tree.nnodes, 4);
	check(&bench, 2, "a", 100, 10);
	check(&bench, 3, "a", 100, 10);
	end(&bench);
}

static void
samples_that_overlap_never_go_back(void)
{
	struct chart_clock clock = {.interval_ns = 10};
	const struct timed_sample first = {.begin_ns = 100, .end_ns = 200, .waits = true};
	const struct timed_sample inside = {.begin_ns = 120, .end_ns = 150, .waits = true};
	const struct timed_sample across = {.begin_ns = 150, .end_ns = 230, .waits = true};

	CU_ASSERT_EQUAL(chart_clock_next(&clock, &first).begin_ns, 100);
	struct chart_span span = chart_clock_next(&clock, &inside);

	CU_ASSERT_EQUAL(span.begin_ns, span.end_ns);
	span = chart_clock_next(&clock, &across);
	CU_ASSERT_EQUAL(span.begin_ns, 200);
	CU_ASSERT_EQUAL(span.end_ns, 230);
}

static const struct unit_case cases[] = {
	{"successive_samples_share_their_calls", successive_samples_share_their_calls},
	{"a_gap_ends_all_calls", a_gap_ends_all_calls},
	{"a_wait_has_its_own_times_and_ends_what_ran_before",
		a_wait_has_its_own_times_and_ends_what_ran_before},
	{"recursion_is_a_call_each", recursion_is_a_call_each},
	{"samples_that_overlap_never_go_back", samples_that_overlap_never_go_back},
	{NULL, NULL},
};

void
suite_profile_chart(void)
{
	unit_suite("profile/chart", cases);
}
