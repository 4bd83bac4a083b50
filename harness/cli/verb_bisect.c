#include "bisect/bisect.h"
#include "cli/command_line.h"
#include "cli/command_settings.h"
#include "cli/options.h"
#include "cli/prepare_machine.h"
#include "cli/verb.h"
#include "measurement/suite_listing.h"
#include "process/process.h"

#include <stdlib.h>

/* GOOD, BAD and WORKLOAD. */
#define NARGUMENTS 3

struct bisect_call {
	struct command_settings settings;
	const char *function;
};

static int
bisect_loaded(const struct cli_call *call, struct bisect_call *args, struct err *err)
{
	struct command_settings *settings = &args->settings;
	const char *const *words = call->arguments.items;

	if (settings->workloads.nworkloads != 1)
		return err_set(err, ERR_USAGE, "'%s' is %zu workloads: one is bisected",
			words[NARGUMENTS - 1], settings->workloads.nworkloads);
	char *command = command_line_quoted(call->argc, call->argv, NULL, NULL);
	const struct bisect_options options = {
		.config = &settings->config,
		.workload = &settings->workloads.workloads[0],
		.function = args->function,
		.good = words[0],
		.bad = words[1],
		.command = command,
	};

	signals_catch();
	struct prepare *prepare = prepare_machine_begin(&settings->config, &settings->workloads);
	int result = bisect_run(&options, call->exit_code, call->text, err);

	prepare_machine_end(prepare);
	free(command);
	return result;
}

static int
bisect(const struct cli_call *call, void *context, struct err *err)
{
	struct bisect_call *args = context;

	if (call->arguments.count != NARGUMENTS) {
		err_set(err, ERR_USAGE, "expected two commits, the fast one first, and a workload");
		return cli_usage_error(call->verb, err);
	}
	const struct cli_arguments workload = {
		.items = &call->arguments.items[NARGUMENTS - 1], .count = 1};

	if (command_settings_load(&args->settings, &workload, err) < 0)
		return -1;
	int result = suites_refuse(&args->settings.workloads, "bisect", err);

	if (result == 0)
		result = bisect_loaded(call, args, err);

	command_settings_release(&args->settings);
	return result;
}

static int
run_bisect(const struct cli_call *call, struct err *err)
{
	struct bisect_call args = {0};
	const struct cli_option options[] = {
		{"function", 0, OPTION_TEXT, "PATTERN", &args.function,
			"the cost of this function by itself (default: the whole program)"},
		{"runs", 'n', OPTION_COUNT, "N", &args.settings.runs,
			"pairs of runs of each commit with GOOD (default: the workload's runs)"},
		{"max-runs", 0, OPTION_COUNT, "N", &args.settings.max_runs,
			"most pairs, where more can decide it"},
		SAMPLING_OPTIONS(args.settings),
		{"prepare", 0, OPTION_FLAG, NULL, &args.settings.prepare,
			"while measuring: performance governor, turbo off, SMT siblings idle (where permitted)"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.settings.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{"reports", 'r', OPTION_TEXT, "DIR", &args.settings.reports_dir,
			"folder of the reports"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, bisect, &args, err);
}

const struct cli_verb verb_bisect = {
	.name = "bisect",
	.usage = "GOOD BAD WORKLOAD [options]",
	.summary = "find the commit with which a workload, or a function of it, became slower",
	.takes_arguments = true,
	.run = run_bisect,
};
