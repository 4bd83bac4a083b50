#include "cli/options.h"
#include "cli/root.h"
#include "cli/verb.h"
#include "commands/add_history.h"
#include "history/history_files.h"

#include <string.h>

struct history_call {
	struct root root;
	const char *dir;
	const char *url;
};

static bool
is_url(const char *text)
{
	return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

static int
check(const struct cli_call *call, const struct history_call *args, struct err *err)
{
	const struct cli_arguments *arguments = &call->arguments;

	if (arguments->count == 0)
		err_set(err, ERR_USAGE, "no action given: expected add");
	else if (strcmp(arguments->items[0], "add") != 0)
		err_set(err, ERR_USAGE, "unknown action '%s': expected add", arguments->items[0]);
	else if (arguments->count < 2)
		err_set(err, ERR_USAGE,
			"expected the folder of a report, such as reports/latest, or a replay.bin in it");
	else if (args->url && arguments->count > 2)
		err_set(err, ERR_USAGE, "'--report-url' is of one report; %zu are given",
			arguments->count - 1);
	else if (args->url && !is_url(args->url))
		err_set(err, ERR_USAGE, "'--report-url %s': expected https://... or http://...",
			args->url);
	else
		return 0;
	return cli_usage_error(call->verb, err);
}

static int
add(const struct cli_call *call, void *context, struct err *err)
{
	struct history_call *args = context;
	int result = 0;

	if (check(call, args, err) < 0)
		return -1;
	root_enter(&args->root);
	for (size_t i = 1; result == 0 && i < call->arguments.count; i++) {
		const struct add_history_options options = {
			.report = root_path(&args->root, call->arguments.items[i]),
			.history = args->dir ? root_path(&args->root, args->dir) : HISTORY_DIR,
			.url = args->url,
		};

		result = add_history(&options, call->text, err);
	}
	root_release(&args->root);
	return result;
}

static int
run(const struct cli_call *call, struct err *err)
{
	struct history_call args = {0};
	const struct cli_option options[] = {
		{"history", 'H', OPTION_TEXT, "DIR", &args.dir,
			"folder of the history (default: " HISTORY_DIR ")"},
		{"report-url", 0, OPTION_TEXT, "URL", &args.url,
			"where the report can be read later (default: where it is now)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, add, &args, err);
}

const struct cli_verb verb_history = {
	.name = "history",
	.usage = "add REPORT ... [options]",
	.summary = "keep what the reports of many nights measured",
	.takes_arguments = true,
	.run = run,
};
