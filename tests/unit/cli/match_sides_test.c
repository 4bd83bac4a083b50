#include "cli/match_sides.h"

#include "profile/folded.h"
#include "unit.h"

#include <string.h>

void suite_cli_match_sides(void);

struct sides {
	struct profile before;
	struct profile after;
};

static void
read_sides(struct sides *sides, const char *before, const char *after)
{
	struct err err = {0};

	profile_init(&sides->before);
	profile_init(&sides->after);
	CU_ASSERT_EQUAL(folded_read(&sides->before, "before", before, strlen(before), &err), 0);
	CU_ASSERT_EQUAL(folded_read(&sides->after, "after", after, strlen(after), &err), 0);
}

static void
release_sides(struct sides *sides)
{
	profile_release(&sides->before);
	profile_release(&sides->after);
}

static void
expect_folded(const struct profile *side, const char *folded)
{
	struct profile joined;
	struct buf out = {0};

	profile_init(&joined);
	profile_append(&joined, side);
	profile_sort(&joined);
	folded_write(&joined, FOLDED_SUM, &out);
	UNIT_STR_EQ(buf_text(&out), folded);
	buf_release(&out);
	profile_release(&joined);
}

static void
programs_of_two_names_meet(void)
{
	struct sides sides;

	read_sides(&sides, "old;main;f 8\nsh;main 1\n", "new;main;f 9\nsh;main 2\n");
	match_sides(&sides.before, &sides.after);
	expect_folded(&sides.before, "old \xe2\x86\x92 new;main;f 8\nsh;main 1\n");
	expect_folded(&sides.after, "old \xe2\x86\x92 new;main;f 9\nsh;main 2\n");
	release_sides(&sides);
}

static void
programs_that_are_on_both_sides_keep_their_names(void)
{
	static const char *const texts[][2] = {
		{"app;f 8\nsh;g 1\n", "app;f 1\nsh;g 8\n"},
		{"one;f 4\ntwo;f 4\n", "new;f 4\n"},
		{"app;f 8\n", "app;f 9\n"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sides sides;

		read_sides(&sides, texts[i][0], texts[i][1]);
		match_sides(&sides.before, &sides.after);
		expect_folded(&sides.before, texts[i][0]);
		expect_folded(&sides.after, texts[i][1]);
		release_sides(&sides);
	}
}

static void
a_function_that_one_build_inlined_is_a_call_where_the_other_calls_it(void)
{
	struct sides sides;

	read_sides(
		&sides, "m;f;g 8\nm;h_[i] 1\n", "m;f_[i];g 3\nm;f;g 2\nm;h_[i] 1\nm;new_[i] 1\n");
	match_sides(&sides.before, &sides.after);
	expect_folded(&sides.before, "m;f;g 8\nm;h_[i] 1\n");
	expect_folded(&sides.after, "m;f;g 5\nm;h_[i] 1\nm;new_[i] 1\n");
	release_sides(&sides);
}

static void
a_function_that_both_builds_inline_stays_inlined(void)
{
	struct sides sides;

	read_sides(&sides, "m;f_[i] 8\nm;f 1\n", "m;f_[i] 8\nk;f 1\n");
	match_sides(&sides.before, &sides.after);
	expect_folded(&sides.before, "m;f 1\nm;f_[i] 8\n");
	expect_folded(&sides.after, "k;f 1\nm;f_[i] 8\n");
	release_sides(&sides);
}

static void
runs_become_a_sum_beside_a_sum(void)
{
	struct sides sides;

	read_sides(&sides, "# runs: 2\nm;f 3 4\n", "m;f 9\n");
	match_sides(&sides.before, &sides.after);
	CU_ASSERT_EQUAL(sides.before.nruns, 1);
	CU_ASSERT_EQUAL(sides.before.runs[0].samples, 7);
	expect_folded(&sides.before, "m;f 7\n");
	release_sides(&sides);
}

void
suite_cli_match_sides(void)
{
	static const struct unit_case cases[] = {
		{"programs_of_two_names_meet", programs_of_two_names_meet},
		{"programs_that_are_on_both_sides_keep_their_names",
			programs_that_are_on_both_sides_keep_their_names},
		{"a_function_that_one_build_inlined_is_a_call_where_the_other_calls_it",
			a_function_that_one_build_inlined_is_a_call_where_the_other_calls_it},
		{"a_function_that_both_builds_inline_stays_inlined",
			a_function_that_both_builds_inline_stays_inlined},
		{"runs_become_a_sum_beside_a_sum", runs_become_a_sum_beside_a_sum},
		{NULL, NULL},
	};

	unit_suite("cli/match_sides", cases);
}
