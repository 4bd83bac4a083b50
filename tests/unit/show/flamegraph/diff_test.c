#include "flamegraph/flamegraph.h"

#include "base/buf.h"
#include "flamegraph/draw.h"
#include "unit.h"

void suite_flamegraph_diff(void);

static void
what_vanished_is_in_the_picture_of_the_difference(void)
{
	struct buf out = draw_difference(
		"m;a 5000\nm;b 4000\nm;old;leaf 1000\n", "m;a 5000\nm;b 4000\nm;new 800\n");
	char class[16];
	double x;
	double width;

	CU_ASSERT_TRUE(find_box(&out, "old", class, &x, &width));
	CU_ASSERT_STRING_EQUAL(class, "gone w");
	CU_ASSERT_TRUE(width > 80);
	CU_ASSERT_TRUE(find_box(&out, "new", class, &x, &width));
	CU_ASSERT_STRING_EQUAL(class, "new w");
	UNIT_CONTAINS(buf_text(&out), "normalised to equal totals");
	UNIT_CONTAINS(buf_text(&out), "before: 10,000 samples");
	UNIT_CONTAINS(buf_text(&out), "after: 9,800 samples");
	UNIT_CONTAINS(buf_text(&out), "\xe2\x96\xbc leaf</text>");
	UNIT_CONTAINS(buf_text(&out), "1,000 \xe2\x86\x92 0 samples  gone</text>");
	buf_release(&out);
}

static void
one_sample_against_none_is_neutral(void)
{
	struct buf out = draw_difference("m;a 100\nm;lost 1\n", "m;a 100\nm;found 1\n");
	char class[16];
	double x;
	double width;

	CU_ASSERT_TRUE(find_box(&out, "found", class, &x, &width));
	CU_ASSERT_STRING_EQUAL(class, "z w");
	CU_ASSERT_TRUE(find_box(&out, "lost", class, &x, &width));
	CU_ASSERT_STRING_EQUAL(class, "q w");
	CU_ASSERT_EQUAL(count(&out, ">nothing beyond noise</text>"), 2);
	buf_release(&out);
}

static void
growth_has_a_colour_and_a_sign(void)
{
	struct buf out = draw_difference(
		"m;a;slow 3000\nm;b 5000\nm;c 5000\n", "m;a;slow 6300\nm;b 5010\nm;c 4990\n");
	char class[16];
	double x;
	double width;

	CU_ASSERT_TRUE(find_box(&out, "slow", class, &x, &width));
	CU_ASSERT_EQUAL(class[0], 'g');
	UNIT_CONTAINS(buf_text(&out), ">\xe2\x96\xb2slow</text>");
	UNIT_CONTAINS(buf_text(&out), ">\xe2\x96\xb2 slow</text>");
	/* Its caller grew with it. */
	CU_ASSERT_TRUE(find_box(&out, "a", class, &x, &width));
	CU_ASSERT_EQUAL(class[0], 'g');
	buf_release(&out);
}

static void
equal_sides_show_no_change(void)
{
	struct buf out = draw_difference("m;a 900\nm;b 100.5\n", "m;a 1800\nm;b 201\n");
	char class[16];
	double x;
	double width;

	CU_ASSERT_TRUE(find_box(&out, "a", class, &x, &width));
	CU_ASSERT_STRING_EQUAL(class, "z w");
	CU_ASSERT_TRUE(find_box(&out, "m", class, &x, &width));
	UNIT_NEAR(width, 1180, 0.011);
	CU_ASSERT_EQUAL(count(&out, ">nothing beyond noise</text>"), 2);
	buf_release(&out);
}

static void
a_side_without_samples_is_said(void)
{
	struct buf out = draw_difference("m;a 0\n", "m;a 10\nm;b 20\n");
	char class[16];
	double x;
	double width;

	UNIT_CONTAINS(buf_text(&out), "before: nothing");
	UNIT_CONTAINS(buf_text(&out), "One side holds no samples");
	CU_ASSERT_TRUE(find_box(&out, "b", class, &x, &width));
	CU_ASSERT_STRING_EQUAL(class, "z w");
	buf_release(&out);
}

static void
differences_do_not_depend_on_the_order_of_lines(void)
{
	struct buf one = draw_difference("m;a 3\nm;b 2\nm;c;d 50\n", "m;a 30\nm;b 2\n");
	struct buf other = draw_difference("m;c;d 50\nm;b 2\nm;a 3\n", "m;b 2\nm;a 30\n");

	CU_ASSERT_STRING_EQUAL(buf_text(&one), buf_text(&other));
	buf_release(&one);
	buf_release(&other);
}

void
suite_flamegraph_diff(void)
{
	static const struct unit_case cases[] = {
		{"what_vanished_is_in_the_picture_of_the_difference",
			what_vanished_is_in_the_picture_of_the_difference},
		{"one_sample_against_none_is_neutral", one_sample_against_none_is_neutral},
		{"growth_has_a_colour_and_a_sign", growth_has_a_colour_and_a_sign},
		{"equal_sides_show_no_change", equal_sides_show_no_change},
		{"a_side_without_samples_is_said", a_side_without_samples_is_said},
		{"differences_do_not_depend_on_the_order_of_lines",
			differences_do_not_depend_on_the_order_of_lines},
		{NULL, NULL},
	};

	unit_suite("flamegraph/diff", cases);
}
