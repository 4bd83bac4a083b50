#include "base/file.h"
#include "builds/git.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/root.h"
#include "cli/verb.h"
#include "commands/add_history.h"
#include "history/accepted.h"
#include "history/entry.h"
#include "history/history_files.h"
#include "history/import_suite.h"
#include "history/time_text.h"
#include "machine/machine.h"
#include "spec/workload.h"

#include <string.h>

struct history_call {
	struct root root;
	const char *dir;
	const char *url;
	/* Options of `history add --from`. */
	const char *from;
	const char *machine_class;
	const char *commit;
	const char *time;
	/* Options of `history accept`. */
	const char *since;
	const char *reason;
	const char *issue;
};

static int
check_add(const struct cli_call *call, const struct history_call *args, struct err *err)
{
	const size_t nreports = call->arguments.count - 1;

	if (nreports == 0)
		return err_set(err, ERR_USAGE, "%s",
			args->from
				? "expected a file, the output of the suite"
				: "expected the folder of a report, such as reports/latest, or a "
				  "replay.bin in it");
	if (!args->from && (args->machine_class || args->commit || args->time))
		return err_set(err, ERR_USAGE,
			"'--machine-class', '--commit' and '--time' are options of --from: a report "
			"says them");
	if (args->url && !args->from && nreports > 1)
		return err_set(
			err, ERR_USAGE, "'--report-url' is of one report; %zu are given", nreports);
	if (args->url && !history_is_url(args->url))
		return err_set(err, ERR_USAGE,
			"'--report-url %s': expected https://... or http://...", args->url);
	if (args->since || args->reason || args->issue)
		return err_set(err, ERR_USAGE,
			"'--since', '--reason' and '--issue' are options of history accept");
	return 0;
}

static const char *
history_dir(struct history_call *args)
{
	return args->dir ? root_path(&args->root, args->dir) : HISTORY_DIR;
}

static int
add_reports(
	const struct cli_call *call, struct history_call *args, const char *dir, struct err *err)
{
	int result = confine(call, &(struct confinement){.store = dir}, err);

	if (result != CONFINED_INSIDE)
		return result;
	result = 0;
	for (size_t i = 1; result == 0 && i < call->arguments.count; i++) {
		const struct add_history_options options = {
			.report = root_path(&args->root, call->arguments.items[i]),
			.history = dir,
			.url = args->url,
		};

		result = add_history(&options, call->text, err);
	}
	return result;
}

static int
check_format(const char *format, struct err *err)
{
	struct buf known = {0};

	for (const char *const *name = import_suite_formats(); *name; name++) {
		if (strcmp(*name, format) == 0) {
			buf_release(&known);
			return 0;
		}
		buf_printf(&known, "%s%s", known.len > 0 ? ", " : "", *name);
	}
	err_set(err, ERR_USAGE, "'--from %s': expected one of %s", format, buf_text(&known));
	buf_release(&known);
	return -1;
}

/* The class of this machine, as of the configuration if it has one. */
static int
find_class(char *class, size_t size, struct err *err)
{
	struct machine machine;
	struct config config;
	int result = 0;

	config_init(&config);
	if (file_exists(CONFIG_PATH))
		result = config_read(&config, CONFIG_PATH, err);
	if (result == 0)
		result = machine_inspect(&machine, err);
	if (result == 0)
		machine_class(&machine, "timed", "", config.machine_class, class, size);
	config_release(&config);
	return result;
}

/* Adds what benchmark suites timed; what needs our rights is found out before confinement. */
static int
add_suites(const struct cli_call *call, struct history_call *args, const char *dir, struct err *err)
{
	char head[GIT_COMMIT_SIZE] = "";
	char class[192] = "";
	struct add_suite_options options = {
		.format = args->from,
		.history = dir,
		.commit = args->commit,
		.head = head,
		.url = args->url,
	};

	if (args->time && !history_time(args->time, &options.started))
		return err_set(err, ERR_USAGE,
			"'--time %s': expected a time such as 2026-01-31T12:00:00Z", args->time);
	if (!args->machine_class && find_class(class, sizeof(class), err) < 0)
		return -1;
	options.machine_class = args->machine_class ? args->machine_class : class;
	if (!args->commit)
		git_head(NULL, head);
	int result = confine(call, &(struct confinement){.store = dir}, err);

	if (result != CONFINED_INSIDE)
		return result;
	result = 0;
	for (size_t i = 1; result == 0 && i < call->arguments.count; i++) {
		options.input = root_path(&args->root, call->arguments.items[i]);
		result = add_suite(&options, call->text, err);
	}
	return result;
}

static int
run_add(const struct cli_call *call, struct history_call *args, struct err *err)
{
	if ((args->from && check_format(args->from, err) < 0) || check_add(call, args, err) < 0)
		return cli_usage_error(call->verb, err);
	root_enter(&args->root);
	const char *dir = history_dir(args);
	int result =
		args->from ? add_suites(call, args, dir, err) : add_reports(call, args, dir, err);

	root_release(&args->root);
	return result;
}

