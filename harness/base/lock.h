/*
 * Locks between processes: flock(2) on a file or a folder, released when its descriptor is closed
 * or the process ends, however it ends.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/err.h"

#include <stdbool.h>

/* How to wait for a lock that another process holds. All zeros: not at all. */
struct lock_wait {
	unsigned seconds; /* then it is an error */
	const char *what; /* what the holder is doing, to be logged; NULL: nothing is logged */
	/* Called while waiting; -1 and an error end it. May be NULL. */
	int (*check)(struct err *err);
};

/*
 * Locks the file at `path`, made for this user alone if it is not there; a symbolic link is an
 * error. Returns a descriptor to be closed, -1 on error.
 */
int lock_file(const char *path, const struct lock_wait *wait, struct err *err);
/*
 * The same for a folder, without creating a file in it. NFS cannot lock a folder: there its file
 * `instead` is locked, which all users may share; if NULL, it is an error.
 */
int lock_dir(const char *path, const char *instead, const struct lock_wait *wait, struct err *err);

/* Whether the open `fd` could be locked at once. */
bool lock_try(int fd);

#endif
