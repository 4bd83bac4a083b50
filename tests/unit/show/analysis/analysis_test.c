#include "analysis/analysis.h"

#include "format/name_fit.h"
#include "sample.h"

void suite_analysis_analysis(void);

static void
the_analysis_reads_as_agreed(void)
{
	const struct analysis_options options = {0};
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	analysis_write(&sample.candidate, &options, &out);
	sample_check_golden("analysis.txt", &out);
	sample_release(&sample);
	buf_release(&out);
}

static void
colour_comes_only_when_asked_for(void)
{
	struct analysis_options options = {.top = 3};
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	analysis_write(&sample.candidate, &options, &out);
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	options.colour = true;
	analysis_write(&sample.candidate, &options, &out);
	CU_ASSERT_FALSE(sample_is_plain(&out));
	sample_release(&sample);
	buf_release(&out);
}

static void
a_profile_without_runs_is_described(void)
{
	const struct analysis_options options = {0};
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	analysis_write(&profile, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "no samples");
	UNIT_CONTAINS(buf_text(&out), "duration    not known, 0 runs");
	profile_release(&profile);
	buf_release(&out);
}

static void
a_folded_file_has_no_validity_to_tell(void)
{
	const struct analysis_options options = {0};
	struct profile profile;
	struct buf out = {0};

	profile_init(&profile);
	sample_add(&profile, profile_add_run(&profile), "main;work_[k]", 3);
	profile_sort(&profile);
	analysis_write(&profile, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "validity    not known");
	UNIT_CONTAINS(buf_text(&out), "  work_[k]\n");
	profile_release(&profile);
	buf_release(&out);
}

static void
what_was_left_out_is_counted(void)
{
	const struct analysis_options options = {.top = 2};
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	analysis_write(&sample.candidate, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "and 6 more functions with ");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "  cjson\n"));
	sample_release(&sample);
	buf_release(&out);
}

static void
write_stacks(const struct stack *stacks, const struct analysis_options *options, struct buf *out)
{
	struct profile profile;

	stacks_fill(&profile, stacks);
	buf_clear(out);
	analysis_write(&profile, options, out);
	profile_release(&profile);
}

static void
a_profile_without_traits_gets_no_recommendation(void)
{
	const struct analysis_options options = {0};
	struct stack stacks[41] = {0};
	char names[40][16];
	struct buf out = {0};

	for (size_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "app;main;f%zu", i);
		stacks[i] = (struct stack){names[i], i == 7 ? 120 : 100};
	}
	write_stacks(stacks, &options, &out);
	UNIT_CONTAINS(buf_text(&out),
		"What stands out\n  Nothing stands out: the largest function, "
		"f7, has 3.0 % of the samples\n\nHotspots");
	UNIT_CONTAINS(buf_text(&out), "  and 22 more functions with 49.8 % between them\n");
	buf_release(&out);
}

static void
recommendations_come_by_what_they_concern_and_are_few(void)
{
	static const struct stack stacks[] = {
		{"app;[broken];a;malloc;_int_malloc;asm_exc_page_fault_[k];do_anonymous_page_[k]",
			90},
		{"app;_dl_start;[ld.so]", 80},
		{"sh;b;pthread_mutex_lock", 70},
		{"sh;b;write;ksys_write_[k];vfs_write_[k]", 60},
		{NULL, 0},
	};
	const struct analysis_options options = {0};
	double last = 100;
	size_t shown = 0;
	struct buf out = {0};

	write_stacks(stacks, &options, &out);
	for (const char *at = strstr(buf_text(&out), "What stands out\n"); at && *at != '\0';
		at = strchr(at, '\n') + 1) {
		double share;

		if (strncmp(at, "\n", 1) == 0)
			break;
		if (at[2] == (char)('1' + (char)shown) && at[3] == '.' && ++shown &&
			sscanf(at + 4, " %lf %%", &share) == 1) {
			CU_ASSERT_TRUE(share <= last);
			last = share;
		}
	}
	CU_ASSERT_EQUAL(shown, 5);
	buf_release(&out);
}

