#include "commands/judge_files.h"

#include "base/file.h"
#include "unit.h"

#include <stdlib.h>

void suite_commands_judge_files(void);

#define MOST_RUNS 6

/*
 * Two sides of runs of five functions, of which `parse` may have grown; and the result of judging
 * them.
 */
struct sides_trial {
	struct config config;
	struct profile before;
	struct profile after;
	int exit_code;
	struct buf text;
	struct err err;
};

static void
add_runs(struct profile *profile, size_t nruns, double parse)
{
	static const char *const names[] = {"parse", "read", "emit", "hash", "sort"};

	profile_init(profile);
	for (size_t run = 0; run < nruns; run++) {
		size_t column = profile_add_run(profile);

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			frame_id frame = profile_frame_text(profile, names[i], strlen(names[i]));
			/* Runs differ by a little, and no two functions alike. */
			double wobble = (double)((run * 7 + i * 3) % 5) * 10;

			ctree_add(&profile->tree, column,
				ctree_child(&profile->tree, CTREE_ROOT, frame),
				(i == 0 ? parse : 20000 + 5000 * (double)i) + wobble);
		}
	}
	profile_sort(profile);
}

static void
trial_init(struct sides_trial *trial, size_t nbefore, size_t nafter, double growth)
{
	*trial = (struct sides_trial){.exit_code = -1};
	config_init(&trial->config);
	trial->text = (struct buf){0};
	add_runs(&trial->before, nbefore, 30000);
	add_runs(&trial->after, nafter, 30000 * growth);
}

static int
judge(struct sides_trial *trial, struct judge_files_options options)
{
	const struct session session = {.config = &trial->config, .started = 1};

	options.session = &session;
	options.command = "profile_run compare";
	options.branch = "main";
	return judge_files(&options, &trial->before, &trial->after, &trial->exit_code, &trial->text,
		&trial->err);
}

static void
trial_release(struct sides_trial *trial)
{
	profile_release(&trial->before);
	profile_release(&trial->after);
	config_release(&trial->config);
	buf_release(&trial->text);
}

static void
only_the_function_that_grew_fails(void)
{
	struct sides_trial trial;

	trial_init(&trial, MOST_RUNS, MOST_RUNS, 1.5);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){0}), 0);
	CU_ASSERT_EQUAL(trial.exit_code, 1);
	const char *first = strstr(buf_text(&trial.text), "FAIL  compare  parse +");

	CU_ASSERT_PTR_NOT_NULL(first);
	CU_ASSERT_PTR_NULL(first ? strstr(first + 1, "FAIL ") : NULL);
	trial_release(&trial);
}

static void
an_unchanged_program_passes(void)
{
	struct sides_trial trial;

	trial_init(&trial, MOST_RUNS, MOST_RUNS, 1);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){.name = "nightly"}), 0);
	CU_ASSERT_EQUAL(trial.exit_code, 0);
	UNIT_CONTAINS(buf_text(&trial.text), "PASS  nightly  ");
	trial_release(&trial);
}

static void
one_run_a_side_is_no_pass(void)
{
	struct sides_trial trial;

	trial_init(&trial, 1, 1, 1);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){0}), 0);
	CU_ASSERT_EQUAL(trial.exit_code, 3);
	UNIT_CONTAINS(buf_text(&trial.text), "UNDECIDED");
	UNIT_CONTAINS(buf_text(&trial.text), "at least 3 are");
	trial_release(&trial);
}

