#include "base/file.h"
#include "cli/command_line.h"
#include "cli/command_settings.h"
#include "cli/options.h"
#include "cli/prepare_machine.h"
#include "cli/verb.h"
#include "commands/calibrate.h"
#include "measurement/suite_listing.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS 20
#define GATES 400
#define SEED 1

struct calibrate_call {
	struct command_settings settings;
	struct calibrate_options options;
	unsigned seed;
	const char *output;
};

static int
calibrate_workload(const struct calibrate_call *args, const struct cli_call *call, struct err *err)
{
	struct buf json = {0};
	bool any_failed = false;

	signals_catch();
	struct prepare *prepare =
		prepare_machine_begin(args->options.config, args->options.workloads);
	int result = calibrate_run(&args->options, call->text, &json, &any_failed, err);

	prepare_machine_end(prepare);
	if (result == 0 && args->output)
		result = file_write(args->output, buf_text(&json), json.len, err);
	/* If the JSON goes to standard output, nothing else does. */
	if (args->output && strcmp(args->output, "-") == 0)
		buf_clear(call->text);
	if (any_failed)
		*call->exit_code = 2;
	buf_release(&json);
	return result;
}

static int
calibrate(const struct cli_call *call, void *context, struct err *err)
{
	struct calibrate_call *args = context;

	if (args->options.pairs < CALIBRATE_LEAST_PAIRS)
		return err_set(err, ERR_USAGE,
			"'--pairs %u': at least %d pairs are needed to estimate the variance",
			args->options.pairs, CALIBRATE_LEAST_PAIRS);
	if (command_settings_load(&args->settings, &call->arguments, err) < 0)
		return -1;
	if (suites_refuse(&args->settings.workloads, "calibrate", err) < 0) {
		command_settings_release(&args->settings);
		return -1;
	}
	char *line = command_line_quoted(call->argc, call->argv, NULL, NULL);

	args->output = root_path(&args->settings.root, args->output);
	args->options.config = &args->settings.config;
	args->options.workloads = &args->settings.workloads;
	args->options.command = line;
	args->options.seed = args->seed;
	int result = calibrate_workload(args, call, err);

	free(line);
	command_settings_release(&args->settings);
	return result;
}

static int
run_calibrate(const struct cli_call *call, struct err *err)
{
	struct calibrate_call args = {
		.options = {.pairs = PAIRS, .gates = GATES},
		.seed = SEED,
	};
	const struct cli_option options[] = {
		{"pairs", 'p', OPTION_COUNT, "N", &args.options.pairs,
			"pairs of runs to measure, at least 6 (default 20)"},
		{"gates", 0, OPTION_COUNT, "N", &args.options.gates,
			"gates to simulate from these pairs (default 400)"},
		{"seed", 0, OPTION_COUNT, "N", &args.seed, "seed of the simulation (default 1)"},
		{"runs", 'n', OPTION_COUNT, "N", &args.settings.runs,
			"pairs that a gate takes (default: the workload's runs)"},
		SAMPLING_OPTIONS(args.settings),
		{"budget", 0, OPTION_DURATION, "TIME", &args.options.budget_s,
			"limit for the wall time of measuring, such as 10m"},
		{"prepare", 0, OPTION_FLAG, NULL, &args.settings.prepare,
			"while measuring: performance governor, turbo off, SMT siblings idle (where permitted)"},
		{"branch", 0, OPTION_TEXT, "NAME", &args.options.branch,
			"branch whose settings apply"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.settings.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{"output", 'o', OPTION_TEXT, "FILE", &args.output,
			"write all results as JSON; - is standard output"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, calibrate, &args, err);
}

const struct cli_verb verb_calibrate = {
	.name = "calibrate",
	.usage = "[WORKLOAD.yaml|DIR|NAME ...] [options]",
	.summary = "compare a build with itself: noise, false-alarm rate, suitable settings",
	.takes_arguments = true,
	.run = run_calibrate,
};
