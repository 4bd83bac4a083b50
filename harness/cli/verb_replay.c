#include "cli/command_settings.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "replay/replay.h"

struct replay_call {
	struct command_settings settings;
	struct replay_options options;
};

static int
replay(const struct cli_call *call, void *context, struct err *err)
{
	struct replay_call *args = context;

	if (call->arguments.count != 1) {
		err_set(err, ERR_USAGE,
			"expected one argument: a report folder, or a replay.bin in it");
		return cli_usage_error(call->verb, err);
	}
	if (args->options.output_dir && args->settings.reports_dir) {
		err_set(err, ERR_USAGE, "'--output' and '--reports' cannot be combined");
		return cli_usage_error(call->verb, err);
	}
	if (command_settings_load_config(&args->settings, err) < 0)
		return -1;
	struct root *root = &args->settings.root;

	args->options.path = root_path(root, call->arguments.items[0]);
	args->options.output_dir = root_path(root, args->options.output_dir);
	args->options.reports_dir = args->settings.config.reports_dir;
	int result = confine_report(call, args->options.output_dir, args->options.reports_dir, err);

	if (result == CONFINED_INSIDE)
		result = replay_run(&args->options, call->exit_code, call->text, err);

	command_settings_release(&args->settings);
	return result;
}

static int
run_replay(const struct cli_call *call, struct err *err)
{
	struct replay_call args = {0};
	const struct cli_option options[] = {
		{"output", 'o', OPTION_TEXT, "DIR", &args.options.output_dir,
			"write the report to this folder"},
		{"reports", 'r', OPTION_TEXT, "DIR", &args.settings.reports_dir,
			"write the report to a new folder in DIR, named after the time of the gate"},
		{"config", 'c', OPTION_TEXT, "FILE", &args.settings.config_path,
			"configuration, for its folder of reports (default: " CONFIG_PATH
			", if there)"},
		{"full", 0, OPTION_FLAG, NULL, &args.options.full,
			"with more than 50 workloads, also write the functions and pictures of those that pass"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, replay, &args, err);
}

const struct cli_verb verb_replay = {
	.name = "replay",
	.usage = "FILE|REPORT [options]",
	.summary = "repeat the verdict of a report from its stored data, and rewrite its files",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run_replay,
};
