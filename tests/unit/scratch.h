/*
 * A folder for one case, and what the cases of capture/ ask of it.
 */
#ifndef UNIT_SCRATCH_H
#define UNIT_SCRATCH_H

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

struct scratch {
	char dir[64];
	char path[128]; /* of a file in it, as scratch_path() made it */
};

static inline void
scratch_init(struct scratch *scratch)
{
	snprintf(scratch->dir, sizeof(scratch->dir), "/tmp/profile_run-unit-XXXXXX");
	if (!mkdtemp(scratch->dir))
		abort();
}

static inline void
scratch_release(struct scratch *scratch)
{
	struct err err = {0};

	file_remove_tree(scratch->dir, &err);
}

static inline const char *
scratch_path(struct scratch *scratch, const char *name)
{
	snprintf(scratch->path, sizeof(scratch->path), "%s/%s", scratch->dir, name);
	return scratch->path;
}

/* How many files there are. */
static inline size_t
scratch_count(const struct scratch *scratch)
{
	size_t n = 0;
	struct dirent *entry;
	DIR *dir = opendir(scratch->dir);

	while (dir && (entry = readdir(dir)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return n;
}

/* The number that a file holds; 0 if there is none. */
static inline long
scratch_number(struct scratch *scratch, const char *name)
{
	long number = 0;
	FILE *file = fopen(scratch_path(scratch, name), "re");
	char text[32] = "";

	if (file && fgets(text, sizeof(text), file))
		number = strtol(text, NULL, 10);
	if (file)
		fclose(file);
	return number;
}

/* Waits until there is such a number, ten seconds at most. */
static inline void
scratch_await(struct scratch *scratch, const char *name)
{
	struct timespec pause = {.tv_nsec = 20000000};

	for (int i = 0; i < 500 && scratch_number(scratch, name) == 0; i++)
		nanosleep(&pause, NULL);
}

static inline bool
scratch_is_gone(long pid)
{
	return pid > 1 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

#endif
