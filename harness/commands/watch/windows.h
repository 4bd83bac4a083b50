/*
 * The files of a watch: a window is a profile of the whole machine, folded text with the programs
 * as roots. Each is a file in one folder, named by the time when it was taken
 * ("20261124T011000Z.folded").
 */
#ifndef WATCH_WINDOWS_H
#define WATCH_WINDOWS_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The windows in a folder, the oldest first. */
struct windows {
	int64_t *started; /* seconds since 1970; owned */
	size_t count;
	size_t capacity;
};

/* Files of other names are ignored; a folder that is not there has no windows. */
int windows_list(struct windows *windows, const char *dir, struct err *err);
void windows_release(struct windows *windows);

/* The path of the window that was taken then; free() it. */
char *windows_path(const char *dir, int64_t started);
/* Writes one window, whole or not at all, by its `started`; `profile` is sorted. */
int windows_add(const char *dir, const struct profile *profile, struct err *err);
/* Removes the oldest windows, so that `keep` of them are left. */
int windows_prune(const char *dir, size_t keep, struct err *err);

/* Whether the folder has windows. */
bool windows_are_in(const char *dir);

#endif
