/*
 * The files that callgrind leaves, one for each process and part of it, as one file.
 */
#include "base/buf.h"
#include "base/file.h"
#include "capture/capture_internal.h"
#include "profile/event_sum.h"

#include <string.h>

/* The start of the last line that is not empty; *end is its end. NULL if it has no newline. */
static const char *
last_line(const struct file_view *view, const char **end)
{
	size_t at = view->len;

	if (at == 0 || view->data[at - 1] != '\n')
		return NULL;
	while (at > 0 && view->data[at - 1] == '\n')
		at--;
	*end = view->data + at;
	while (at > 0 && view->data[at - 1] != '\n')
		at--;
	return view->data + at;
}

/* The sum of the numbers in the last line, "totals: 1234 5 6". -1 if it has none. */
static double
find_total(const struct file_view *view, const struct event_sum *sum)
{
	static const char key[] = "totals: ";
	const char *end = NULL;
	const char *at = last_line(view, &end);
	double total = 0;
	size_t term = 0;

	if (!at || (size_t)(end - at) < sizeof(key) || memcmp(at, key, sizeof(key) - 1) != 0)
		return -1;
	at += sizeof(key) - 1;
	for (size_t place = 0; term < sum->nterms && at < end; place++) {
		double number = 0;

		for (; at < end && *at >= '0' && *at <= '9'; at++)
			number = number * 10 + (*at - '0');
		if (at < end && *at++ != ' ')
			return -1;
		if (sum->terms[term].place == place)
			total += sum->terms[term++].weight * number;
	}
	return total;
}

/* The names in the line "events: NAME ..."; NULL if the file has none. */
static const char *
find_events(const struct file_view *view, size_t *len)
{
	static const char key[] = "events: ";
	const char *const end = view->data + view->len;

	for (const char *at = view->data; at && at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (stop && (size_t)(stop - at) >= sizeof(key) &&
			memcmp(at, key, sizeof(key) - 1) == 0) {
			*len = (size_t)(stop - at) - (sizeof(key) - 1);
			return at + sizeof(key) - 1;
		}
		at = stop ? stop + 1 : NULL;
	}
	return NULL;
}

/* Copies a file whose first event is not the metric, and states that ahead of its events. */
static int
put(const struct file_view *view, const char *names, const struct metric *metric,
	struct file_draft *draft, struct err *err)
{
	const size_t before = (size_t)(names - view->data) - strlen("events: ");
	struct buf line = {0};

	buf_printf(&line, "desc: %s %s\n", EVENT_SUM_KEY, metric->name);
	int result = file_put(draft->fd, view->data, before, draft->path, err);

	if (result == 0)
		result = file_put(draft->fd, line.data, line.len, draft->path, err);
	if (result == 0)
		result = file_put(
			draft->fd, view->data + before, view->len - before, draft->path, err);
	buf_release(&line);
	return result;
}

static int
append(const char *path, const struct metric *metric, struct file_draft *draft, double *total,
	struct err *err)
{
	struct file_view view;
	struct event_sum sum = {0};
	size_t len = 0;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	const char *names = find_events(&view, &len);
	const bool known = names && event_sum_of_metric(&sum, metric, names, len);
	const double cost = find_total(&view, &sum);
	int result;

	if (!names || cost < 0)
		result = err_set(err, ERR_MEASURE,
			"valgrind left a profile that is not whole: '%s' has no %s", path,
			names ? "totals" : "events");
	else if (!known)
		result = err_set(err, ERR_MEASURE,
			"valgrind left no events of the metric '%s': '%s'", metric->name, path);
	else if (sum.nterms > 1)
		result = put(&view, names, metric, draft, err);
	else
		result = file_put(draft->fd, view.data, view.len, draft->path, err);
	*total += cost;
	file_view_close(&view);
	return result;
}

int
callgrind_files_join(const char *dir, pid_t first, const struct metric *metric, const char *into,
	double *total, struct err *err)
{
	struct parts files;
	struct file_draft draft;
	int result = parts_list(&files, dir, first, err);

	*total = 0;
	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_MEASURE, "valgrind left no profile");
	if (result == 0)
		result = file_draft_open(&draft, into, err);
	if (result == 0) {
		for (size_t i = 0; i < files.count && result == 0; i++)
			result = append(files.paths[i], metric, &draft, total, err);
		if (result == 0)
			result = file_commit_unflushed(&draft, err);
		else
			file_abandon(&draft);
	}
	parts_release(&files);
	return result;
}
