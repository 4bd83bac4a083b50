#include "base/file.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/root.h"
#include "cli/verb.h"
#include "commands/add_history.h"
#include "history/accepted.h"
#include "history/entry.h"
#include "history/history_files.h"
#include "history/time_text.h"

#include <string.h>

struct history_call {
	struct root root;
	const char *dir;
	const char *url;
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
		return err_set(err, ERR_USAGE,
			"expected the folder of a report, such as reports/latest, or a replay.bin in it");
	if (args->url && nreports > 1)
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
run_add(const struct cli_call *call, struct history_call *args, struct err *err)
{
	if (check_add(call, args, err) < 0)
		return cli_usage_error(call->verb, err);
	root_enter(&args->root);
	int result = add_reports(call, args, history_dir(args), err);

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
	if (args->url)
		return err_set(err, ERR_USAGE, "'--report-url' is an option of history add");
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
	.usage = "add REPORT ... | accept WORKLOAD [FUNCTION] [options]",
	.summary = "keep what the reports of many nights measured",
	.takes_arguments = true,
	.is_confined = true,
	.run = run_history,
};
