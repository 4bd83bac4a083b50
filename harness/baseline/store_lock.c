#include "baseline/store_lock.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_SECONDS 60
#define ATTEMPTS 20
#define ATTEMPTS_A_SECOND 20

static char *
parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_dup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int
wait_for_lock(int fd, const char *path, struct err *err)
{
	struct timespec pause = {.tv_nsec = 1000000000 / ATTEMPTS_A_SECOND};

	for (unsigned waited = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", path);
		if (waited >= WAIT_SECONDS * ATTEMPTS_A_SECOND)
			return err_set(err, ERR_SYSTEM,
				"'%s' has been locked by another profile_run for %d s; try again when it is done",
				path, WAIT_SECONDS);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Whether `path` still leads to what was locked: its last holder may have removed the folder. */
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

/*
 * flock() takes a folder as well as a file, which leaves nothing behind. NFS refuses it without a
 * descriptor to write to (EBADF); there a file has to do.
 */
static int
lock_dir(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && (errno == EBADF || errno == ENOLCK)) {
		char *file = file_join(path, ".lock");

		close(fd);
		fd = file_lock(file, WAIT_SECONDS, err);
		free(file);
		return fd;
	}
	if (wait_for_lock(fd, path, err) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ".NAME.XXXXXX": what file_dir_draft() makes beside NAME. */
static bool
is_draft_of(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return entry[0] == '.' && strncmp(entry + 1, name, len) == 0 && entry[len + 1] == '.' &&
	       strlen(entry + len + 2) == 6;
}

/* Under the lock nobody else has a draft here, so what is there was left by a killed writer. */
static void
remove_drafts(const char *parent, const char *name)
{
	DIR *dir = opendir(parent);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		struct err ignored = {0};

		if (!is_draft_of(entry->d_name, name))
			continue;
		char *path = file_join(parent, entry->d_name);

		log_debug("removing '%s', left by a writer that was killed", path);
		file_remove_tree(path, &ignored);
		free(path);
	}
	closedir(dir);
}

int
store_lock(const char *folder, struct err *err)
{
	char *parent = parent_of(folder);
	int lock = -1;

	for (int i = 0; lock < 0 && i < ATTEMPTS; i++) {
		if (file_make_dirs(parent, err) < 0)
			break;
		lock = lock_dir(parent, err);
		if (lock < 0 && file_is_dir(parent))
			break;
		/* Gone since it was made: someone who could not write there has tidied up. */
		if (lock >= 0 && !is_still(lock, parent)) {
			close(lock);
			lock = err_set(err, ERR_SYSTEM, "'%s' is removed again and again", parent);
		}
	}
	if (lock >= 0)
		remove_drafts(parent, file_basename(folder));
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
