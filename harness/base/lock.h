/*
 * Locks between processes: flock(2) on a file or a folder, given back when its descriptor is closed
 * or the process ends, however it ends.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/err.h"

#include <stdbool.h>

/* How to wait for a lock that another process has. All zeros: not at all. */
struct lock_wait {
	unsigned seconds; /* after which it is an error */
	const char *what; /* that is done by whoever has it, to be logged; NULL: nothing is */
	/* Called meanwhile: with -1 and an error it ends the waiting; NULL: nothing does. */
	int (*check)(struct err *err);
};

/*
 * Locks the file at `path`, made for this user alone if it is not there; a symbolic link is an
 * error. Returns a descriptor to be closed, -1 on error.
 */
int lock_file(const char *path, const struct lock_wait *wait, struct err *err);
/*
 * The same of a folder, in which nothing is left behind. NFS does not lock a folder: there its file
 * `instead` is, which may be every user's; NULL: that is an error.
 */
int lock_dir(const char *path, const char *instead, const struct lock_wait *wait, struct err *err);

/* Whether the open `fd` could be locked at once. */
bool lock_try(int fd);

#endif
