#include "capture/record.h"
#include "cli/command_settings.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "process/process.h"
#include "spec/units.h"

#include <string.h>

/* The default frequencies. At 999 Hz an operation of 20 ms has 20 samples rather than 2. */
#define COMMAND_HZ 99
#define OPERATION_HZ 999

struct request {
	struct command_settings settings;
	struct record_options recording;
	unsigned pid;
	const char *repeat;      /* NULL: the workload's; once for a command */
	const char *slower_than; /* NULL: not given */
	double frequency_hz;     /* 0: not given */
};

static int
read_repeat(struct request *request, struct err *err)
{
	struct record_options *recording = &request->recording;
	const char *problem;

	recording->repeats = request->repeat != NULL;
	if (!request->repeat || units_repeat(request->repeat, &recording->repeat, &problem) == 0)
		return 0;
	return err_set(err, ERR_USAGE, "'--repeat %s': %s", request->repeat, problem);
}

static int
check_request(const struct cli_call *call, const struct request *request, struct err *err)
{
	static const char *const ways[] = {"auto", "fp", "dwarf", "none"};
	const struct record_options *recording = &request->recording;
	size_t way = 0;
	bool arguments = call->arguments.count > 0;
	bool command = arguments || recording->workload != NULL;
	bool attach = request->pid != 0;

	while (recording->callgraph && way < 4 && strcmp(recording->callgraph, ways[way]) != 0)
		way++;
	if (way == 4)
		err_set(err, ERR_USAGE,
			"'--call-graph %s': expected \"auto\", \"fp\", \"dwarf\" or \"none\"",
			recording->callgraph);
	else if (attach && recording->all_of)
		err_set(err, ERR_USAGE, "'--cpus' samples all processes, '--pid' a single one");
	else if (arguments && recording->workload)
		err_set(err, ERR_USAGE,
			"both '--workload %s' and a command, '%s': give one of them",
			recording->workload, call->arguments.items[0]);
	else if (command && attach)
		err_set(err, ERR_USAGE, "both '--pid' and a command: give one of them");
	else if (request->repeat && (!command || recording->duration_s > 0))
		err_set(err, ERR_USAGE,
			"'--repeat' executes a command to its end, several times: without "
			"'--duration', and not with '--pid'");
	else if (recording->skip_s > 0 && (!command || request->repeat || recording->all_of))
		err_set(err, ERR_USAGE,
			"'--skip' is of one execution of a command: without '--repeat', '--pid' "
			"and '--cpus'");
	else if (request->slower_than && !recording->operation)
		err_set(err, ERR_USAGE,
			"'--slower-than' needs '--operation', which says what is timed: "
			"FUNCTION, or BEGIN,END");
	else if (!command && !attach && !recording->all_of)
		err_set(err, ERR_USAGE,
			"no command given: expected '-- CMD ARGS...', '--workload NAME', "
			"'--pid PID' or '--cpus all'");
	else
		return 0;
	return cli_usage_error(call->verb, err);
}

/* Goes to where the target is run: a workload in the root, a command where we were started. */
static int
enter_folder(struct request *request, struct err *err)
{
	struct record_options *recording = &request->recording;
	struct root *root = &request->settings.root;
	const char *name = recording->workload;
	const char *path = name && strchr(name, '/') ? root_path(root, name) : name;

	recording->config = &request->settings.config;
	if (!path || !record_is_workload(recording->config, path))
		return root_leave(root, err);
	recording->workload = path;
	recording->output_dir = root_path(root, recording->output_dir);
	recording->beside = root->prefix;
	return 0;
}

static int
capture(const struct cli_call *call, void *context, struct err *err)
{
	struct request *request = context;
	struct record_options *recording = &request->recording;

	if (read_repeat(request, err) < 0 ||
		(request->slower_than && input_threshold(request->slower_than,
						 &recording->slower_than_ns, err) < 0) ||
		check_request(call, request, err) < 0 ||
		command_settings_load_config(&request->settings, err) < 0)
		return -1;
	if (call->arguments.count > 0)
		recording->command = call->arguments.items;
	recording->attach_pid = (pid_t)request->pid;
	recording->frequency_hz = request->frequency_hz > 0 ? request->frequency_hz
				  : recording->operation    ? OPERATION_HZ
							    : COMMAND_HZ;
	signals_catch();
	int result = enter_folder(request, err);

	if (result == 0)
		result = record_run(recording, call->text, err);
	command_settings_release(&request->settings);
	return result;
}

