#include "base/file.h"
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
	bool measure_anyway;
	double wait_quiet_s;
};

static int
gate(const struct cli_call *call, void *context, struct err *err)
{
	struct gate_call *asked = context;
	struct measuring *given = &asked->given;

	if (measuring_load(given, &call->arguments, err) < 0)
		return -1;
	const char *against = root_path(&given->root, asked->against);
	char *whole = measuring_command_line(call->argc, call->argv, NULL);
	char *command = measuring_command_line(call->argc, call->argv, &call->arguments);
	const struct gate_options options = {
		.config = &given->config,
		.workloads = &given->workloads,
		.command = whole,
		.command_options = command,
		/* A commit, if there is no such file. */
		.against = against && file_exists(against) ? against : asked->against,
		.branch = asked->branch,
		.budget_s = asked->budget_s,
		.wait_quiet_s = asked->wait_quiet_s,
		.measure_anyway = asked->measure_anyway,
	};

	signals_catch();
	struct prepare *prepare = preparing_begin(&given->config, &given->workloads);
	int result = gate_run(&options, call->exit_code, call->text, err);

	preparing_end(prepare);
	free(command);
	free(whole);
	measuring_release(given);
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
		{"wait-quiet", 0, OPTION_DURATION, "TIME", &asked.wait_quiet_s,
			"before the first run, wait up to so long for a quiet machine"},
		{"measure-anyway", 0, OPTION_FLAG, NULL, &asked.measure_anyway,
			"with --against, also what is the same program in both builds"},
		{"prepare", 0, OPTION_FLAG, NULL, &asked.given.prepare,
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
	.takes_arguments = true,
	.has_verdicts = true,
	.run = run,
};
