#include "commands/add_history.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/mem.h"
#include "format/figures.h"
#include "history/history_files.h"
#include "output/history_entries.h"
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The state while a report is added. */
struct addition {
	const struct add_history_options *options;
	char *link;
	struct buf *text;
	size_t nmeasured;
};

/*
 * The folder of the report that `path` names, itself or by a replay.bin in it. Absolute and without
 * links, since `latest` will point to another report. free() it.
 */
static char *
report_folder(const char *path, struct err *err)
{
	char *whole = realpath(path, NULL);

	if (!whole) {
		err_set_errno(err, ERR_INPUT, errno, "cannot read '%s'", path);
		return NULL;
	}
	/* REPORT/WORKLOAD/replay.bin */
	for (int up = file_is_dir(path) ? 0 : 2; up > 0; up--) {
		char *slash = strrchr(whole, '/');

		if (slash && slash != whole)
			*slash = '\0';
	}
	return whole;
}

/* How the history links to the report; free() it. */
static char *
find_link(const struct add_history_options *options, struct err *err)
{
	if (options->url)
		return mem_strdup(options->url);
	char *link = NULL;
	char *to = report_folder(options->report, err);

	if (to) {
		char *from = realpath(options->history, NULL);

		link = from ? file_relative_path(from, to) : NULL;
		if (!link)
			err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", options->history);
		free(from);
	}
	free(to);
	return link;
}

static int
add_workload(const struct report_view *view, const struct workload_view *workload,
	struct addition *addition, struct err *err)
{
	struct arena arena = {0};
	size_t n = 0;
	size_t nadded = 0;
	struct history_entry *entries = history_entries_of(workload, addition->link, &arena, &n);
	int result = 0;

	if (n > 0)
		result = history_add(addition->options->history, view->report->machine_class,
			workload->name, entries, n, &nadded, err);
	if (result == 0 && n > 0) {
		addition->nmeasured++;
		buf_printf(addition->text, "%s: ", workload->name);
		if (nadded > 0) {
			format_plural(addition->text, nadded, "line", "lines");
			buf_puts(addition->text, " added");
		} else {
			buf_puts(addition->text, "in the history already");
		}
		buf_printf(addition->text, " (%s)\n", view->report->machine_class);
	}
	free(entries);
	arena_release(&arena);
	return result;
}

static int
add_report(const struct report *report, struct addition *addition, struct err *err)
{
	struct report_view view;
	int result = 0;

	if (!report->machine_class || !report->machine_class[0])
		return err_set(err, ERR_INPUT, "'%s' does not say on what machine it was measured",
			addition->options->report);
	/* Made here, and not earlier: a folder is not made for something that is no report. */
	if (file_make_output_folder(addition->options->history, err) < 0)
		return -1;
	addition->link = find_link(addition->options, err);
	if (!addition->link)
		return -1;
	report_view_init(&view, report);
	for (size_t i = 0; result == 0 && i < view.nworkloads; i++)
		result = add_workload(&view, &view.workloads[i], addition, err);
	report_view_release(&view);
	return result;
}

int
add_history(const struct add_history_options *options, struct buf *text, struct err *err)
{
	struct addition addition = {.options = options, .text = text};

	struct replay *replay = replay_open(options->report, err);

	if (!replay)
		return -1;
	int result = add_report(replay_report(replay), &addition, err);

	replay_close(replay);
	if (result == 0 && addition.nmeasured == 0)
		result = err_set(
			err, ERR_INPUT, "'%s' has no workload that was measured", options->report);
	free(addition.link);
	return result;
}