static void
the_spread_of_sessions_is_none_within_one(void)
{
	struct sides_trial apart;
	struct sides_trial together;

	trial_init(&apart, MOST_RUNS, MOST_RUNS, 1.18);
	trial_init(&together, MOST_RUNS, MOST_RUNS, 1.18);
	CU_ASSERT_EQUAL(judge(&apart, (struct judge_files_options){0}), 0);
	CU_ASSERT_EQUAL(judge(&together, (struct judge_files_options){.same_session = true}), 0);
	CU_ASSERT_EQUAL(apart.exit_code, 0);
	UNIT_CONTAINS(buf_text(&apart.text), "WARN  compare  parse +");
	CU_ASSERT_EQUAL(together.exit_code, 1);
	UNIT_CONTAINS(buf_text(&together.text), "FAIL  compare  parse +");
	trial_release(&apart);
	trial_release(&together);
}

static void
pairs_are_in_the_order_of_the_files(void)
{
	struct sides_trial trial;

	trial_init(&trial, MOST_RUNS, MOST_RUNS, 1.08);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){.paired = true}), 0);
	CU_ASSERT_EQUAL(trial.exit_code, 1);
	UNIT_CONTAINS(buf_text(&trial.text), " interleaved pairs");
	for (size_t i = 0; i < MOST_RUNS; i++) {
		CU_ASSERT_EQUAL(trial.before.runs[i].pair, i + 1);
		CU_ASSERT_EQUAL(trial.after.runs[i].pair, i + 1);
	}
	trial_release(&trial);
}

static void
pairs_have_one_run_of_each_side(void)
{
	struct sides_trial trial;

	trial_init(&trial, 3, 2, 1);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){.paired = true}), -1);
	CU_ASSERT_EQUAL(err_exit_code(&trial.err), 64);
	UNIT_CONTAINS(trial.err.text, "3 before, 2 after");
	CU_ASSERT_EQUAL(trial.exit_code, -1);
	CU_ASSERT_EQUAL(trial.text.len, 0);
	trial_release(&trial);
}

static void
a_report_is_whole_or_not_there(void)
{
	struct sides_trial trial;
	char dir[] = "/tmp/judge_files_test.XXXXXX";

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	char *report = file_join(dir, "report");
	char *verdict = file_join(report, "verdict.json");
	char *picture = file_join(report, "compare/diff.svg");
	char *nowhere = file_join(verdict, "report");

	trial_init(&trial, 3, 3, 1.5);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){.report_dir = report}), 0);
	CU_ASSERT(file_exists(verdict));
	CU_ASSERT(file_exists(picture));
	UNIT_CONTAINS(buf_text(&trial.text), "/report/compare/diff.svg");
	size_t said = trial.text.len;

	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){.report_dir = nowhere}), -1);
	CU_ASSERT_EQUAL(trial.text.len, said);
	trial_release(&trial);
	CU_ASSERT_EQUAL(file_remove_tree(dir, &trial.err), 0);
	free(report);
	free(verdict);
	free(picture);
	free(nowhere);
}

static void
without_a_report_no_file_is_named(void)
{
	struct sides_trial trial;

	trial_init(&trial, 3, 3, 1.5);
	CU_ASSERT_EQUAL(judge(&trial, (struct judge_files_options){0}), 0);
	CU_ASSERT_PTR_NULL(strstr(buf_text(&trial.text), "diff.svg"));
	trial_release(&trial);
}

void
suite_commands_judge_files(void)
{
	static const struct unit_case cases[] = {
		{"only_the_function_that_grew_fails", only_the_function_that_grew_fails},
		{"an_unchanged_program_passes", an_unchanged_program_passes},
		{"one_run_a_side_is_no_pass", one_run_a_side_is_no_pass},
		{"the_spread_of_sessions_is_none_within_one",
			the_spread_of_sessions_is_none_within_one},
		{"pairs_are_in_the_order_of_the_files", pairs_are_in_the_order_of_the_files},
		{"pairs_have_one_run_of_each_side", pairs_have_one_run_of_each_side},
		{"a_report_is_whole_or_not_there", a_report_is_whole_or_not_there},
		{"without_a_report_no_file_is_named", without_a_report_no_file_is_named},
		{NULL, NULL},
	};

	unit_suite("commands/judge_files", cases);
}
