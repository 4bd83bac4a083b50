#include "cli/options.h"
#include "cli/verb.h"
#include "commands/stat_command.h"
#include "output/counters_report.h"
#include "process/process.h"

struct request {
	struct stat_options counting;
	bool json;
};

static int
count(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;
	struct profile profile;
	struct buf command = {0};

	if (call->arguments.count == 0) {
		err_set(err, ERR_USAGE, "no command given: expected '-- CMD ARGS...'");
		return cli_usage_error(call->verb, err);
	}
	for (size_t i = 0; i < call->arguments.count; i++)
		buf_printf(&command, "%s%s", i > 0 ? " " : "", call->arguments.items[i]);
	request->counting.command = call->arguments.items;
	request->counting.quiet = request->json;
	profile_init(&profile);
	signals_catch();
	int result = stat_run(&request->counting, &profile, err);

	if (result == 0 && request->json)
		counters_put_json(&profile, buf_text(&command), call->text);
	else if (result == 0)
		counters_put_text(&profile, buf_text(&command), call->text);
	profile_release(&profile);
	buf_release(&command);
	return result;
}

static int
run_stat(const struct cli_call *call, struct err *err)
{
	struct request request = {.counting = {.runs = 1, .pin = "none"}};
	const struct cli_option options[] = {
		{"runs", 'n', OPTION_COUNT, "N", &request.counting.runs,
			"run the command N times, and show the spread (default: once)"},
		{"pin", 0, OPTION_TEXT, "CPUS", &request.counting.pin,
			"CPUs of the program: none, auto or a list such as 2-3"},
		{"json", 0, OPTION_FLAG, NULL, &request.json,
			"as JSON; the output of the command is discarded"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, count, &request, err);
}

const struct cli_verb verb_stat = {
	.name = "stat",
	.usage = "[options] -- CMD ARGS...",
	.summary = "count what a command uses: time, memory, faults, reads and writes",
	.takes_arguments = true,
	.takes_command = true,
	.run = run_stat,
};
