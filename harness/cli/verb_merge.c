#include "base/mem.h"
#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "commands/merge.h"
#include "output/ci_commands.h"

#include <stdlib.h>

struct merge_call {
	struct command_settings settings;
	const char *output_dir;
	const char *ci;
	const struct report_output *commands;
	bool full;
};

static int
merge_paths(struct merge_call *args, const struct cli_call *call, struct err *err)
{
	const size_t n = call->arguments.count;
	const char **paths = mem_zalloc(n, sizeof(*paths));
	struct root *root = &args->settings.root;

	for (size_t i = 0; i < n; i++)
		paths[i] = root_path(root, call->arguments.items[i]);
	const struct merge_options options = {
		.paths = paths,
		.npaths = n,
		.reports_dir = args->settings.config.reports_dir,
		.output_dir = root_path(root, args->output_dir),
		.full = args->full,
		.commands = args->commands,
		.commands_out = call->commands,
	};
	int result = confine_report(call, options.output_dir, options.reports_dir, err);

	if (result == CONFINED_INSIDE)
		result = merge_run(&options, call->exit_code, call->text, err);

	free(paths);
	return result;
}

static int
merge(const struct cli_call *call, void *context, struct err *err)
{
	struct merge_call *args = context;

	if (call->arguments.count == 0) {
		err_set(err, ERR_USAGE,
			"expected the shards: a shard.bin or a report folder of each");
		return cli_usage_error(call->verb, err);
	}
	if (args->output_dir && args->settings.reports_dir) {
		err_set(err, ERR_USAGE, "'--output' and '--reports' cannot be combined");
		return cli_usage_error(call->verb, err);
	}
	if (ci_commands_choose(args->ci, &args->commands, err) < 0 ||
		command_settings_load_config(&args->settings, err) < 0)
		return -1;
	int result = merge_paths(args, call, err);

	command_settings_release(&args->settings);
	return result;
}

static int
run_merge(const struct cli_call *call, struct err *err)
{
	struct merge_call args = {0};
	const struct cli_option options[] = {
		{"output", 'o', OPTION_TEXT, "DIR", &args.output_dir,
			"write the report to this folder"},
		{"reports", 'r', OPTION_TEXT, "DIR", &args.settings.reports_dir,
			"write the report to a new folder in DIR, named after the time of the gate"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.settings.config_path,
			"configuration, for its folder of reports (default: " CONFIG_PATH
			", if there)"},
		{"ci", 0, OPTION_TEXT, CI_COMMANDS_NAMES, &args.ci,
			"the CI system whose commands follow the verdict; auto: by its environment"},
		{"full", 0, OPTION_FLAG, NULL, &args.full,
			"with more than 50 workloads, also write the functions and pictures of those that pass"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, merge, &args, err);
}

const struct cli_verb verb_merge = {
	.name = "merge",
	.usage = "FILE|REPORT ... [options]",
	.summary = "make one verdict and one report of the shards of a gate",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run_merge,
};
