#include "base/escape.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/root.h"
#include "cli/verb.h"
#include "history/accepted.h"
#include "history/import.h"
#include "history/trend.h"
#include "history/trend_events.h"
#include "output/trend_report.h"
#include "spec/units.h"
#include "watch/windows.h"
#include "watch/windows_history.h"

#include <stdlib.h>
#include <string.h>

/*
 * Slowdowns of these last days alert: it takes 21 nights to find 5 % in 3 % of noise, and a user
 * may look only once a week.
 */
#define ALERT_DAYS 28
#define EXIT_WORSE 1
/* The commits of some months are read: older events are shown without theirs. */
#define COMMITS_MAX 2000

struct trend_call {
	struct root root;
	const char *dir;
	const char *input; /* a file of another tool, in place of a folder; NULL: none */
	const char *page;
	const char *threshold;
	unsigned alert_days;
	bool of_windows; /* the folder is that of a watch */
	bool json;
	struct recent_commits commits;
};

static int
read_search(const struct trend_call *args, struct change_search *search, struct err *err)
{
	const char *problem;

	*search = change_search_default;
	if (args->of_windows)
		search->threshold = WINDOWS_THRESHOLD;
	if (!args->threshold)
		return 0;
	if (units_percent(args->threshold, &search->threshold, &problem) < 0)
		return err_set(err, ERR_USAGE, "'--threshold %s': %s", args->threshold, problem);
	return 0;
}

static int
report(const struct cli_call *call, struct trend_report *report, const char *page, bool json,
	struct err *err)
{
	struct buf out = {0};
	int result = 0;

	if (page) {
		trend_put_html(report, &out);
		result = file_write(page, buf_text(&out), out.len, err);
		buf_release(&out);
		/* Standard output then has only the page. */
		if (strcmp(page, "-") == 0)
			return result;
	}
	if (json)
		trend_put_json(report, call->text);
	else
		trend_put_text(report, call->text);
	return result;
}

/* The relative path from the folder of the page to that of the history; free() it. */
static char *
way_to(const char *page, const char *dir)
{
	char *folder = mem_strdup(page && strchr(page, '/') ? page : "./");

	/* "/page.html" is in "/". */
	strrchr(folder, '/')[strrchr(folder, '/') == folder] = '\0';
	char *from = realpath(folder, NULL);
	char *to = realpath(dir, NULL);
	char *way = from && to ? file_relative_path(from, to) : mem_strdup(dir);

	free(from);
	free(to);
	free(folder);
	return way;
}

/*
 * The options of `history accept` for this history, as the report prints them; free() it. NULL: its
 * events cannot be accepted.
 */
static char *
accept_options(const struct trend_call *args)
{
	struct buf options = {0};

	if (args->input || args->of_windows)
		return NULL;
	if (args->dir) {
		buf_puts(&options, " --history ");
		escape_shell_word(&options, args->dir);
	}
	char *text = mem_strdup(buf_text(&options));

	buf_release(&options);
	return text;
}

static int
find_and_report(const struct cli_call *call, const struct trend_call *args, const char *dir,
	const struct change_search *search, const struct history *history,
	const struct accepted_list *accepted, struct err *err)
{
	struct trend trend;
	struct trend_events events;
	char *way = way_to(args->page, dir);
	char *options = accept_options(args);

	trend_init(&trend, history, search, call->arguments.items, call->arguments.count);
	trend_events_init(&events, &trend);
	trend_events_accept(&events, accepted);
	const int64_t from = args->of_windows ? windows_recent_from(history, args->alert_days)
					      : trend_days_from(&trend, args->alert_days);
	struct trend_report all = {
		.trend = &trend,
		.events = &events,
		.of_windows = args->of_windows,
		.alert_days = args->alert_days,
		.alert_from = from,
		.nalerts = trend_events_count_live(&events, from),
		.accept_options = options,
		.commits = args->commits,
		.tool_version = PROFILE_RUN_VERSION,
		.history_dir = dir,
		.to_history = way,
	};
	int result = report(call, &all, args->page, args->json, err);

	if (result == 0 && all.nalerts > 0)
		*call->exit_code = EXIT_WORSE;
	trend_events_release(&events);
	trend_release(&trend);
	free(options);
	free(way);
	return result;
}

