/*
 * The windows of a watch as a history, in which a change of a program's or function's share is
 * found as that of a workload's cost over many nights is.
 */
#ifndef WATCH_WINDOWS_HISTORY_H
#define WATCH_WINDOWS_HISTORY_H

#include "base/err.h"
#include "history/history_files.h"

#include <stddef.h>
#include <stdint.h>

/* The least change of a share that is shown, and alerts: smaller ones come and go with the load. */
#define WINDOWS_THRESHOLD 0.2

/* An alert is a change for the worse that begins in the last so many windows. */
#define WINDOWS_ALERT 7

/*
 * A program or function that is small over all windows is followed if it is large in the last of
 * them.
 */
#define WINDOWS_RECENT 4

/*
 * Reads the last `most` windows of a folder (0: all) as a history, in which each window is a night.
 * It has the share of each program in the samples of each window, and that of each function (by
 * itself) in the samples of its program, in %. Both need 1 % and 5 samples a window, in all of
 * these windows or in the last WINDOWS_RECENT of them. A share is estimated from half a sample more
 * than there were, so that none is zero. Release it with history_release(). An error if there is no
 * window.
 */
int windows_read(struct history *history, const char *dir, size_t most, struct err *err);
/* The time after which the last `count` windows of such a history were taken. */
int64_t windows_recent_from(const struct history *history, unsigned count);

#endif
