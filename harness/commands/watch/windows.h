/*
 * The windows of a watch: profiles of the whole machine, one file each in a folder, named by when
 * they were taken ("20261124T011000Z.folded"), folded text with the programs as roots.
 */
#ifndef WATCH_WINDOWS_H
#define WATCH_WINDOWS_H

#include "base/err.h"
#include "history/history_files.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The least change of a share that is shown, and alerts: smaller ones come and go with the load. */
#define WINDOWS_THRESHOLD 0.2

/* An alert is a change for the worse that begins in the last so many windows. */
#define WINDOWS_ALERT 7

/* The windows in a folder, the oldest first. */
struct windows {
	int64_t *started; /* seconds since 1970; owned */
	size_t count;
	size_t capacity;
};

/* Files of other names are ignored; a folder that is not there has no windows. */
int windows_list(struct windows *windows, const char *dir, struct err *err);
void windows_release(struct windows *windows);

/* Writes one window, whole or not at all, by its `started`; `profile` is sorted. */
int windows_add(const char *dir, const struct profile *profile, struct err *err);
/* Removes the oldest, so that `keep` of them are left. */
int windows_prune(const char *dir, size_t keep, struct err *err);

/*
 * Reads the last `most` windows of a folder (0: all) as a history, whose nights they are: the share
 * of each program in the samples of each window, and that of each function (by itself) in those of
 * its program, in %. Both need 1 % and 5 samples a window, in all of these windows or in the last
 * WINDOWS_RECENT of them; a share is estimated from half a sample more than there were, so that
 * none is zero. Release it with history_release(). An error if there is no window.
 */
int windows_read(struct history *history, const char *dir, size_t most, struct err *err);

#define WINDOWS_RECENT 4

/* Whether the folder has windows. */
bool windows_are_in(const char *dir);
/* The time after which the last `count` windows of such a history were taken. */
int64_t windows_recent_from(const struct history *history, unsigned count);

#endif
