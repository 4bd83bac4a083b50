/* How large flame graphs of large profiles become, and what has room in them. */
#include "flamegraph/flamegraph.h"

#include "base/mem.h"
#include "flamegraph/draw.h"

#include <stdio.h>
#include <stdlib.h>

void suite_flamegraph_size(void);

static void
a_large_profile_stays_within_the_limit(void)
{
	struct buf text = {0};

	for (int i = 0; i < 60000; i++)
		buf_printf(&text, "main;level_one_%d;some_namespace::level_two_%d;leaf_%d %d\n",
			i % 50, i % 7000, i, 1 + i % 5);
	struct buf out = draw(buf_text(&text));

	CU_ASSERT_TRUE(out.len <= 1200000);
	CU_ASSERT_TRUE(out.len > 300000);
	UNIT_CONTAINS(buf_text(&out), "are left out of this file");
	buf_release(&out);
	buf_release(&text);
}

/* A difference of `stacks` stacks above `main`, each of `levels` functions wide enough to draw. */
static struct buf
draw_stacks(int stacks, int levels, const char *parameters)
{
	struct buf sides[2] = {0};

	for (int i = 0; i < 2 * stacks; i++) {
		struct buf *side = &sides[i % 2];

		buf_puts(side, "main");
		for (int level = 0; level < levels; level++)
			buf_printf(side, ";a::f%d_%d%s", i / 2, level, parameters);
		buf_printf(side, " %d\n", 2 + i % 3);
	}
	struct buf out = draw_difference(buf_text(&sides[0]), buf_text(&sides[1]));

	buf_release(&sides[0]);
	buf_release(&sides[1]);
	return out;
}

/* For `main` and 10000 functions. */
static void
a_large_difference_of_short_names_is_whole(void)
{
	struct buf out = draw_stacks(5000, 2, "");

	CU_ASSERT_EQUAL(count(&out, "left out"), 0);
	CU_ASSERT_TRUE(out.len <= 1200000);
	buf_release(&out);
}

/*
 * As slivers, and with a tooltip each. The bytes are guessed ahead and rather too high, most for
 * tooltips as short as these: that may waste an eighth of the room, and no more.
 */
static void
a_large_difference_of_long_names_fills_the_room_and_no_more(void)
{
	static const struct {
		int stacks;
		int levels;
	} shapes[] = {{5000, 2}, {700, 13}};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct buf out = draw_stacks(shapes[i].stacks, shapes[i].levels,
			"(std::vector<std::string, pool_allocator<std::string> > const&, "
			"std::function<bool(char const*)>, unsigned long)");

		CU_ASSERT_TRUE(out.len <= 1200000);
		CU_ASSERT_TRUE(out.len >= 1000000);
		buf_release(&out);
	}
}

/* There is room for all of the names, and for half of the small functions. */
static void
a_difference_of_long_names_above_small_functions_has_all_that_is_wide(void)
{
	enum { CALLERS = 760, CALLED = 30 };
	struct buf text = {0};

	buf_puts(&text, "main;wide;leaf 300\n");
	for (int i = 0; i < CALLERS * CALLED; i++)
		buf_printf(&text, "main;f%d_%0400d;leaf_%d 1\n", i / CALLED, 0, i % CALLED);
	struct buf out = draw_difference(buf_text(&text), buf_text(&text));

	CU_ASSERT_EQUAL(count(&out, "<title>f"), CALLERS);
	CU_ASSERT_TRUE(out.len <= 1200000);
	buf_release(&out);
	buf_release(&text);
}

/* Ten functions each of ten widths, of which three, `main` and half of a fourth have room. */
static void
a_budget_keeps_the_widest_and_of_equals_the_first_by_name(void)
{
	const struct flamegraph_options few = {.title = "test", .max_frames = 36};

	for (int reversed = 0; reversed < 2; reversed++) {
		struct buf text = {0};

		for (int line = 0; line < 100; line++) {
			int i = reversed ? 99 - line : line;

			buf_printf(&text, "main;f%02d %.3f\n", i, 1 + i % 10 * 0.125);
		}
		struct buf out = draw_with(buf_text(&text), &few);

		for (int i = 0; i < 100; i++) {
			bool kept = i % 10 > 6 || (i % 10 == 6 && i < 50);
			char title[32];

			snprintf(title, sizeof(title), "<title>f%02d\n", i);
			CU_ASSERT_EQUAL(count(&out, title), kept);
		}
		buf_release(&out);
		buf_release(&text);
	}
}

/* Wide numbers: the first picture takes more bytes than were guessed, and is drawn again. */
static void
a_large_sandwich_stays_within_the_limit(void)
{
	struct profile profile;
	struct buf text = {0};
	struct buf out = {0};

	for (int i = 0; i < 40000; i++)
		buf_printf(&text, "main;f%d 9007199254740991\n", i);
	read_folded(&profile, buf_text(&text));
	bool *focus = mem_zalloc(profile.frames.nframes, sizeof(*focus));

	focus[profile.tree.nodes[profile.tree.nodes[CTREE_ROOT].first_child].frame] = true;
	flamegraph_write_sandwich(&profile, focus, "main", &plain, &out);
	CU_ASSERT_TRUE(xml_is_well_formed(buf_text(&out), out.len));
	CU_ASSERT_TRUE(out.len <= 1200000);
	UNIT_CONTAINS(buf_text(&out), "are left out of this file");
	free(focus);
	profile_release(&profile);
	buf_release(&out);
	buf_release(&text);
}

void
suite_flamegraph_size(void)
{
	static const struct unit_case cases[] = {
		{"a_large_profile_stays_within_the_limit", a_large_profile_stays_within_the_limit},
		{"a_large_difference_of_short_names_is_whole",
			a_large_difference_of_short_names_is_whole},
		{"a_large_difference_of_long_names_fills_the_room_and_no_more",
			a_large_difference_of_long_names_fills_the_room_and_no_more},
		{"a_difference_of_long_names_above_small_functions_has_all_that_is_wide",
			a_difference_of_long_names_above_small_functions_has_all_that_is_wide},
		{"a_large_sandwich_stays_within_the_limit",
			a_large_sandwich_stays_within_the_limit},
		{"a_budget_keeps_the_widest_and_of_equals_the_first_by_name",
			a_budget_keeps_the_widest_and_of_equals_the_first_by_name},
		{NULL, NULL},
	};

	unit_suite("flamegraph/size", cases);
}
