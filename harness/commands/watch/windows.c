#include "watch/windows.h"

#include "base/file.h"
#include "base/mem.h"
#include "profile/folded.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME_FORMAT "%Y%m%dT%H%M%SZ"
#define SUFFIX ".folded"

char *
windows_path(const char *dir, int64_t started)
{
	time_t when = (time_t)started;
	char name[64] = "";
	struct tm utc;

	if (gmtime_r(&when, &utc))
		strftime(name, sizeof(name), NAME_FORMAT SUFFIX, &utc);
	return file_join(dir, name);
}

/* The time in the file name of a window; false: it is no window's. */
static bool
time_of(const char *name, int64_t *started)
{
	struct tm utc = {0};
	const char *end = strptime(name, NAME_FORMAT, &utc);

	if (!end || strcmp(end, SUFFIX) != 0)
		return false;
	*started = (int64_t)timegm(&utc);
	return true;
}

static int
compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int
windows_list(struct windows *windows, const char *dir, struct err *err)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	int64_t started;

	*windows = (struct windows){0};
	if (!stream && errno == ENOENT)
		return 0;
	if (!stream)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", dir);
	while ((entry = readdir(stream))) {
		if (!time_of(entry->d_name, &started))
			continue;
		windows->started = mem_grow(windows->started, &windows->capacity,
			windows->count + 1, sizeof(*windows->started));
		windows->started[windows->count++] = started;
	}
	closedir(stream);
	if (windows->count > 0)
		qsort(windows->started, windows->count, sizeof(*windows->started), compare_times);
	return 0;
}

void
windows_release(struct windows *windows)
{
	free(windows->started);
	*windows = (struct windows){0};
}

int
windows_add(const char *dir, const struct profile *profile, struct err *err)
{
	char *path = windows_path(dir, profile->started);
	int result = folded_write_file(profile, FOLDED_RUNS, path, err);

	free(path);
	return result;
}

int
windows_prune(const char *dir, size_t keep, struct err *err)
{
	struct windows windows;
	int result = windows_list(&windows, dir, err);

	for (size_t i = 0; result == 0 && i + keep < windows.count; i++) {
		char *path = windows_path(dir, windows.started[i]);

		if (unlink(path) < 0 && errno != ENOENT)
			result = err_set_errno(err, ERR_SYSTEM, errno, "cannot remove '%s'", path);
		free(path);
	}
	windows_release(&windows);
	return result;
}

bool
windows_are_in(const char *dir)
{
	struct err err = {.kind = ERR_NONE};
	struct windows windows;
	bool any = windows_list(&windows, dir, &err) == 0 && windows.count > 0;

	windows_release(&windows);
	return any;
}
