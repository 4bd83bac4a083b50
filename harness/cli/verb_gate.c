#include "base/colour.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/command_line.h"
#include "cli/command_settings.h"
#include "cli/options.h"
#include "cli/prepare_machine.h"
#include "cli/verb.h"
#include "gate/count_time.h"
#include "gate/gate.h"
#include "gate/gate_watch.h"
#include "gate/judge.h"
#include "measurement/suite_listing.h"
#include "output/ci_commands.h"
#include "output/durations.h"
#include "output/shard_file.h"
#include "process/process.h"
#include "spec/shard_plan.h"

#include <stdlib.h>
#include <string.h>

struct gate_call {
	struct command_settings settings;
	const char *against;
	const char *branch;
	double budget_s;
	bool measure_anyway;
	bool measure_all;
	bool rebuild;
	bool plan;
	bool full;
	const char *json;
	const char *ci;
	const struct report_output *commands;
	double wait_quiet_s;
	bool bisect;
	bool watch;

	const char *shard;     /* "2/3", or "auto"; NULL: a whole gate */
	const char *durations; /* a former report, or its verdict.json */
	struct shard_plan shards;
	char settings_hash[SHA256_TEXT_SIZE];
	struct report_shard of_gate; /* the whole gate, for the shard.bin */
};

/* Parses --shard, before anything else is read. */
static int
parse_shard(struct gate_call *args, struct err *err)
{
	if (args->shard)
		return shard_plan_parse(&args->shards, args->shard, err);
	return args->durations ? err_set(err, ERR_USAGE, "'--durations' is for '--shard'") : 0;
}

/* Chooses the CI system that gets commands: none for a provisional verdict or printed JSON. */
static int
choose_commands(struct gate_call *args, struct err *err)
{
	const bool automatic = !args->ci || strcmp(args->ci, "auto") == 0;
	const bool prints_json = args->json && strcmp(args->json, "-") == 0;

	if (automatic && (args->shard || args->bisect || prints_json))
		return 0;
	return ci_commands_choose(args->ci, &args->commands, err);
}

/* Removes the workloads of other shards. */
static int
choose_shard(struct gate_call *args, enum gate_mode mode, struct err *err)
{
	struct workload_list *workloads = &args->settings.workloads;
	const char *former = root_path(&args->settings.root, args->durations);
	const size_t all = workloads->nworkloads;
	struct shard_durations durations = {0};

	if (!args->shard)
		return 0;
	shard_settings(workloads, mode, args->branch, args->settings_hash);
	if (former && durations_read(&durations, former, err) < 0)
		return err_note(err, "while reading '--durations'");
	shard_plan_choose(&args->shards, &durations, workloads);
	durations_release(&durations);
	args->of_gate.plan = &args->shards;
	args->of_gate.settings = args->settings_hash;
	log_info("shard %u of %u has %zu of %zu workloads", args->shards.index, args->shards.count,
		workloads->nworkloads, all);
	return 0;
}

/* Lists the values of the options that are of this job and not of the gate, NULL-ended. */
static void
list_job_values(const struct gate_call *args, const char *values[4])
{
	const char *const given[] = {args->shard, args->durations, args->ci};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i])
			values[n++] = given[i];
	}
	values[n] = NULL;
}

/* Measures and judges the loaded workloads of this shard. */
static int
gate_loaded(const struct cli_call *call, struct gate_call *args, struct err *err)
{
	struct command_settings *settings = &args->settings;
	const char *against = root_path(&settings->root, args->against);
	bool prints_json = args->json && strcmp(args->json, "-") == 0;

	count_instead(&settings->workloads);
	signals_catch();
	if (!args->plan && suites_list(&settings->workloads, err) < 0)
		return -1;
	if (choose_shard(args, against ? GATE_PAIRED : GATE_STORED, err) < 0)
		return -1;
	const char *of_job[4];

	list_job_values(args, of_job);
	char *whole = command_line_quoted(call->argc, call->argv, NULL, NULL);
	char *of_gate = command_line_quoted(call->argc, call->argv, NULL, of_job);
	char *command = command_line_quoted(call->argc, call->argv, &call->arguments, of_job);
	const struct gate_options options = {
		.config = &settings->config,
		.workloads = &settings->workloads,
		.command = whole,
		.command_options = command,
		/* If there is no such file, it names a commit. */
		.against = against && file_exists(against) ? against : args->against,
		.policy_from = settings->policy_ref ? &settings->policy_from : NULL,
		.branch = args->branch,
		.budget_s = args->budget_s,
		.wait_quiet_s = args->wait_quiet_s,
		.measure_anyway = args->measure_anyway,
		.measure_all = args->measure_all,
		.rebuild = args->rebuild,
		.plan = args->plan,
		.full = args->full,
		.json = prints_json ? args->json : root_path(&settings->root, args->json),
		.bisect = args->bisect,
		.commands = args->commands,
		.commands_out = call->commands,
		.shard = args->shard ? &args->of_gate : NULL,
	};

	if (prints_json)
		colour_set(COLOUR_NEVER);
	args->of_gate.command = of_gate;
	struct prepare *prepare = prepare_machine_begin(&settings->config, &settings->workloads);
	int result = gate_run(&options, call->exit_code, call->text, err);

	prepare_machine_end(prepare);
	free(command);
	free(of_gate);
	free(whole);
	return result;
}

static int
gate(const struct cli_call *call, void *context, struct err *err)
{
	struct gate_call *args = context;

	if (parse_shard(args, err) < 0 || choose_commands(args, err) < 0 ||
		command_settings_load(&args->settings, &call->arguments, err) < 0)
		return -1;
	int result = gate_loaded(call, args, err);

	command_settings_release(&args->settings);
	shard_plan_release(&args->shards);
	return result;
}

