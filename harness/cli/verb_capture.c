#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "pipeline/record.h"
#include "process/signals.h"

#include <string.h>

struct request {
	struct measuring given;
	struct record_options recording;
	unsigned pid;
};

static int
check(const struct cli_call *call, const struct request *request, struct err *err)
{
	static const char *const ways[] = {"auto", "fp", "dwarf", "none"};
	const struct record_options *recording = &request->recording;
	size_t way = 0;
	bool command = recording->workload != NULL;
	bool attach = request->pid != 0;

	while (recording->callgraph && way < 4 && strcmp(recording->callgraph, ways[way]) != 0)
		way++;
	if (way == 4)
		err_set(err, ERR_USAGE,
			"'--call-graph %s': expected \"auto\", \"fp\", \"dwarf\" or \"none\"",
			recording->callgraph);
	else if (attach && recording->all_of)
		err_set(err, ERR_USAGE, "'--cpus' samples all processes, '--pid' a single one");
	else if (command == attach && !recording->all_of)
		err_set(err, ERR_USAGE,
			"'capture' wants one of '--workload CMD', '--pid PID' and '--cpus all'");
	else
		return 0;
	return cli_usage_error(call->verb, err);
}

static int
capture(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;

	if (check(call, request, err) < 0 || measuring_load_config(&request->given, err) < 0)
		return -1;
	request->recording.attach_pid = (pid_t)request->pid;
	request->recording.config = &request->given.config;
	signals_catch();
	int result = record_run(&request->recording, call->text, err);

	measuring_release(&request->given);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct request request = {
		.recording = {.frequency_hz = 99, .event = "auto", .pin = "none"}};
	const struct cli_option options[] = {
		{"workload", 'w', OPTION_TEXT, "CMD|NAME", &request.recording.workload,
			"a command, or a workload by name or file"},
		{"pid", 'p', OPTION_COUNT, "PID", &request.pid, "a process that runs already"},
		{"duration", 'd', OPTION_DURATION, "S", &request.recording.duration_s,
			"stop after S seconds (default: when it ends)"},
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &request.recording.frequency_hz,
			"samples a CPU second (default 99)"},
		{"metric", 'm', OPTION_TEXT, "METRIC", &request.recording.metric,
			"cpu or instructions (default: the workload's, of a command cpu)"},
		{"event", 'e', OPTION_TEXT, "EVENT", &request.recording.event,
			"auto, cycles, cpu-clock, ..."},
		{"pin", 0, OPTION_TEXT, "CPUS", &request.recording.pin,
			"none, auto or a list such as 2-3"},
		{"call-graph", 'g', OPTION_TEXT, "HOW", &request.recording.callgraph,
			"auto, fp (frame pointers), dwarf (stack copies) or none"},
		{"stack-size", 0, OPTION_SIZE, "SIZE", &request.recording.stack_bytes,
			"of the stack copied with each sample: 8KiB (default: found out)"},
		{"cpus", 0, OPTION_TEXT, "CPUS", &request.recording.all_of,
			"sample every process on these CPUs: all or a list"},
		{"raw", 0, OPTION_FLAG, NULL, &request.recording.keep_raw,
			"perf.data keeps the stack copies instead of the stacks"},
		{"output", 'o', OPTION_NEEDED_TEXT, "DIR", &request.recording.output_dir,
			"gets perf.data, folded.txt, flamegraph.svg, report.txt"},
		{"config", 'c', OPTION_TEXT, "FILE", &request.given.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, capture, &request, err);
}

const struct cli_verb verb_capture = {
	.name = "capture",
	.usage = "--workload CMD|NAME | --pid PID | --cpus all --output DIR [options]",
	.summary = "profile one command or process",
	.run = run,
};
