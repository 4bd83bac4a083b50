#include "capture/callgrind_files.h"

#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct files {
	char **names;
	size_t count;
	size_t capacity;
	pid_t first;
};

/* Of "PID" and "PID.PART". */
static int
compare_names(const void *a, const void *b, void *context)
{
	const struct files *files = context;
	const char *x = *(char *const *)a;
	const char *y = *(char *const *)b;
	bool x_first = strtol(x, NULL, 10) == files->first;
	bool y_first = strtol(y, NULL, 10) == files->first;

	return x_first != y_first ? (x_first ? -1 : 1) : strcmp(x, y);
}

static int
list(const char *dir, struct files *files, struct err *err)
{
	struct dirent *entry;
	DIR *folder = opendir(dir);

	if (!folder)
		return err_set_errno(err, ERR_SYSTEM, errno, "%s", dir);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		files->names = mem_grow(
			files->names, &files->capacity, files->count + 1, sizeof(*files->names));
		files->names[files->count++] = mem_strdup(entry->d_name);
	}
	closedir(folder);
	if (files->count > 0)
		qsort_r(files->names, files->count, sizeof(*files->names), compare_names, files);
	return 0;
}

/* What the last line tells: "totals: 1234". -1 if it does not. */
static double
find_total(const struct file_view *view)
{
	static const char key[] = "\ntotals: ";
	const size_t len = sizeof(key) - 1;
	double total = 0;
	size_t at = view->len;

	if (at == 0 || view->data[at - 1] != '\n')
		return -1;
	while (at > 0 && view->data[at - 1] == '\n')
		at--;
	const size_t end = at;

	while (at > 0 && view->data[at - 1] != '\n')
		at--;
	if (at == 0 || end - at + 1 <= len || memcmp(view->data + at - 1, key, len) != 0)
		return -1;
	for (at += len - 1; at < end && view->data[at] >= '0' && view->data[at] <= '9'; at++)
		total = total * 10 + (view->data[at] - '0');
	return total;
}

static int
append(const char *path, struct file_draft *draft, double *total, struct err *err)
{
	struct file_view view;

	if (file_view_open(&view, path, err) < 0)
		return -1;
	double cost = find_total(&view);
	int result = file_put(draft->fd, view.data, view.len, draft->path, err);

	if (result == 0 && cost < 0)
		result = err_set(err, ERR_MEASURE,
			"valgrind left a profile that is not whole: '%s' has no totals", path);
	*total += cost;
	file_view_close(&view);
	return result;
}

int
callgrind_files_join(const char *dir, pid_t first, const char *into, double *total, struct err *err)
{
	struct files files = {.first = first};
	struct file_draft draft;
	int result = list(dir, &files, err);

	*total = 0;
	if (result == 0 && files.count == 0)
		result = err_set(err, ERR_MEASURE, "valgrind left no profile");
	if (result == 0)
		result = file_draft_open(&draft, into, err);
	if (result == 0) {
		for (size_t i = 0; i < files.count && result == 0; i++) {
			char *path = file_join(dir, files.names[i]);

			result = append(path, &draft, total, err);
			free(path);
		}
		if (result == 0)
			result = file_commit_unflushed(&draft, err);
		else
			file_abandon(&draft);
	}
	for (size_t i = 0; i < files.count; i++)
		free(files.names[i]);
	free(files.names);
	return result;
}