static int
import(struct history *history, const char *path, struct err *err)
{
	struct import_skipped skipped;

	if (history_import(history, path, &skipped, err) < 0)
		return -1;
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;

	if (skipped.values > 0 && skipped.line > 0)
		log_warn("%s: values left out because they are not above 0: %zu, the first in "
			 "line %u",
			name, skipped.values, skipped.line);
	else if (skipped.values > 0)
		log_warn("%s: values left out because they are not above 0: %zu", name,
			skipped.values);
	return 0;
}

static int
read_history(
	const struct trend_call *args, const char *dir, struct history *history, struct err *err)
{
	if (args->input)
		return import(history, dir, err);
	return args->of_windows ? windows_read(history, dir, 0, err)
				: history_read(history, dir, err);
}

/* The part that is confined: reads the history, finds changes and reports them. */
static int
read_and_report(
	const struct cli_call *call, struct trend_call *args, const char *dir, struct err *err)
{
	struct change_search search;
	struct history history;
	struct accepted_list accepted = {0};

	args->of_windows = !args->input && windows_are_in(dir);
	if (args->alert_days == 0)
		args->alert_days = args->of_windows ? WINDOWS_ALERT : ALERT_DAYS;
	if (read_search(args, &search, err) < 0 || read_history(args, dir, &history, err) < 0)
		return -1;
	int result = 0;

	for (size_t i = 0; result == 0 && i < call->arguments.count; i++)
		result = history_check_workload(&history, call->arguments.items[i], dir, err);
	if (result == 0 && !args->input)
		result = accepted_read(&accepted, dir, err);
	if (result == 0)
		result = find_and_report(call, args, dir, &search, &history, &accepted, err);
	accepted_release(&accepted);
	history_release(&history);
	return result;
}

static int
trend(const struct cli_call *call, void *context, struct err *err)
{
	struct trend_call *args = context;

	if (args->input && args->dir)
		return err_set(err, ERR_USAGE, "--history and --input are two histories: give one");
	root_enter(&args->root);
	const char *named = args->input ? args->input : args->dir;
	const char *dir = named ? root_path(&args->root, named) : HISTORY_DIR;

	args->page = root_path(&args->root, args->page);
	/* Before confinement: a confined process starts no program. */
	if (!args->input)
		recent_commits_read(&args->commits, COMMITS_MAX);
	int result = confine(call, &(struct confinement){.file = args->page}, err);

	if (result == CONFINED_INSIDE)
		result = read_and_report(call, args, dir, err);
	recent_commits_release(&args->commits);
	root_release(&args->root);
	return result;
}

static int
run_trend(const struct cli_call *call, struct err *err)
{
	struct trend_call args = {.alert_days = 0};
	const struct cli_option options[] = {
		{"history", 'H', OPTION_TEXT, "DIR", &args.dir,
			"folder of the history, or of a watch (default: " HISTORY_DIR ")"},
		{"input", 'i', OPTION_TEXT, "FILE", &args.input,
			"history of another tool: CSV (time, series, value), data.js of "
			"github-action-benchmark, or JSON of 'bencher perf'; - is standard input"},
		{"output", 'o', OPTION_TEXT, "FILE", &args.page,
			"write a page with a chart of each series (trend.html)"},
		{"json", 0, OPTION_FLAG, NULL, &args.json, "print JSON instead of text"},
		{"alert-nights", 0, OPTION_COUNT, "N", &args.alert_days,
			"exit 1 only for slowdowns that began in the last N nights (default: 28; "
			"windows: 7) and last"},
		{"threshold", 0, OPTION_TEXT, "PERCENT", &args.threshold,
			"smallest change that is shown (default: 0.5 %; for a watch 20 %)"},
		{NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
	};

	return cli_perform(call, options, trend, &args, err);
}

const struct cli_verb verb_trend = {
	.name = "trend",
	.usage = "[WORKLOAD ...] [options]",
	.summary = "find the nights on which workloads or functions changed their cost",
	.takes_arguments = true,
	.is_confined = true,
	.run = run_trend,
};
