/* The lock of a baseline, held while it is exchanged. */
#include "baseline/store_internal.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_SECONDS 60
#define ATTEMPTS 20

static char *
parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_dup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Whether `path` is still the folder that was locked: its last holder may have removed it. */
static bool
is_still(int lock, const char *path)
{
	struct stat locked;
	struct stat there;

	if (fstat(lock, &locked) < 0 || stat(path, &there) < 0)
		return false;
	return !S_ISDIR(locked.st_mode) ||
	       (locked.st_ino == there.st_ino && locked.st_dev == there.st_dev);
}

int
store_lock(const char *folder, struct err *err)
{
	const struct lock_wait wait = {.seconds = WAIT_SECONDS};
	char *parent = parent_of(folder);
	int lock = -1;

	for (int i = 0; lock < 0 && i < ATTEMPTS; i++) {
		if (file_make_folder(parent, STORE_LEVELS - 1, err) < 0)
			break;
		lock = lock_dir(parent, ".lock", &wait, err);
		if (lock < 0 && file_is_dir(parent))
			break;
		/* Gone since it was made: removed by another process whose writing failed. */
		if (lock >= 0 && !is_still(lock, parent)) {
			close(lock);
			lock = err_set(err, ERR_SYSTEM, "'%s' is removed again and again", parent);
		}
	}
	free(parent);
	return lock;
}

void
store_unlock(int lock, const char *folder)
{
	char *parent = parent_of(folder);
	char *above = parent_of(parent);

	/* rmdir() refuses a folder that holds anything. */
	if (!file_exists(folder) && rmdir(parent) == 0)
		rmdir(above);
	free(above);
	free(parent);
	close(lock);
}

int
store_recover(const char *folder, struct err *err)
{
	if (!file_dir_is_interrupted(folder))
		return 0;
	int lock = store_lock(folder, err);
	int result = lock < 0 ? -1 : file_dir_recover(folder, err);

	if (lock >= 0)
		store_unlock(lock, folder);
	if (result == 0)
		log_info("'%s' has been put back: a profile_run was killed while it replaced it",
			folder);
	return result;
}
