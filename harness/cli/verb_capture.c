#include "base/file.h"
#include "capture/process.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "pipeline/record.h"

static int
check(const struct cli_verb *verb, const struct cli_arguments *arguments,
	const struct record_options *options, struct err *err)
{
	if (cli_no_arguments(verb, arguments, err) < 0)
		return -1;
	if (!options->workload == (options->attach_pid == 0)) {
		err_set(err, ERR_USAGE, "'capture' wants either '--workload CMD' or '--pid PID'");
		return cli_usage_error(verb, err);
	}
	return cli_require(verb, "output", options->output_dir, err);
}

static int
record(const struct measuring *given, const struct record_options *options, struct err *err)
{
	struct record_options recording = *options;
	struct config config;
	struct buf text = {0};

	if (measuring_load_config(given, &config, err) < 0)
		return -1;
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
run(const struct cli_verb *verb, int argc, char **argv, int *exit_code, struct err *err)
{
	struct measuring given = {0};
	struct record_options recording = {.frequency_hz = 99, .event = "auto", .pin = "none"};
	unsigned pid = 0;
	struct cli_arguments arguments;
	const struct cli_option options[] = {
		{"workload", 'w', OPTION_TEXT, "CMD|NAME", &recording.workload,
			"a command, or a workload by name or file"},
		{"pid", 'p', OPTION_COUNT, "PID", &pid, "a process that runs already"},
		{"duration", 'd', OPTION_DURATION, "S", &recording.duration_s,
			"stop after S seconds (default: when it ends)"},
		{"frequency", 'F', OPTION_FREQUENCY, "HZ", &recording.frequency_hz,
			"samples a CPU second (default 99)"},
		{"event", 'e', OPTION_TEXT, "EVENT", &recording.event,
			"auto, cycles, cpu-clock, ..."},
		{"pin", 0, OPTION_TEXT, "CPUS", &recording.pin, "none, auto or a list such as 2-3"},
		{"output", 'o', OPTION_TEXT, "DIR", &recording.output_dir,
			"gets perf.data, folded.txt, flamegraph.svg, report.txt"},
		{"config", 'c', OPTION_TEXT, "FILE", &given.config_path,
			"configuration (default: " CONFIG_PATH ", if there)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	(void)exit_code;
	if (cli_options_parse(verb, argc, argv, options, &arguments, err) < 0)
		return -1;
	recording.attach_pid = (pid_t)pid;
	int result = 0;

	if (!arguments.help_shown) {
		result = check(verb, &arguments, &recording, err);
		if (result == 0)
			result = record(&given, &recording, err);
	}
	cli_arguments_release(&arguments);
	return result;
}

extern const struct cli_verb verb_capture;

const struct cli_verb verb_capture = {
	.name = "capture",
	.usage = "--workload CMD|NAME | --pid PID --output DIR [options]",
	.summary = "profile one command or process",
	.run = run,
};
