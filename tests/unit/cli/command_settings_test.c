#include "cli/command_settings.h"

#include "base/file.h"
#include "cli/command_line.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

void suite_cli_command_settings(void);

/* A configuration and a workload, each in a file. */
struct bench {
	char dir[40];
	char config_path[64];
	char workload_path[64];
	struct command_settings settings;
	struct err err;
};

static void
put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	fclose(file);
}

static void
bench_init(struct bench *bench, const char *config, const char *workload)
{
	*bench = (struct bench){.dir = "/tmp/settings-test-XXXXXX"};
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(bench->dir));
	snprintf(bench->config_path, sizeof(bench->config_path), "%s/config.yaml", bench->dir);
	snprintf(bench->workload_path, sizeof(bench->workload_path), "%s/work.yaml", bench->dir);
	put_file(bench->config_path, config);
	put_file(bench->workload_path, workload);
}

static void
bench_release(struct bench *bench)
{
	file_remove_tree(bench->dir, &bench->err);
}

static int
load(struct bench *bench, struct command_settings settings)
{
	const char *paths[] = {bench->workload_path};
	struct cli_arguments arguments = {.items = paths, .count = 1};

	bench->settings = settings;
	bench->settings.config_path = bench->config_path;
	return command_settings_load(&bench->settings, &arguments, &bench->err);
}

static const struct capture_policy *
capture_of(const struct bench *bench)
{
	return &bench->settings.workloads.workloads[0].capture;
}

static void
release_loaded(struct bench *bench)
{
	command_settings_release(&bench->settings);
}

static const char some_config[] = "capture: {runs: 7, frequency: 500 Hz, event: cpu-clock}\n"
				  "baselines: from-file\n";
static const char some_work[] = "name: work\nrun: [/bin/true]\ncapture: {frequency: 900 Hz}\n";

static void
the_workload_overrides_the_configuration(void)
{
	struct bench bench;

	bench_init(&bench, some_config, some_work);
	CU_ASSERT_EQUAL_FATAL(load(&bench, (struct command_settings){.runs = 0}), 0);
	CU_ASSERT_EQUAL(capture_of(&bench)->runs, 7);
	UNIT_NEAR(capture_of(&bench)->frequency_hz, 900, 0);
	UNIT_STR_EQ(capture_of(&bench)->event, "cpu-clock");
	UNIT_STR_EQ(bench.settings.config.baselines_dir, "from-file");
	CU_ASSERT_FALSE(bench.settings.config.keep_perfdata);
	release_loaded(&bench);
	bench_release(&bench);
}

static void
the_command_line_overrides_both(void)
{
	const struct command_settings settings = {
		.baselines_dir = "given",
		.reports_dir = "elsewhere",
		.event = "cycles",
		.pin = "none",
		.frequency_hz = 100,
		.runs = 5,
		.keep_perfdata = true,
	};
	struct bench bench;

	bench_init(&bench, some_config, some_work);
	CU_ASSERT_EQUAL_FATAL(load(&bench, settings), 0);
	CU_ASSERT_EQUAL(capture_of(&bench)->runs, 5);
	UNIT_NEAR(capture_of(&bench)->frequency_hz, 100, 0);
	UNIT_STR_EQ(capture_of(&bench)->event, "cycles");
	UNIT_STR_EQ(capture_of(&bench)->pin, "none");
	UNIT_STR_EQ(bench.settings.config.baselines_dir, "given");
	UNIT_STR_EQ(bench.settings.config.reports_dir, "elsewhere");
	CU_ASSERT(bench.settings.config.keep_perfdata);
	release_loaded(&bench);
	bench_release(&bench);
}

