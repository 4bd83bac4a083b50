#include "analysis/analysis.h"

#include "sample.h"

void suite_analysis_focus(void);

static const struct stack stacks[] = {
	{"app;main;parse", 5},
	{"app;main;parse;read_[k]", 3},
	{"app;main;print", 2},
	{NULL, 0},
};

static void
only_stacks_with_a_match_keep_their_weight(void)
{
	struct analysis_focus focus;
	struct err err = {0};
	struct profile profile;

	stacks_fill(&profile, stacks);
	CU_ASSERT_EQUAL(analysis_focus(&focus, &profile, "^par", &err), 0);
	CU_ASSERT_EQUAL(focus.whole, 10);
	CU_ASSERT_EQUAL(profile_column_total(&profile, 0), 8);
	CU_ASSERT_EQUAL(analysis_focus(&focus, &profile, "_\\[k\\]$", &err), 0);
	CU_ASSERT_EQUAL(profile_column_total(&profile, 0), 3);
	profile_release(&profile);
}

static void
nothing_that_matches_is_an_error_and_leaves_the_profile_alone(void)
{
	struct analysis_focus focus;
	struct err err = {0};
	struct profile profile;

	stacks_fill(&profile, stacks);
	CU_ASSERT_EQUAL(analysis_focus(&focus, &profile, "PARSE", &err), -1);
	CU_ASSERT_EQUAL(err_exit_code(&err), 2);
	UNIT_CONTAINS(err.text, "none of the profile's 5 functions matches 'PARSE'");
	UNIT_CONTAINS(err.text, "'parse' would match");
	CU_ASSERT_EQUAL(profile_column_total(&profile, 0), 10);
	profile_release(&profile);
}

static void
a_wrong_expression_is_shown_where_it_goes_wrong(void)
{
	static const struct {
		const char *pattern;
		const char *said;
	} wrong[] = {
		{"a[b", "character 2, '['"},
		{"a[]b", "character 2, '['"},
		{"a(b(c)", "character 2, '('"},
		{"x(y[()]", "character 2, '('"},
		{"*a", "character 1, '*'"},
		{"a{1", "character 2, '{'"},
		{"ab\\", "character 3, '\\'"},
		{"[[:foo:]]", "character 8, ']'"},
		{"", "is empty"},
		{"a\\\\(b)\\1", "character 7: back references"},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};

		CU_ASSERT_EQUAL(analysis_focus_check(wrong[i].pattern, &err), -1);
		CU_ASSERT_EQUAL(err_exit_code(&err), 64);
		UNIT_CONTAINS(err.text, wrong[i].said);
	}
}

static void
a_very_long_expression_is_refused(void)
{
	char pattern[2001];
	struct err err = {0};

	memset(pattern, '(', 2000);
	pattern[2000] = '\0';
	CU_ASSERT_EQUAL(analysis_focus_check(pattern, &err), -1);
	CU_ASSERT_EQUAL(err_exit_code(&err), 64);
	pattern[999] = '\0';
	CU_ASSERT_EQUAL(analysis_focus_check(pattern, &err), -1);
	UNIT_CONTAINS(err.text, "character 999, '('");
}

/* Whether it keeps something of a profile with the one function `name`. */
static bool
is_kept(const char *name, const char *pattern)
{
	struct profile profile;
	struct analysis_focus focus;
	struct err err = {0};

	stacks_fill(&profile, (const struct stack[]){{name, 1}, {NULL, 0}});
	const bool kept = analysis_focus(&focus, &profile, pattern, &err) == 0;

	profile_release(&profile);
	return kept;
}

static void
put_letters(struct buf *out, size_t until)
{
	while (out->len < until)
		buf_putc(out, 'x');
}

/* "begin", letters, "middle", letters and "end", of `len` bytes. */
static void
of_a_long_name_the_ends_are_matched(void)
{
	static const struct {
		const char *pattern;
		size_t len;
		bool kept;
	} cases[] = {
		{"^begin", 5000, true},
		{"gin", 5000, true},
		{"nd$", 5000, true},
		/* These are not where the name begins and ends, though what is matched does. */
		{"^x", 5000, false},
		{"x$", 5000, false},
		{"^x+end$", 5000, false},
		{"middle", 5000, false},
		{"begin.*end", 5000, false},
		{"middle", 4096, true},
		{"^begin.*end$", 4096, true},
		{"middle", 4097, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf name = {0};

		buf_puts(&name, "begin");
		put_letters(&name, cases[i].len / 2 - 3);
		buf_puts(&name, "middle");
		put_letters(&name, cases[i].len - 3);
		buf_puts(&name, "end");
		CU_ASSERT_EQUAL(is_kept(buf_text(&name), cases[i].pattern), cases[i].kept);
		buf_release(&name);
	}
}

void
suite_analysis_focus(void)
{
	static const struct unit_case cases[] = {
		{"only_stacks_with_a_match_keep_their_weight",
			only_stacks_with_a_match_keep_their_weight},
		{"nothing_that_matches_is_an_error_and_leaves_the_profile_alone",
			nothing_that_matches_is_an_error_and_leaves_the_profile_alone},
		{"a_wrong_expression_is_shown_where_it_goes_wrong",
			a_wrong_expression_is_shown_where_it_goes_wrong},
		{"a_very_long_expression_is_refused", a_very_long_expression_is_refused},
		{"of_a_long_name_the_ends_are_matched", of_a_long_name_the_ends_are_matched},
		{NULL, NULL},
	};

	unit_suite("analysis/focus", cases);
}
