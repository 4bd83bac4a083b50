#include "cli/options.h"
#include "cli/verb.h"
#include "process/process.h"
#include "spec/units.h"
#include "watch/continuous.h"
#include "watch/windows_history.h"

#include <string.h>

#define EXIT_WORSE 1

struct watch_call {
	struct continuous_options watching;
	const char *threshold;
};

static int
check_call(const struct cli_call *call, struct watch_call *args, struct err *err)
{
	static const char *const ways[] = {"fp", "dwarf", "none"};
	struct continuous_options *watching = &args->watching;
	const char *problem;
	size_t way = 0;

	while (way < 3 && strcmp(watching->callgraph, ways[way]) != 0)
		way++;
	if (call->arguments.count != 1) {
		err_set(err, ERR_USAGE,
			"expected one argument: the folder that the windows are kept in");
		return cli_usage_error(call->verb, err);
	}
	if (way == 3)
		return err_set(err, ERR_USAGE,
			"'--call-graph %s': expected \"fp\", \"dwarf\" or \"none\"",
			watching->callgraph);
	if (watching->for_s > watching->every_s && !watching->once)
		return err_set(err, ERR_USAGE,
			"'--for' is longer than '--every': a window ends before the next begins");
	if (args->threshold && units_percent(args->threshold, &watching->threshold, &problem) < 0)
		return err_set(err, ERR_USAGE, "'--threshold %s': %s", args->threshold, problem);
	return 0;
}

static int
watch(const struct cli_call *call, void *context, struct err *err)
{
	struct watch_call *args = context;
	size_t nalerts;

	if (check_call(call, args, err) < 0)
		return -1;
	args->watching.dir = call->arguments.items[0];
	signals_catch();
	if (continuous_run(&args->watching, &nalerts, call->text, err) < 0)
		return -1;
	if (nalerts > 0)
		*call->exit_code = EXIT_WORSE;
	return 0;
}

static int
run_watch(const struct cli_call *call, struct err *err)
{
	struct watch_call args = {.watching = {
					  .cpus = "all",
					  .event = "auto",
					  .callgraph = "fp",
					  .frequency_hz = 19,
					  .every_s = 600,
					  .for_s = 60,
					  .keep = 200,
					  .threshold = WINDOWS_THRESHOLD,
				  }};
	struct continuous_options *watching = &args.watching;
	const struct cli_option options[] = {
		{"cpus", 0, OPTION_TEXT, "CPUS", &watching->cpus,
			"sample every process on these CPUs: all (default) or a list"},
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &watching->frequency_hz,
			"samples per second of CPU time (default 19)"},
		{"every", 0, OPTION_DURATION, "TIME", &watching->every_s,
			"from the start of a window to the next (default 10m)"},
		{"for", 0, OPTION_DURATION, "TIME", &watching->for_s,
			"length of a window (default 60s)"},
		{"keep", 'k', OPTION_COUNT, "N", &watching->keep,
			"windows that are kept, the newest (default 200)"},
		{"once", 0, OPTION_FLAG, NULL, &watching->once,
			"take one window now, judge it and end"},
		{"threshold", 0, OPTION_TEXT, "PERCENT", &args.threshold,
			"smallest growth of a share that is an alert (default: 20 %)"},
		{"event", 'e', OPTION_TEXT, "EVENT", &watching->event,
			"event to sample: auto, cycles, cpu-clock, ..."},
		{"call-graph", 'g', OPTION_TEXT, "fp|dwarf|none", &watching->callgraph,
			"how stacks are found: by frame pointers (fp, default) or stack copies "
			"(dwarf)"},
		{"push", 0, OPTION_TEXT, "URL", &watching->push_url,
			"send each window to a store: http://HOST/ingest (Pyroscope) or "
			"http://HOST/profiles/writeraw (Parca)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, watch, &args, err);
}

const struct cli_verb verb_watch = {
	.name = "watch",
	.usage = "[options] DIR",
	.summary = "profile the whole machine now and then, and alert when a function grows",
	.takes_arguments = true,
	.run = run_watch,
};
