#include "cli/options.h"
#include "cli/verb.h"
#include "commands/crosscheck_command.h"
#include "process/process.h"

/*
 * A frequency that no timer of the kernel has, nor a multiple of one: periodic work is sampled in
 * all parts of its period.
 */
#define DEFAULT_HZ 997

static int
crosscheck(const struct cli_call *call, void *context, struct err *err)
{
	struct crosscheck_options *options = context;

	if (call->arguments.count == 0) {
		err_set(err, ERR_USAGE, "no command given: expected '-- CMD ARGS...'");
		return cli_usage_error(call->verb, err);
	}
	options->command = call->arguments.items;
	signals_catch();
	return crosscheck_run(options, call->text, err);
}

static int
run_crosscheck(const struct cli_call *call, struct err *err)
{
	struct crosscheck_options request = {.frequency_hz = DEFAULT_HZ};
	const struct cli_option options[] = {
		{"top", 'n', OPTION_COUNT, "N", &request.top,
			"show the N functions with the largest share by any tool (default: 15 at most)"},
		{"tools", 't', OPTION_TEXT, "TOOL,...", &request.tools,
			"some of profile_run, perf, callgrind and gprof (default: all)"},
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &request.frequency_hz,
			"samples per second of CPU time, of profile_run and perf (default 997)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, crosscheck, &request, err);
}

const struct cli_verb verb_crosscheck = {
	.name = "crosscheck",
	.usage = "[options] -- CMD ARGS...",
	.summary = "measure a command with several profilers, and say how far they agree",
	.takes_arguments = true,
	.takes_command = true,
	.run = run_crosscheck,
};