static int
run_capture(const struct cli_call *call, struct err *err)
{
	struct request request = {.recording = {.event = "auto", .pin = "none"}};
	const struct cli_option options[] = {
		{"workload", 'w', OPTION_TEXT, "CMD|NAME", &request.recording.workload,
			"a workload by name or file, or a command for the shell"},
		{"pid", 'p', OPTION_COUNT, "PID", &request.pid, "a running process"},
		{"duration", 'd', OPTION_DURATION, "S", &request.recording.duration_s,
			"stop after S seconds (default: when the program ends)"},
		{"skip", 0, OPTION_DURATION, "S", &request.recording.skip_s,
			"do not measure the first S seconds of the command"},
		{"repeat", 'r', OPTION_TEXT, "N|auto", &request.repeat,
			"execute the command N times, or for about a second (default: once; a "
			"workload as it says)"},
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &request.frequency_hz,
			"samples per second of CPU time (default 99; with --operation 999)"},
		{"metric", 'm', OPTION_TEXT,
			"cpu|offcpu|wall|locks|instructions|l1_misses|ll_misses|estimated_cycles|syscalls|io|alloc",
			&request.recording.metric,
			"what is measured (default: the workload's; cpu for a command)"},
		{"thread", 0, OPTION_TEXT, "main|all|NAME", &request.recording.thread,
			"threads whose times offcpu, wall and locks show (default of wall: main)"},
		{"operation", 0, OPTION_TEXT, "BEGIN,END|FUNCTION", &request.recording.operation,
			"only the time in operations, marked by functions or USDT probes, "
			"[FILE:]FUNCTION or [FILE:]PROVIDER:NAME"},
		{"phases", 0, OPTION_TEXT, "pipe|[NAME=]MARK,...", &request.recording.phases,
			"record the program's phases: lines that it writes to $PROFILE_RUN_PHASES, "
			"or marks as of --operation"},
		{"slower-than", 0, OPTION_TEXT, "TIME", &request.slower_than,
			"only the operations that took longer, such as 20ms"},
		{"event", 'e', OPTION_TEXT, "EVENT", &request.recording.event,
			"event to sample: auto, cycles, cpu-clock, ..."},
		{"pin", 0, OPTION_TEXT, "CPUS", &request.recording.pin,
			"CPUs of the program: none, auto or a list such as 2-3"},
		{"call-graph", 'g', OPTION_TEXT, "auto|fp|dwarf|none", &request.recording.callgraph,
			"how stacks are found: by frame pointers (fp) or stack copies (dwarf)"},
		{"stack-size", 0, OPTION_SIZE, "SIZE", &request.recording.stack_bytes,
			"bytes of stack copied with each sample, such as 8KiB (default: chosen automatically)"},
		{"cpus", 0, OPTION_TEXT, "CPUS", &request.recording.all_of,
			"sample every process on these CPUs: all or a list"},
		{"raw", 0, OPTION_FLAG, NULL, &request.recording.keep_raw,
			"keep the stack copies in perf.data, not only the unwound stacks"},
		{"output", 'o', OPTION_TEXT, "DIR", &request.recording.output_dir,
			"where perf.data, folded.txt, flamegraph.svg and report.txt are written "
			"(default: a new folder, capture-NAME)"},
		{"config", 'c', OPTION_TEXT, "FILE", &request.settings.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, capture, &request, err);
}

const struct cli_verb verb_capture = {
	.name = "capture",
	.usage = "[options] -- CMD ARGS... | --workload NAME|CMD | --pid PID | --cpus all",
	.summary = "profile one command, workload or process",
	.takes_arguments = true,
	.takes_command = true,
	.run = run_capture,
};