/* Reads the acceptance of a slowdown from the command line. */
static int
read_accepted(const struct cli_call *call, const struct history_call *args, struct accepted *item,
	struct err *err)
{
	const struct cli_arguments *arguments = &call->arguments;

	if (arguments->count < 2 || arguments->count > 3)
		return err_set(err, ERR_USAGE, "expected a workload, and a function of it or none");
	if (!args->since || !args->reason)
		return err_set(err, ERR_USAGE,
			"expected --since NIGHT, as 'profile_run trend' prints it, and --reason TEXT");
	if (args->issue && !history_is_url(args->issue))
		return err_set(err, ERR_USAGE, "'--issue %s': expected https://... or http://...",
			args->issue);
	if (args->url || args->from || args->machine_class || args->commit || args->time)
		return err_set(err, ERR_USAGE,
			"'--report-url', '--from', '--machine-class', '--commit' and '--time' are "
			"options of history add");
	*item = (struct accepted){
		.workload = arguments->items[1],
		.function = arguments->count > 2 ? arguments->items[2] : "",
		.reason = args->reason,
		.issue = args->issue ? args->issue : "",
	};
	if (!history_time(args->since, &item->since))
		return err_set(err, ERR_USAGE, "'--since %s': expected a day such as 2026-01-31",
			args->since);
	return 0;
}

static int
accept_in(
	const struct cli_call *call, const struct accepted *item, const char *dir, struct err *err)
{
	struct history history;
	const struct confinement confinement = {.store = file_exists(dir) ? dir : NULL};
	enum confined confined = confine(call, &confinement, err);

	if (confined != CONFINED_INSIDE)
		return confined;
	int result = history_read(&history, dir, err);

	if (result == 0) {
		result = history_check_workload(&history, item->workload, dir, err);
		history_release(&history);
	}
	if (result == 0)
		result = accepted_add(dir, item, err);
	if (result == 0)
		buf_printf(call->text, "%s/accepted.tsv: added; commit it with the history\n", dir);
	return result;
}

static int
accept(const struct cli_call *call, struct history_call *args, struct err *err)
{
	struct accepted item = {0};

	if (read_accepted(call, args, &item, err) < 0)
		return cli_usage_error(call->verb, err);
	root_enter(&args->root);
	int result = accept_in(call, &item, history_dir(args), err);

	root_release(&args->root);
	return result;
}

static int
act(const struct cli_call *call, void *context, struct err *err)
{
	const struct cli_arguments *arguments = &call->arguments;

	if (arguments->count > 0 && strcmp(arguments->items[0], "add") == 0)
		return run_add(call, context, err);
	if (arguments->count > 0 && strcmp(arguments->items[0], "accept") == 0)
		return accept(call, context, err);
	if (arguments->count == 0)
		err_set(err, ERR_USAGE, "no action given: expected add or accept");
	else
		err_set(err, ERR_USAGE, "unknown action '%s': expected add or accept",
			arguments->items[0]);
	return cli_usage_error(call->verb, err);
}

static int
run_history(const struct cli_call *call, struct err *err)
{
	struct history_call args = {0};
	const struct cli_option options[] = {
		{"history", 'H', OPTION_TEXT, "DIR", &args.dir,
			"folder of the history (default: " HISTORY_DIR ")"},
		{"report-url", 0, OPTION_TEXT, "URL", &args.url,
			"where the report can be read later (default: where it is now)"},
		{"from", 0, OPTION_TEXT, "FORMAT", &args.from,
			"add: files are the output of a suite: google-benchmark, criterion, go, "
			"pytest-benchmark, jmh, hyperfine or bencher"},
		{"machine-class", 0, OPTION_TEXT, "NAME", &args.machine_class,
			"with --from: of the machine that was measured (default: this one)"},
		{"commit", 0, OPTION_TEXT, "ID", &args.commit,
			"with --from: that was measured (default: of the file, or HEAD)"},
		{"time", 0, OPTION_TEXT, "TIME", &args.time,
			"with --from: when (default: of the file, or when it was written)"},
		{"since", 0, OPTION_TEXT, "NIGHT", &args.since,
			"accept: the first night of the event, as trend prints it"},
		{"reason", 0, OPTION_TEXT, "TEXT", &args.reason, "accept: why it is accepted"},
		{"issue", 0, OPTION_TEXT, "URL", &args.issue, "accept: where it is discussed"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, act, &args, err);
}

const struct cli_verb verb_history = {
	.name = "history",
	.usage =
		"add REPORT ... | add --from FORMAT FILE ... | accept WORKLOAD [FUNCTION] [options]",
	.summary = "keep what reports, or benchmark suites, measured on many nights",
	.takes_arguments = true,
	.is_confined = true,
	.run = run_history,
};
