#include "flamegraph/change.h"

#include "base/mem.h"
#include "flamegraph/draw.h"

#include <math.h>
#include <stdlib.h>

void suite_flamegraph_change(void);

struct sample {
	struct comparison comparison;
	struct flamegraph_sides sides;
};

static void
sample_init(struct sample *sample, const char *before, const char *after,
	const struct comparison_options *options)
{
	struct profile sides[2];

	read_folded(&sides[0], before);
	read_folded(&sides[1], after);
	for (int side = 0; side < 2 && options->mode == COMPARISON_PAIRED; side++) {
		for (size_t i = 0; i < sides[side].nruns; i++) {
			sides[side].runs[i].pair = (uint32_t)i + 1;
			sides[side].runs[i].cost_total =
				1e6 * profile_column_total(&sides[side], i);
		}
	}
	comparison_make(&sample->comparison, &sides[0], &sides[1], options);
	flamegraph_sides_init(&sample->sides, &sample->comparison);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
sample_release(struct sample *sample)
{
	flamegraph_sides_release(&sample->sides);
	comparison_release(&sample->comparison);
}

/* The node of a path of two names. */
static node_id
find(const struct sample *sample, const char *caller, const char *name)
{
	const struct profile *profile = &sample->comparison.profile;

	for (node_id node = 1; node < profile->tree.nnodes; node++) {
		const struct ctree_node *at = &profile->tree.nodes[node];

		if (strcmp(profile_frame_name(profile, at->frame), name) == 0 &&
			strcmp(profile_frame_name(profile, profile->tree.nodes[at->parent].frame),
				caller) == 0)
			return node;
	}
	CU_FAIL("no such node");
	return CTREE_ROOT;
}

static struct flamegraph_change
total_of(const struct sample *sample, const char *caller, const char *name)
{
	node_id node = find(sample, caller, name);
	struct flamegraph_change total;
	struct flamegraph_change self;

	flamegraph_change_nodes(&sample->sides, &node, 1, &total, &self);
	return total;
}

static const struct comparison_options stored = {.alpha = 0.05, .min_share = 0.01};

static void
single_runs_have_the_interval_of_their_counts(void)
{
	struct sample sample;

	sample_init(&sample, "m;grown 400\nm;rest 3600\n", "m;grown 700\nm;rest 3600\n", &stored);
	const struct flamegraph_change change = total_of(&sample, "m", "grown");
	double spread = COMPARISON_SESSION_SPREAD * COMPARISON_SESSION_SPREAD;

	UNIT_NEAR(change.ratio, 0.75, 1e-9);
	UNIT_NEAR(change.half, 1.959964 * sqrt(1.0 / 400 + 1.0 / 700 + 2.0 / 3600 + 2 * spread),
		1e-5);
	CU_ASSERT_TRUE(change.significant);
	sample_release(&sample);
}

static void
a_caller_shares_its_noise_with_the_rest_it_calls(void)
{
	struct sample sample;

	sample_init(&sample, "m;grown 400\nm;rest 3600\n", "m;grown 700\nm;rest 3600\n", &stored);
	const struct flamegraph_change change = total_of(&sample, "", "m");
	double spread = COMPARISON_SESSION_SPREAD * COMPARISON_SESSION_SPREAD;

	UNIT_NEAR(change.ratio, 0.075, 1e-9);
	UNIT_NEAR(change.half, 1.959964 * sqrt(2.0 / 3600 - 1.0 / 4000 - 1.0 / 4300 + 2 * spread),
		1e-5);
	sample_release(&sample);
}

/* Ten runs: what `spread` adds to every other one of `grown`. */
static char *
ten_runs(double grown, double spread)
{
	struct buf text = {0};

	buf_puts(&text, "# runs: 10\nm;grown");
	for (int i = 0; i < 10; i++)
		buf_printf(&text, " %g", grown + (i % 2 ? spread : -spread));
	buf_puts(&text, "\nm;rest");
	for (int i = 0; i < 10; i++)
		buf_puts(&text, " 4000");
	buf_puts(&text, "\n");
	char *result = mem_strdup(buf_text(&text));

	buf_release(&text);
	return result;
}

static void
runs_that_differ_widen_the_interval(void)
{
	struct flamegraph_change changes[2];

	for (int i = 0; i < 2; i++) {
		char *before = ten_runs(1000, i * 400);
		char *after = ten_runs(1200, i * 400);
		struct sample sample;

		sample_init(&sample, before, after, &stored);
		changes[i] = total_of(&sample, "m", "grown");
		sample_release(&sample);
		free(before);
		free(after);
	}
	UNIT_NEAR(changes[0].ratio, 0.2, 1e-9);
	CU_ASSERT_TRUE(changes[1].half > 3 * changes[0].half);
	CU_ASSERT_TRUE(changes[0].significant);
	CU_ASSERT_FALSE(changes[1].significant);
}

static void
a_node_is_judged_by_itself(void)
{
	struct sample sample;

	/* All calls of helper together cost what they did. */
	sample_init(&sample, "m;a;helper 4000\nm;b;helper 6000\nm;rest 40000\n",
		"m;a;helper 6000\nm;b;helper 4000\nm;rest 40000\n", &stored);
	const struct flamegraph_change more = total_of(&sample, "a", "helper");
	const struct flamegraph_change less = total_of(&sample, "b", "helper");

	CU_ASSERT_TRUE(more.significant);
	CU_ASSERT_STRING_EQUAL(flamegraph_change_class(&more), "g3");
	CU_ASSERT_TRUE(less.significant);
	CU_ASSERT_STRING_EQUAL(flamegraph_change_class(&less), "s3");
	sample_release(&sample);
}

static void
paired_runs_are_compared_by_plain_cost(void)
{
	static const struct comparison_options paired = {
		.mode = COMPARISON_PAIRED, .alpha = 0.05, .min_share = 0.01};
	static const char before[] =
		"# runs: 4\nm;big 8000 8100 7900 8000\nm;same 4000 4000 4050 3950\n";
	static const char after[] =
		"# runs: 4\nm;big 16000 16200 15800 16000\nm;same 4000 4000 4050 3950\n";
	struct sample sample;

	/* Its share has fallen from a third to a fifth. */
	sample_init(&sample, before, after, &paired);
	const struct flamegraph_change same = total_of(&sample, "m", "same");
	const struct flamegraph_change big = total_of(&sample, "m", "big");

	UNIT_NEAR(same.ratio, 0, 1e-9);
	CU_ASSERT_FALSE(same.significant);
	UNIT_NEAR(big.ratio, 1, 1e-9);
	CU_ASSERT_TRUE(big.significant);
	CU_ASSERT_EQUAL(sample.sides.basis, FLAMEGRAPH_COST);
	UNIT_NEAR(sample.sides.width[CTREE_ROOT], 2.0 / 3 * 1.2 + 1.0 / 3, 0.001);
	sample_release(&sample);
}

static void
shares_are_compared_where_nothing_is_stable(void)
{
	struct sample sample;

	sample_init(&sample, "a 20\nb 20\n", "a 10\nb 45\n", &stored);
	CU_ASSERT_EQUAL(sample.sides.basis, FLAMEGRAPH_SHARE);
	const struct flamegraph_change change = total_of(&sample, "", "a");

	UNIT_NEAR(change.ratio, (10.0 / 55) / 0.5 - 1, 1e-9);
	CU_ASSERT_TRUE(isfinite(change.half));
	sample_release(&sample);
}

static const struct comparison_options one_yardstick = {
	.mode = COMPARISON_STORED, .alpha = 0.05, .min_share = 0.01, .one_yardstick = true};

/* The function's own effect, its box and that of its caller, which has almost nothing else. */
static void
expect_one_number(const char *before, const char *after, double expected)
{
	struct sample sample;

	sample_init(&sample, before, after, &one_yardstick);
	const struct comparison *comparison = &sample.comparison;
	frame_id frame = comparison->profile.tree.nodes[find(&sample, "a", "f")].frame;

	UNIT_NEAR(comparison->self[frame].change, expected, 1e-3);
	UNIT_NEAR(total_of(&sample, "a", "f").ratio, expected, 1e-3);
	UNIT_NEAR(total_of(&sample, "m", "a").ratio, expected, 1e-3);
	sample_release(&sample);
}

static void
a_function_and_its_caller_have_one_yardstick(void)
{
	/* Most of what is stable. */
	expect_one_number("m;a;f 9000\nm;b 500\nm;c 500\n", "m;a;f 18000\nm;b 1000\nm;c 1000\n", 0);
	expect_one_number("m;a;f 20000\nm;a 1\nm;b 300\n", "m;a;f 40000\nm;a 2\nm;b 600\n", 0);
	/* Less than half is: 80 % of the whole become 90 %. */
	expect_one_number("m;a;f 8000\nm;b 2000\n", "m;a;f 18000\nm;b 2000\n", 0.125);
}

static void
what_is_counted_has_no_noise(void)
{
	static const struct comparison_options exact = {
		.mode = COMPARISON_EXACT, .alpha = 0.05, .min_share = 0.01};
	struct buf text = {0};
	struct sample sample;

	sample_init(&sample, "m;a 100000\nm;b 100000\n", "m;a 101000\nm;b 100001\nm;c 1\n", &exact);
	const struct flamegraph_change more = total_of(&sample, "m", "a");
	const struct flamegraph_change hardly = total_of(&sample, "m", "b");
	const struct flamegraph_change new = total_of(&sample, "m", "c");

	CU_ASSERT_TRUE(more.significant);
	CU_ASSERT_EQUAL(more.half, 0);
	flamegraph_change_put_ratio(&more, &text);
	UNIT_STR_EQ(buf_text(&text), "+1.00 %");
	CU_ASSERT_FALSE(hardly.significant);
	CU_ASSERT_TRUE(new.significant);
	buf_release(&text);
	sample_release(&sample);
}

static void
new_and_gone_have_no_interval(void)
{
	struct buf text = {0};
	struct sample sample;

	sample_init(&sample, "m;rest 4000\nm;old 300\n", "m;rest 4000\nm;new 3\n", &stored);
	const struct flamegraph_change old = total_of(&sample, "m", "old");
	const struct flamegraph_change new = total_of(&sample, "m", "new");

	CU_ASSERT_TRUE(isnan(old.half));
	CU_ASSERT_STRING_EQUAL(flamegraph_change_class(&old), "gone");
	CU_ASSERT_STRING_EQUAL(flamegraph_change_class(&new), "z");
	flamegraph_change_put_ratio(&old, &text);
	flamegraph_change_put_ratio(&new, &text);
	UNIT_STR_EQ(buf_text(&text), "gonenew");
	buf_release(&text);
	sample_release(&sample);
}

static void
plain_costs_have_widths_of_their_own(void)
{
	static const struct comparison_options plain_costs = {
		.alpha = 0.05, .min_share = 0.01, .plain_costs = true};
	struct sample sample;

	sample_init(&sample, "m;a 1000\nm;b 1000\n", "m;a 3000\nm;b 1000\n", &plain_costs);
	CU_ASSERT_FALSE(sample.sides.normalised);
	UNIT_NEAR(sample.sides.width[CTREE_ROOT], 1, 1e-9);
	UNIT_NEAR(sample.sides.width[find(&sample, "m", "b")], 0.25, 1e-9);
	UNIT_NEAR(total_of(&sample, "m", "a").ratio, 2, 1e-9);
	UNIT_NEAR(total_of(&sample, "m", "b").ratio, 0, 1e-9);
	sample_release(&sample);
}

static void
hues_are_swapped_and_signs_are_not(void)
{
	static const struct flamegraph_options negated = {.title = "test", .negate = true};
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, "m;up 400\nm;rest 9000\n", "m;up 800\nm;rest 9000\n", &stored);
	flamegraph_write_diff(&sample.comparison, &negated, &out);
	UNIT_CONTAINS(buf_text(&out), "data-negate=\"1\"");
	UNIT_CONTAINS(buf_text(&out), "<path class=\"s4 w\"");
	UNIT_CONTAINS(buf_text(&out), ">\xe2\x96\xb2up</text>");
	UNIT_CONTAINS(buf_text(&out), "<path class=\"s4\" ");
	CU_ASSERT_EQUAL(count(&out, "<path class=\"g4 w\""), 0);
	buf_release(&out);
	sample_release(&sample);
}

void
suite_flamegraph_change(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(single_runs_have_the_interval_of_their_counts),
		CASE(a_caller_shares_its_noise_with_the_rest_it_calls),
		CASE(runs_that_differ_widen_the_interval),
		CASE(a_node_is_judged_by_itself),
		CASE(paired_runs_are_compared_by_plain_cost),
		CASE(shares_are_compared_where_nothing_is_stable),
		CASE(a_function_and_its_caller_have_one_yardstick),
		CASE(what_is_counted_has_no_noise),
		CASE(new_and_gone_have_no_interval),
		CASE(plain_costs_have_widths_of_their_own),
		CASE(hues_are_swapped_and_signs_are_not),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/change", cases);
}