/* Without more attempts, some of the runs that were asked for would be missing. */
static void
more_runs_may_take_as_many_attempts(void)
{
	struct bench bench;

	bench_init(&bench, some_config, some_work);
	CU_ASSERT_EQUAL_FATAL(load(&bench, (struct command_settings){.runs = 4000}), 0);
	CU_ASSERT_EQUAL(capture_of(&bench)->runs, 4000);
	CU_ASSERT_EQUAL(capture_of(&bench)->max_runs, 4000);
	release_loaded(&bench);
	bench_release(&bench);
}

static void
two_runs_know_no_spread(void)
{
	struct bench bench;

	bench_init(&bench, some_config, some_work);
	CU_ASSERT_EQUAL(load(&bench, (struct command_settings){.runs = 2}), -1);
	CU_ASSERT_EQUAL(bench.err.kind, ERR_USAGE);
	UNIT_CONTAINS(bench.err.text, "'--runs 2'");
	bench_release(&bench);
}

static void
a_broken_file_of_either_kind_is_an_error(void)
{
	struct bench bench;

	bench_init(&bench, "capture: {runs: many}\n", some_work);
	CU_ASSERT_EQUAL(load(&bench, (struct command_settings){.runs = 0}), -1);
	UNIT_CONTAINS(bench.err.text, "config.yaml:1:");
	bench_release(&bench);
	bench_init(&bench, some_config, "name: work\n");
	CU_ASSERT_EQUAL(load(&bench, (struct command_settings){.runs = 0}), -1);
	UNIT_CONTAINS(bench.err.text, "work.yaml");
	bench_release(&bench);
}

static void
a_command_line_is_quoted_for_a_shell(void)
{
	char words[][16] = {"gate", "--pin=2-3", "", "a b", "it's", "$x", "~"};
	char *argv[7];

	for (size_t i = 0; i < 7; i++)
		argv[i] = words[i];
	const char *words_left_out[] = {argv[2], argv[6]};
	const struct cli_arguments without = {.items = words_left_out, .count = 2};
	char *line = command_line_quoted(7, argv, NULL, NULL);

	UNIT_STR_EQ(line, "profile_run gate --pin=2-3 '' 'a b' 'it'\\''s' '$x' '~'");
	free(line);
	line = command_line_quoted(7, argv, &without, NULL);
	UNIT_STR_EQ(line, "profile_run gate --pin=2-3 'a b' 'it'\\''s' '$x'");
	free(line);
	line = command_line_quoted(0, argv, NULL, NULL);
	UNIT_STR_EQ(line, "profile_run");
	free(line);
}

static void
options_are_left_out_by_their_values(void)
{
	char words[][24] = {"gate", "--shard", "2/3", "a", "--durations=last", "--runs", "3"};
	char *argv[7];

	for (size_t i = 0; i < 7; i++)
		argv[i] = words[i];
	const char *const values[] = {argv[2], argv[4] + strlen("--durations="), NULL};
	const char *const none[] = {NULL};
	char *line = command_line_quoted(7, argv, NULL, values);

	UNIT_STR_EQ(line, "profile_run gate a --runs 3");
	free(line);
	line = command_line_quoted(7, argv, NULL, none);
	UNIT_STR_EQ(line, "profile_run gate --shard 2/3 a --durations=last --runs 3");
	free(line);
}

static const struct unit_case cases[] = {
	{"the_workload_overrides_the_configuration", the_workload_overrides_the_configuration},
	{"the_command_line_overrides_both", the_command_line_overrides_both},
	{"more_runs_may_take_as_many_attempts", more_runs_may_take_as_many_attempts},
	{"two_runs_know_no_spread", two_runs_know_no_spread},
	{"a_broken_file_of_either_kind_is_an_error", a_broken_file_of_either_kind_is_an_error},
	{"options_are_left_out_by_their_values", options_are_left_out_by_their_values},
	{"a_command_line_is_quoted_for_a_shell", a_command_line_is_quoted_for_a_shell},
	{NULL, NULL},
};

void
suite_cli_command_settings(void)
{
	unit_suite("cli/command_settings", cases);
}
