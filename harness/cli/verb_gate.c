#include "base/file.h"
#include "base/mem.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/preparing.h"
#include "cli/verb.h"
#include "pipeline/gate.h"
#include "process/signals.h"

#include <stdlib.h>

struct gate_call {
	struct measuring given;
	const char *against;
	const char *branch;
	double budget_s;
	bool prepare;
};

/* What was typed: all of it, and without the workloads. */
struct command_lines {
	char *whole;
	char *options;
};

static void
command_lines_init(struct command_lines *lines, const struct cli_call *call,
	const struct cli_arguments *arguments)
{
	char **kept = mem_zalloc((size_t)call->argc, sizeof(*kept));
	int nkept = 0;

	for (int i = 0; i < call->argc; i++) {
		bool is_argument = false;

		for (size_t k = 0; k < arguments->count; k++)
			is_argument = is_argument || arguments->items[k] == call->argv[i];
		if (!is_argument)
			kept[nkept++] = call->argv[i];
	}
	lines->whole = measuring_command_line(call->argc, call->argv);
	lines->options = measuring_command_line(nkept, kept);
	free(kept);
}

static void
command_lines_release(struct command_lines *lines)
{
	free(lines->whole);
	free(lines->options);
}

static int
judge(const struct gate_options *options, int *exit_code, struct err *err)
{
	struct buf text = {0};

	signals_catch();
	struct prepare *prepare = preparing_begin(options->config, options->workloads);
	int result = gate_run(options, exit_code, &text, err);

	preparing_end(prepare);
	if (result == 0)
		result = file_write("-", buf_text(&text), text.len, err);
	buf_release(&text);
	return result;
}

static int
gate(const struct cli_call *call, const struct cli_arguments *arguments, void *context,
	struct err *err)
{
	const struct gate_call *asked = context;
	struct command_lines lines;
	struct config config;
	struct workload_list list;

	if (measuring_load(&asked->given, arguments, &config, &list, err) < 0)
		return -1;
	config.prepare = config.prepare || asked->prepare;
	command_lines_init(&lines, call, arguments);
	const struct gate_options options = {
		.config = &config,
		.workloads = &list,
		.command = lines.whole,
		.command_options = lines.options,
		.against = asked->against,
		.branch = asked->branch,
		.budget_s = asked->budget_s,
	};
	int result = judge(&options, call->exit_code, err);

	command_lines_release(&lines);
	workload_list_release(&list);
	config_release(&config);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct gate_call asked = {0};
	const struct cli_option options[] = {
		{"against", 'a', OPTION_TEXT, "REF|DIR|MAP", &asked.against,
			"measure in turns with another build: of a commit, in a folder, or as a "
			"YAML map of programs has it; no baseline is needed"},
		{"budget", 0, OPTION_DURATION, "TIME", &asked.budget_s,
			"wall time of the gate, such as 10m; what is open then is inconclusive"},
		MEASURING_OPTIONS(asked.given),
		{"max-runs", 0, OPTION_COUNT, "N", &asked.given.max_runs,
			"runs at most, where more of them decide something"},
		{"branch", 0, OPTION_TEXT, "NAME", &asked.branch,
			"whose part of the policy holds (default: that of the pull request, or what "
			"is checked out)"},
		{"reports", 'r', OPTION_TEXT, "DIR", &asked.given.reports_dir,
			"where the report goes"},
		{"keep-perfdata", 0, OPTION_FLAG, NULL, &asked.given.keep_perfdata,
			"keep the raw captures in the report"},
		{"prepare", 0, OPTION_FLAG, NULL, &asked.prepare,
			"meanwhile governor performance, turbo off and idle siblings, where the "
			"machine lets us"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, gate, &asked, err);
}

const struct cli_verb verb_gate = {
	.name = "gate",
	.usage = "[WORKLOAD.yaml|DIR|NAME ...] [options]",
	.summary = "measure workloads, compare them with their baselines, report and judge",
	.run = run,
};
