#include "base/file.h"
#include "capture/process.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "pipeline/record.h"

struct request {
	struct measuring given;
	struct record_options recording;
	unsigned pid;
};

static int
check(const struct cli_call *call, const struct cli_arguments *arguments,
	const struct request *request, struct err *err)
{
	if (cli_no_arguments(call->verb, arguments, err) < 0)
		return -1;
	if (!request->recording.workload == (request->pid != 0))
		return 0;
	err_set(err, ERR_USAGE, "'capture' wants either '--workload CMD' or '--pid PID'");
	return cli_usage_error(call->verb, err);
}

static int
capture(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct request *request = context;
	struct record_options recording = request->recording;
	struct config config;
	struct buf text = {0};

	if (check(call, arguments, request, err) < 0 ||
		measuring_load_config(&request->given, &config, err) < 0)
		return -1;
	recording.attach_pid = (pid_t)request->pid;
	recording.config = &config;
	process_catch_signals();
	int result = record_run(&recording, &text, err);

	if (result == 0)
		result = file_write("-", buf_text(&text), text.len, err);
	buf_release(&text);
	config_release(&config);
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
		{"event", 'e', OPTION_TEXT, "EVENT", &request.recording.event,
			"auto, cycles, cpu-clock, ..."},
		{"pin", 0, OPTION_TEXT, "CPUS", &request.recording.pin,
			"none, auto or a list such as 2-3"},
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
	.usage = "--workload CMD|NAME | --pid PID --output DIR [options]",
	.summary = "profile one command or process",
	.run = run,
};
