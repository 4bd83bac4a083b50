#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *
file_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	if (len > 0 && dir[len - 1] == '/')
		return mem_printf("%s%s", dir, name);
	return mem_printf("%s/%s", dir, name);
}

const char *
file_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

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

bool
file_is_same(const char *path, const char *other)
{
	struct stat a;
	struct stat b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

int
file_read_open(int fd, const char *path, struct buf *out, size_t limit_bytes, struct err *err)
{
	char chunk[16384]; /* the stack may be a small one */
	ssize_t got;

	while ((got = read(fd, chunk, sizeof(chunk))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", path);
		if (out->len + (size_t)got > limit_bytes)
			return err_set(
				err, ERR_INPUT, "'%s' is larger than %zu bytes", path, limit_bytes);
		buf_put(out, chunk, (size_t)got);
	}
	return 0;
}

int
file_read(const char *path, struct buf *out, size_t limit_bytes, struct err *err)
{
	int fd = file_open_to_read(path, err);

	if (fd < 0)
		return -1;
	int result = file_read_open(fd, path, out, limit_bytes, err);

	close(fd);
	return result;
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
		/* Without /proc, by its name. */
		if (result < 0 && problem == ENOENT)
			result = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	close(fd);
	errno = problem;
	return result;
}
