#include "cli/confine.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "pipeline/replay.h"

struct replay_call {
	struct measuring given;
	struct replay_options options;
};

static int
replay(const struct cli_call *call, void *context, struct err *err)
{
	struct replay_call *asked = context;

	if (call->arguments.count != 1) {
		err_set(err, ERR_USAGE,
			"expected one argument: a report folder, or a replay.bin in it");
		return cli_usage_error(call->verb, err);
	}
	if (asked->options.output_dir && asked->given.reports_dir) {
		err_set(err, ERR_USAGE, "'--output' and '--reports' cannot be combined");
		return cli_usage_error(call->verb, err);
	}
	if (measuring_load_config(&asked->given, err) < 0)
		return -1;
	struct root *root = &asked->given.root;

	asked->options.path = root_path(root, call->arguments.items[0]);
	asked->options.output_dir = root_path(root, asked->options.output_dir);
	asked->options.reports_dir = asked->given.config.reports_dir;
	int result =
		confine_report(call, asked->options.output_dir, asked->options.reports_dir, err);

	if (result == CONFINED_INSIDE)
		result = replay_run(&asked->options, call->exit_code, call->text, err);

	measuring_release(&asked->given);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct replay_call asked = {0};
	const struct cli_option options[] = {
		{"output", 'o', OPTION_TEXT, "DIR", &asked.options.output_dir,
			"write the report to this folder"},
		{"reports", 'r', OPTION_TEXT, "DIR", &asked.given.reports_dir,
			"write the report to a new folder in DIR, named after the time of the gate"},
		{"config", 'c', OPTION_TEXT, "FILE", &asked.given.config_path,
			"configuration, for its folder of reports (default: " CONFIG_PATH
			", if there)"},
		{"full", 0, OPTION_FLAG, NULL, &asked.options.full,
			"with more than 50 workloads, also write the functions and pictures of those that pass"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, replay, &asked, err);
}

const struct cli_verb verb_replay = {
	.name = "replay",
	.usage = "FILE|REPORT [options]",
	.summary = "repeat the verdict of a report from its stored data, and rewrite its files",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run,
};
