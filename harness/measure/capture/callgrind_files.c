/* Joining the files that callgrind leaves, one for each process and part of it, into one file. */
#include "capture/capture_internal.h"
#include "capture/surroundings.h"

#include <math.h>
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

/* Where the files of one run are joined. */
struct joining {
	const struct metric *metric;
	const struct surroundings *surroundings;
	struct file_draft *draft;
};

/* Copies text; paths in the fixed place (process/fixed_place.h) are replaced by the real ones. */
static int
put_outside(const struct joining *joining, const char *at, const char *end, struct err *err)
{
	const size_t len = strlen(FIXED_PLACE "/");
	struct file_draft *draft = joining->draft;
	struct buf path = {0};
	int result = 0;

	while (result == 0 && at < end) {
		const char *found = memmem(at, (size_t)(end - at), FIXED_PLACE "/", len);
		const char *stop = found ? found : end;

		result = file_put(draft->fd, at, (size_t)(stop - at), draft->path, err);
		at = stop;
		if (!found)
			break;
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		stop = newline ? newline : end;
		buf_clear(&path);
		if (!surroundings_outside(joining->surroundings, at, (size_t)(stop - at), &path)) {
			stop = at + len;
			buf_put(&path, at, len);
		}
		if (result == 0)
			result = file_put(draft->fd, path.data, path.len, draft->path, err);
		at = stop;
	}
	buf_release(&path);
	return result;
}

/* Copies a file; with `states_metric` a line ahead of its events states the metric. */
static int
copy_file(const struct joining *joining, const struct file_view *view, const char *names,
	bool states_metric, struct err *err)
{
	struct file_draft *draft = joining->draft;
	const char *events = names - strlen("events: ");
	struct buf line = {0};

	if (states_metric)
		buf_printf(&line, "desc: %s %s\n", EVENT_SUM_KEY, joining->metric->name);
	int result = put_outside(joining, view->data, events, err);

	if (result == 0)
		result = file_put(draft->fd, line.data, line.len, draft->path, err);
	if (result == 0)
		result = put_outside(joining, events, view->data + view->len, err);
	buf_release(&line);
	return result;
}

static bool
has_text(const struct file_view *view, size_t len, const char *text)
{
	return memmem(view->data, len, text, strlen(text)) != NULL;
}

/* Whether the process has a dynamic loader, whose cost is not the program's own. */
static bool
has_loader(const struct file_view *view)
{
	return has_text(view, view->len, "/ld-linux") || has_text(view, view->len, "/ld64.so") ||
	       has_text(view, view->len, "/ld-musl");
}

/* The loaders that were seen so far. */
struct loaders {
	double cost;
	size_t apart; /* processes whose loader has its own file */
	size_t all;   /* processes that have a loader */
};

static int
append_file(const struct joining *joining, const char *path, double *program,
	struct loaders *loaders, struct err *err)
{
	static const char trigger[] = "desc: Trigger: " CALLGRIND_LOADER_END "\n";
	const struct metric *metric = joining->metric;
	const bool is_last = strchr(strrchr(path, '/'), '.') == NULL;
	struct file_view view;
	struct event_sum sum = {0};
	size_t len = 0;
	int result = 0;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	const char *names = find_events(&view, &len);
	const bool known = names && event_sum_of_metric(&sum, metric, names, len);
	const double cost = find_total(&view, &sum);
	const bool of_loader = names && has_text(&view, (size_t)(names - view.data), trigger);

	if (!names || cost < 0)
		result = err_set(err, ERR_MEASURE,
			"valgrind left a profile that is not whole: '%s' has no %s", path,
			names ? "totals" : "events");
	else if (!known)
		result = err_set(err, ERR_MEASURE,
			"valgrind left no events of the metric '%s': '%s'", metric->name, path);
	else if (!of_loader)
		result = copy_file(joining, &view, names, sum.nterms > 1, err);
	*(of_loader ? &loaders->cost : program) += cost;
	loaders->apart += of_loader;
	loaders->all += is_last && has_loader(&view);
	file_view_close(&view);
	return result;
}

int
callgrind_files_join(const char *dir, pid_t first, const struct metric *metric,
	const struct surroundings *surroundings, const char *into, struct callgrind_totals *totals,
	struct err *err)
{
	struct left_files files;
	struct file_draft draft;
	struct loaders loaders = {0};
	const struct joining joining = {metric, surroundings, &draft};
	int result = left_files_list(&files, dir, first, err);

	*totals = (struct callgrind_totals){0};
	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_MEASURE, "valgrind left no profile");
	if (result == 0)
		result = file_draft_open(&draft, into, err);
	if (result == 0) {
		for (size_t i = 0; i < files.count && result == 0; i++)
			result = append_file(
				&joining, files.paths[i], &totals->program, &loaders, err);
		if (result == 0)
			result = file_commit_unflushed(&draft, err);
		else
			file_abandon(&draft);
	}
	totals->loader = loaders.apart < loaders.all ? NAN : loaders.cost;
	left_files_release(&files);
	return result;
}