static void
callers_are_a_tree_with_what_each_brings(void)
{
	static const struct stack stacks[] = {
		{"app;main;run;parse;scan;scan", 60},
		{"app;main;run;parse;step_[i];scan", 20},
		{"app;main;run;print;scan;next_[i]", 16},
		{"app;main;run;emit;scan", 4},
		{NULL, 0},
	};
	const struct analysis_options options = {.callers = true, .top = 1};
	struct buf out = {0};

	write_stacks(stacks, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "  1.    100 %    100 %      100  scan\n"
				      "       60.0 %                60      60 % from parse\n"
				      "       60.0 %                60        60 % from run\n"
				      "       60.0 %                60          60 % from main\n"
				      "       20.0 %                20      20 % from step_[i]\n"
				      "       20.0 %                20        20 % from parse\n"
				      "       20.0 %                20          20 % from run\n"
				      "       20.0 %                20            20 % from main\n"
				      "       16.0 %                16      16 % from print\n"
				      "       16.0 %                16        16 % from run\n"
				      "       16.0 %                16          16 % from main\n"
				      "  and 8 more functions\n");
	buf_release(&out);
}

static void
no_line_is_wider_than_asked_for(void)
{
	static const size_t widths[] = {60, 80, 100, 200};

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct analysis_options options = {.columns = widths[i], .top = 100};
		struct analysis_focus focus = {.pattern = "a|b", .whole = 1e12};
		struct sample sample;
		struct buf out = {0};

		sample_init(&sample, true);
		/* Whole columns, and the one run table that has nothing to give. */
		sample.candidate.runs[0].measured = false;
		for (int callers = 0; callers < 2; callers++) {
			options.callers = callers > 0;
			options.focus = callers > 0 ? &focus : NULL;
			analysis_write(&sample.candidate, &options, &out);
		}
		CU_ASSERT_TRUE(sample_is_plain(&out));
		CU_ASSERT_TRUE(sample_is_utf8(&out));
		for (const char *at = buf_text(&out); *at; at = strchr(at, '\n') + 1) {
			size_t len = strcspn(at, "\n");

			if (name_columns(at, len) > widths[i])
				printf("%zu: %.*s\n", widths[i], (int)len, at);
			CU_ASSERT_TRUE(name_columns(at, len) <= widths[i]);
			CU_ASSERT_TRUE(len == 0 || at[len - 1] != ' ');
		}
		sample_release(&sample);
		buf_release(&out);
	}
}

static void
a_focus_is_reported_with_shares_of_both(void)
{
	static const struct stack stacks[] = {
		{"app;main;parse", 30},
		{"app;main;parse;scan", 10},
		{"app;main;print", 60},
		{NULL, 0},
	};
	struct analysis_focus focus;
	const struct analysis_options options = {.focus = &focus};
	struct profile profile;
	struct err err = {0};
	struct buf out = {0};

	stacks_fill(&profile, stacks);
	CU_ASSERT_EQUAL_FATAL(analysis_focus(&focus, &profile, "parse", &err), 0);
	analysis_write(&profile, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "samples     100\n"
				      "focus       parse: 40 of 100 samples (40.0 %) have a frame "
				      "that matches; shares below are of these\n");
	UNIT_CONTAINS(buf_text(&out), "  1.   75.0 %    100 %   30.0 %   40.0 %       30  parse\n");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "print"));
	profile_release(&profile);
	buf_release(&out);
}

void
suite_analysis_analysis(void)
{
	static const struct unit_case cases[] = {
		{"the_analysis_reads_as_agreed", the_analysis_reads_as_agreed},
		{"colour_comes_only_when_asked_for", colour_comes_only_when_asked_for},
		{"a_profile_without_runs_is_described", a_profile_without_runs_is_described},
		{"a_folded_file_has_no_validity_to_tell", a_folded_file_has_no_validity_to_tell},
		{"what_was_left_out_is_counted", what_was_left_out_is_counted},
		{"a_profile_without_traits_gets_no_recommendation",
			a_profile_without_traits_gets_no_recommendation},
		{"recommendations_come_by_what_they_concern_and_are_few",
			recommendations_come_by_what_they_concern_and_are_few},
		{"callers_are_a_tree_with_what_each_brings",
			callers_are_a_tree_with_what_each_brings},
		{"no_line_is_wider_than_asked_for", no_line_is_wider_than_asked_for},
		{"a_focus_is_reported_with_shares_of_both",
			a_focus_is_reported_with_shares_of_both},
		{NULL, NULL},
	};

	unit_suite("analysis/analysis", cases);
}
