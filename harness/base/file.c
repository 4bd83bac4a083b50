/*
 * Questions about files, opening one that is ordinary, and writing all of a buffer (file.h).
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool
file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
file_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static struct timespec
time_of(const struct statx_timestamp *stamp)
{
	return (struct timespec){.tv_sec = stamp->tv_sec, .tv_nsec = stamp->tv_nsec};
}

bool
file_written_at(const char *path, struct timespec *at)
{
	struct statx status;

	if (statx(AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_BTIME, &status) < 0 ||
		!S_ISREG(status.stx_mode))
		return false;
	const struct timespec modified = time_of(&status.stx_mtime);

	*at = time_of(&status.stx_ctime);
	if (status.stx_nlink > 1 && status.stx_mask & STATX_BTIME) {
		const struct timespec born = time_of(&status.stx_btime);

		*at = file_time_is_before(&born, &modified) ? modified : born;
	}
	return true;
}

bool
file_is_same(const char *path, const char *other)
{
	struct stat a;
	struct stat b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

int
file_put(int fd, const void *bytes, size_t len, const char *path, struct err *err)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t put = write(fd, at, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
		at += put;
		len -= (size_t)put;
	}
	return 0;
}

int
file_put_pieces(
	int fd, const struct iovec *pieces, size_t npieces, const char *path, struct err *err)
{
	ssize_t put;

	if (npieces == 0)
		return 0;
	do
		put = writev(fd, pieces, (int)npieces);
	while (put < 0 && errno == EINTR);
	if (put < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write '%s'", path);
	for (size_t i = 0; i < npieces; i++) {
		size_t len = pieces[i].iov_len;

		if ((size_t)put >= len) {
			put -= (ssize_t)len;
			continue;
		}
		if (file_put(fd, (const char *)pieces[i].iov_base + put, len - (size_t)put, path,
			    err) < 0)
			return -1;
		put = 0;
	}
	return 0;
}

bool
file_is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int
file_open_ordinary(const char *path)
{
	struct stat status;
	char opened[64];
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -1;
	int result = -1;
	int problem = EINVAL;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
		result = open(opened, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		problem = errno;
		/* Where /proc is not mounted, the file is opened by its name. */
		if (result < 0 && problem == ENOENT)
			result = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	close(fd);
	errno = problem;
	return result;
}
