#include "bisect/bisect.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/preparing.h"
#include "cli/verb.h"
#include "process/process.h"

#include <stdlib.h>

/* GOOD, BAD and WORKLOAD. */
#define NARGUMENTS 3

struct bisect_call {
	struct measuring given;
	const char *function;
};

static int
bisect_loaded(const struct cli_call *call, struct bisect_call *args, struct err *err)
{
	struct measuring *given = &args->given;
	const char *const *words = call->arguments.items;

	if (given->workloads.nworkloads != 1)
		return err_set(err, ERR_USAGE, "'%s' is %zu workloads: one is bisected",
			words[NARGUMENTS - 1], given->workloads.nworkloads);
	char *command = measuring_command_line(call->argc, call->argv, NULL, NULL);
	const struct bisect_options options = {
		.config = &given->config,
		.workload = &given->workloads.workloads[0],
		.function = args->function,
		.good = words[0],
		.bad = words[1],
		.command = command,
	};

	signals_catch();
	struct prepare *prepare = preparing_begin(&given->config, &given->workloads);
	int result = bisect_run(&options, call->exit_code, call->text, err);

	preparing_end(prepare);
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

	if (measuring_load(&args->given, &workload, err) < 0)
		return -1;
	int result = bisect_loaded(call, args, err);

	measuring_release(&args->given);
	return result;
}

static int
run_bisect(const struct cli_call *call, struct err *err)
{
	struct bisect_call args = {0};
	const struct cli_option options[] = {
		{"function", 0, OPTION_TEXT, "PATTERN", &args.function,
			"the cost of this function by itself (default: the whole program)"},
		{"runs", 'n', OPTION_COUNT, "N", &args.given.runs,
			"pairs of runs of each commit with GOOD (default: the workload's runs)"},
		{"max-runs", 0, OPTION_COUNT, "N", &args.given.max_runs,
			"most pairs, where more can decide it"},
		SAMPLING_OPTIONS(args.given),
		{"prepare", 0, OPTION_FLAG, NULL, &args.given.prepare,
			"while measuring: performance governor, turbo off, SMT siblings idle (where permitted)"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.given.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{"reports", 'r', OPTION_TEXT, "DIR", &args.given.reports_dir,
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