static int
print_watched(struct buf *text, struct err *err)
{
	return cli_show(&verb_gate, text, err);
}

/* Runs this command line without --watch again and again. */
static int
watch(const struct cli_call *call, const struct gate_call *args, struct err *err)
{
	static const char option[] = "--watch";
	const char **argv = mem_zalloc((size_t)call->argc + 4, sizeof(*argv));
	bool options = true;
	size_t count = 0;

	if (args->bisect || args->shard || args->plan) {
		free((void *)argv);
		return err_set(err, ERR_USAGE,
			"'--watch' cannot be combined with '--bisect', '--shard' and '--plan'");
	}
	argv[count++] = "/proc/self/exe";
	argv[count++] = call->argv[0];
	argv[count++] = "--quiet";
	for (int i = 1; i < call->argc; i++) {
		options = options && strcmp(call->argv[i], "--") != 0;
		if (!options || strcmp(call->argv[i], option) != 0)
			argv[count++] = call->argv[i];
	}
	signals_catch();
	const int result = gate_watch(argv, print_watched, err);

	free((void *)argv);
	return result;
}

/*
 * The gate; with --bisect, a commit that cannot be built or measured is skipped, except by SIGINT.
 */
static int
gate_or_skip(const struct cli_call *call, void *context, struct err *err)
{
	struct gate_call *args = context;

	if (args->bisect && args->shard)
		return err_set(err, ERR_USAGE, "'--bisect' and '--shard' cannot be combined");
	if (args->watch)
		return watch(call, args, err);
	int result = gate(call, context, err);

	if (result == 0 || !args->bisect || err->kind == ERR_INTERRUPTED)
		return result;
	log_warn("%s", err->text);
	*call->exit_code = JUDGE_BISECT_SKIP;
	return 0;
}

static int
run_gate(const struct cli_call *call, struct err *err)
{
	struct gate_call args = {0};
	const struct cli_option options[] = {
		{"against", 'a', OPTION_TEXT, "REF|DIR|MAP", &args.against,
			"compare with another build, interleaved: a commit, a directory, or a YAML map of programs; needs no baseline"},
		{"policy-from", 0, OPTION_TEXT, "REF", &args.settings.policy_ref,
			"judge by the configuration, the waivers and the gates of a commit, such as the base of a pull request"},
		{"budget", 0, OPTION_DURATION, "TIME", &args.budget_s,
			"limit for the wall time of the gate, such as 10m; workloads not decided by then are undecided"},
		SETTINGS_OPTIONS(args.settings),
		{"max-runs", 0, OPTION_COUNT, "N", &args.settings.max_runs,
			"most runs, when more runs can decide a finding"},
		{"branch", 0, OPTION_TEXT, "NAME", &args.branch,
			"branch whose settings apply (default: the target of the pull request, or the current branch)"},
		{"reports", 'r', OPTION_TEXT, "DIR", &args.settings.reports_dir,
			"folder of the reports"},
		{"keep-perfdata", 0, OPTION_FLAG, NULL, &args.settings.keep_perfdata,
			"keep the raw captures in the report"},
		{"wait-quiet", 0, OPTION_DURATION, "TIME", &args.wait_quiet_s,
			"wait up to this long for a quiet machine before the first run"},
		{"json", 0, OPTION_TEXT, "FILE", &args.json,
			"write verdict.json to this file, too; '-' prints it instead of the text"},
		{"ci", 0, OPTION_TEXT, CI_COMMANDS_NAMES, &args.ci,
			"the CI system whose commands follow the verdict; auto: by its environment"},
		{"full", 0, OPTION_FLAG, NULL, &args.full,
			"with more than 50 workloads, also write the functions and pictures of those that pass"},
		{"measure-anyway", 0, OPTION_FLAG, NULL, &args.measure_anyway,
			"measure workloads that would be skipped, too: the same program, or no baseline (one run)"},
		{"all", 0, OPTION_FLAG, NULL, &args.measure_all,
			"measure all benchmarks of suites, also those that cannot reach the change"},
		{"plan", 0, OPTION_FLAG, NULL, &args.plan,
			"say how each workload would be judged here, and measure nothing"},
		{"rebuild", 0, OPTION_FLAG, NULL, &args.rebuild,
			"check the base's commit out and build it again, also where a build of it is kept"},
		{"bisect", 0, OPTION_FLAG, NULL, &args.bisect,
			"for 'git bisect run': exit 0 or 1, and 125 where the commit cannot be judged"},
		{"watch", 0, OPTION_FLAG, NULL, &args.watch,
			"repeat on each save of a tracked file, and print the lines of the verdict that changed, three at most"},
		{"shard", 0, OPTION_TEXT, "I/N", &args.shard,
			"measure one of N parts of the workloads; auto: by the variables of the CI"},
		{"durations", 0, OPTION_TEXT, "REPORT", &args.durations,
			"with --shard: divide by the durations of a former report, or its verdict.json"},
		{"prepare", 0, OPTION_FLAG, NULL, &args.settings.prepare,
			"while measuring: performance governor, turbo off, SMT siblings idle (where permitted)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, gate_or_skip, &args, err);
}

const struct cli_verb verb_gate = {
	.name = "gate",
	.usage = "[WORKLOAD.yaml|DIR|NAME ...] [options]",
	.summary = "measure workloads, compare them with their baselines, and give a verdict",
	.takes_arguments = true,
	.has_verdicts = true,
	.run = run_gate,
};
