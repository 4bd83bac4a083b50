#include "base/mem.h"
#include "cli/confine.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "pipeline/merge.h"

#include <stdlib.h>

struct merge_call {
	struct measuring given;
	const char *output_dir;
	bool full;
};

static int
merge_paths(struct merge_call *asked, const struct cli_call *call, struct err *err)
{
	const size_t n = call->arguments.count;
	const char **paths = mem_zalloc(n, sizeof(*paths));
	struct root *root = &asked->given.root;

	for (size_t i = 0; i < n; i++)
		paths[i] = root_path(root, call->arguments.items[i]);
	const struct merge_options options = {
		.paths = paths,
		.npaths = n,
		.reports_dir = asked->given.config.reports_dir,
		.output_dir = root_path(root, asked->output_dir),
		.full = asked->full,
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
	struct merge_call *asked = context;

	if (call->arguments.count == 0) {
		err_set(err, ERR_USAGE,
			"expected the shards: a shard.bin or a report folder of each");
		return cli_usage_error(call->verb, err);
	}
	if (asked->output_dir && asked->given.reports_dir) {
		err_set(err, ERR_USAGE, "'--output' and '--reports' cannot be combined");
		return cli_usage_error(call->verb, err);
	}
	if (measuring_load_config(&asked->given, err) < 0)
		return -1;
	int result = merge_paths(asked, call, err);

	measuring_release(&asked->given);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct merge_call asked = {0};
	const struct cli_option options[] = {
		{"output", 'o', OPTION_TEXT, "DIR", &asked.output_dir,
			"write the report to this folder"},
		{"reports", 'r', OPTION_TEXT, "DIR", &asked.given.reports_dir,
			"write the report to a new folder in DIR, named after the time of the gate"},
		{"config", 'c', OPTION_TEXT, "FILE", &asked.given.config_path,
			"configuration, for its folder of reports (default: " CONFIG_PATH
			", if there)"},
		{"full", 0, OPTION_FLAG, NULL, &asked.full,
			"with more than 50 workloads, also write the functions and pictures of those that pass"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, merge, &asked, err);
}

const struct cli_verb verb_merge = {
	.name = "merge",
	.usage = "FILE|REPORT ... [options]",
	.summary = "make one verdict and one report of the shards of a gate",
	.takes_arguments = true,
	.has_verdicts = true,
	.is_confined = true,
	.run = run,
};
