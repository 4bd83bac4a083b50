#include "base/lock.h"

#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define ATTEMPTS_A_SECOND 20

bool
lock_try(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Not by waiting in flock(2): an interruption would not end that. */
static int
wait_for(int fd, const char *path, const struct lock_wait *wait, struct err *err)
{
	struct timespec pause = {.tv_nsec = 1000000000 / ATTEMPTS_A_SECOND};

	for (unsigned waited = 0; !lock_try(fd); waited++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", path);
		if (wait->check && wait->check(err) < 0)
			return -1;
		if (waited >= wait->seconds * ATTEMPTS_A_SECOND)
			return err_set(err, ERR_SYSTEM,
				"'%s' has been locked by another profile_run for %u s; try again when it is done",
				path, wait->seconds);
		if (waited == 0 && wait->what)
			log_info("waiting for another profile_run, which %s", wait->what);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Locks the open file or folder, or closes it and returns -1; `fd` -1: open() has failed. */
static int
lock_open(int fd, const char *path, const struct lock_wait *wait, struct err *err)
{
	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot lock '%s'", path);
	if (wait_for(fd, path, wait, err) == 0)
		return fd;
	close(fd);
	return -1;
}

int
lock_file(const char *path, const struct lock_wait *wait, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	return lock_open(fd, path, wait, err);
}

int
lock_dir(const char *path, const char *instead, const struct lock_wait *wait, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* NFS locks only descriptors open for writing. */
	if (fd >= 0 && instead && !lock_try(fd) && (errno == EBADF || errno == ENOLCK)) {
		char *file = file_join(path, instead);

		close(fd);
		fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		fd = lock_open(fd, file, wait, err);
		free(file);
		return fd;
	}
	return lock_open(fd, path, wait, err);
}
