#include "output/analysis.h"

#include "output/name.h"
#include "sample.h"

void suite_output_analysis(void);

static void
the_analysis_reads_as_agreed(void)
{
	const struct analysis_options options = {0};
	struct sample sample;
	struct buf out;

	buf_init(&out);
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
	struct buf out;

	buf_init(&out);
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
	struct buf out;

	buf_init(&out);
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
	struct buf out;

	buf_init(&out);
	profile_init(&profile);
	sample_add(&profile, profile_add_run(&profile), "main;work_[k]", 3);
	profile_sort(&profile);
	analysis_write(&profile, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "validity    not known");
	UNIT_CONTAINS(buf_text(&out), "work_[k]  ");
	profile_release(&profile);
	buf_release(&out);
}

static void
what_was_left_out_is_counted(void)
{
	const struct analysis_options options = {.top = 2};
	struct sample sample;
	struct buf out;

	buf_init(&out);
	sample_init(&sample, false);
	analysis_write(&sample.candidate, &options, &out);
	UNIT_CONTAINS(buf_text(&out), "and 6 more functions");
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "\n  cjson "));
	sample_release(&sample);
	buf_release(&out);
}

static void
a_comparison_without_a_gate_says_which_way(void)
{
	const struct analysis_options options = {0};
	struct sample sample;
	struct buf out;

	buf_init(&out);
	sample_init(&sample, false);
	analysis_write_diff(&sample.judgements[0].comparison, &options, &out);
	sample_check_golden("diff.txt", &out);
	UNIT_CONTAINS(buf_text(&out), "slower      parse_value");
	sample_release(&sample);
	buf_release(&out);
}

void
suite_output_analysis(void)
{
	static const struct unit_case cases[] = {
		{"the_analysis_reads_as_agreed", the_analysis_reads_as_agreed},
		{"colour_comes_only_when_asked_for", colour_comes_only_when_asked_for},
		{"a_profile_without_runs_is_described", a_profile_without_runs_is_described},
		{"a_folded_file_has_no_validity_to_tell", a_folded_file_has_no_validity_to_tell},
		{"what_was_left_out_is_counted", what_was_left_out_is_counted},
		{"a_comparison_without_a_gate_says_which_way",
			a_comparison_without_a_gate_says_which_way},
		{NULL, NULL},
	};

	unit_suite("output/analysis", cases);
}
