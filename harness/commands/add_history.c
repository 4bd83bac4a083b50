#include "commands/add_history.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/file_view.h"
#include "base/log.h"
#include "base/mem.h"
#include "format/figures.h"
#include "history/history_add.h"
#include "history/history_files.h"
#include "history/import_suite.h"
#include "output/history_entries.h"
#include "replay/replay.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Folders within one another that Criterion makes: a group, a function, a value, "new". */
#define CRITERION_DEPTH_MAX 8

/* The state while the output of a suite is added. */
struct suite_addition {
	const struct add_suite_options *options;
	size_t nbenchmarks;
	size_t nadded;
};

static int
add_all(const struct history *history, struct suite_addition *addition, struct err *err)
{
	const struct add_suite_options *options = addition->options;
	int result = 0;

	for (size_t i = 0; result == 0 && i < history->nfiles; i++) {
		const struct history_file *file = &history->files[i];
		size_t nadded = 0;

		result = history_add(options->history, file->machine_class, file->workload,
			file->entries, file->nentries, &nadded, err);
		addition->nbenchmarks++;
		addition->nadded += nadded;
	}
	return result;
}

/* Adds the output at `path`, of the one `benchmark` if that is not NULL. */
static int
add_output(
	const char *path, const char *benchmark, struct suite_addition *addition, struct err *err)
{
	const struct add_suite_options *options = addition->options;
	const bool is_stream = strcmp(path, "-") == 0;
	struct import_suite suite = {
		.format = options->format,
		.name = is_stream ? "standard input" : path,
		.machine_class = options->machine_class,
		.benchmark = benchmark,
		.commit = options->commit,
		.else_commit = options->head,
		.started = options->started,
		.link = options->url ? options->url : "",
	};
	struct stat status;
	struct file_view view;
	struct history history;
	struct import_skipped skipped;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	/* The time of modification: copies of a CI system's artifacts may keep it. */
	if (!is_stream && stat(path, &status) == 0)
		suite.else_started = status.st_mtim.tv_sec;
	int result = import_suite_text(&history, &suite, view.data, view.len, &skipped, err);

	if (result == 0) {
		if (skipped.values > 0)
			log_warn("%s: values of 0 left out: %zu, the first in line %u", suite.name,
				skipped.values, skipped.line);
		result = file_view_was_cut(&view)
				 ? err_set(err, ERR_INPUT, "%s: became shorter while it was read",
					   path)
				 : add_all(&history, addition, err);
		history_release(&history);
	}
	file_view_close(&view);
	return result;
}

/* Adds DIR/estimates.json, whose benchmark DIR/benchmark.json names. */
static int
add_estimates(const char *dir, const char *path, struct suite_addition *addition, struct err *err)
{
	char *beside = file_join(dir, "benchmark.json");
	struct file_view view;
	char *full_id = NULL;

	if (file_view_open(&view, beside, err) == 0) {
		full_id = import_suite_full_id(beside, view.data, view.len, err);
		file_view_close(&view);
	}
	int result = full_id ? add_output(path, full_id, addition, err) : -1;

	free(full_id);
	free(beside);
	return result;
}

/* Adds the estimates of the last run in Criterion's folder, or in one of a benchmark. */
static int
add_criterion_folder(
	const char *dir, unsigned depth, struct suite_addition *addition, struct err *err)
{
	char *estimates = file_join(dir, "estimates.json");
	const bool is_last = strcmp(file_basename(dir), "new") == 0 && file_exists(estimates);
	int result = is_last ? add_estimates(dir, estimates, addition, err) : 0;
	DIR *stream = is_last || depth == CRITERION_DEPTH_MAX ? NULL : opendir(dir);
	struct dirent *entry;

	while (result == 0 && stream && (entry = readdir(stream))) {
		char *below = file_join(dir, entry->d_name);

		if (entry->d_name[0] != '.' && entry->d_type != DT_LNK && file_is_dir(below))
			result = add_criterion_folder(below, depth + 1, addition, err);
		free(below);
	}
	if (stream)
		closedir(stream);
	free(estimates);
	return result;
}

static int
add_input(struct suite_addition *addition, struct err *err)
{
	const char *path = addition->options->input;

	if (strcmp(addition->options->format, "criterion") != 0)
		return add_output(path, NULL, addition, err);
	if (file_is_dir(path)) {
		if (add_criterion_folder(path, 0, addition, err) < 0)
			return -1;
		return addition->nbenchmarks > 0
			       ? 0
			       : err_set(err, ERR_INPUT,
					 "there is no new/estimates.json of Criterion below '%s'",
					 path);
	}
	if (strcmp(file_basename(path), "estimates.json") != 0)
		return add_output(path, NULL, addition, err);
	char *dir = mem_dup(path, (size_t)(file_basename(path) - path));
	int result = add_estimates(dir[0] ? dir : ".", path, addition, err);

	free(dir);
	return result;
}

int
add_suite(const struct add_suite_options *options, struct buf *text, struct err *err)
{
	struct suite_addition addition = {.options = options};

	if (file_make_output_folder(options->history, err) < 0 || add_input(&addition, err) < 0)
		return -1;
	buf_printf(text, "%s: ", options->input);
	format_plural(text, addition.nbenchmarks, "benchmark", "benchmarks");
	buf_puts(text, ", ");
	if (addition.nadded > 0) {
		format_plural(text, addition.nadded, "line", "lines");
		buf_puts(text, " added");
	} else {
		buf_puts(text, "in the history already");
	}
	buf_printf(text, " (%s)\n", options->machine_class);
	return 0;
}
