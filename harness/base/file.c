#include "base/file.h"

#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
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
file_time_is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
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

/* The part of file.h that deals with folders as trees. */

int
file_make_dirs(const char *path, struct err *err)
{
	char *copy = mem_strdup(path);
	int result = 0;

	for (char *at = copy + 1; result == 0; at++) {
		if (*at != '/' && *at != '\0')
			continue;
		char kept = *at;

		*at = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			result = err_set_errno(
				err, ERR_SYSTEM, errno, "cannot make the folder '%s'", copy);
		else if (errno == EEXIST && !file_is_dir(copy))
			result = err_set(err, ERR_SYSTEM,
				"cannot make the folder '%s': a file of that name exists", copy);
		*at = kept;
		if (kept == '\0')
			break;
	}
	free(copy);
	return result;
}

/* The deepest tree we remove is a report's; the limit stops a loop of bind mounts. */
#define DEPTH_MAX 64

/* As getdents64(2) has it. */
struct listed {
	uint64_t number;
	int64_t next;
	unsigned short bytes;
	unsigned char type;
	char name[];
};

static int remove_tree_at(int dir_fd, const char *name, int depth);

/* *any: there was something. */
static int
remove_inside(int fd, int depth, bool *any)
{
	_Alignas(struct listed) char bytes[2048];
	long got;

	*any = false;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	while ((got = syscall(SYS_getdents64, fd, bytes, sizeof(bytes))) > 0) {
		for (const char *at = bytes; at < bytes + got;) {
			const struct listed *listed = (const void *)at;

			at += listed->bytes;
			if (strcmp(listed->name, ".") == 0 || strcmp(listed->name, "..") == 0)
				continue;
			*any = true;
			if (remove_tree_at(fd, listed->name, depth + 1) < 0)
				return -1;
		}
	}
	return (int)got;
}

static int
remove_tree_at(int dir_fd, const char *name, int depth)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	int fd = depth < DEPTH_MAX
			 ? openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			 : -1;
	bool any = true;
	int result = fd < 0 ? -1 : 0;

	/* Names can be passed over while others are removed. */
	while (result == 0 && any)
		result = remove_inside(fd, depth, &any);
	if (result == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		result = -1;
	const int problem = errno;

	if (fd >= 0)
		close(fd);
	errno = problem;
	return result;
}

int
file_remove_at(int dir_fd, const char *name)
{
	/* A descriptor or memory that was missing for a moment may be there now. */
	return remove_tree_at(dir_fd, name, 0) == 0 ? 0 : remove_tree_at(dir_fd, name, 0);
}

int
file_remove_tree(const char *path, struct err *err)
{
	return file_remove_at(AT_FDCWD, path) == 0
		       ? 0
		       : err_set_errno(err, ERR_SYSTEM, errno, "cannot remove '%s'", path);
}

#define SCRATCH_NAME "scratch"

/* Others could put something of theirs in the place of our folder. */
static int
check_place(const char *tmp, struct err *err)
{
	struct stat status;

	if (stat(tmp, &status) == 0 && (status.st_mode & S_IWOTH) && !(status.st_mode & S_ISVTX)) {
		err_set(err, ERR_SYSTEM,
			"everybody may rename what is in '%s', where temporary files would be",
			tmp);
		return err_note(err, "chmod +t it, or set TMPDIR to a folder of yours");
	}
	return 0;
}

int
file_dir_scratch(char **temp_path, struct err *err)
{
	const char *given = getenv("TMPDIR");
	const char *tmp = given && *given ? given : "/tmp";

	return check_place(tmp, err) < 0 ? -1 : file_dir_scratch_in(tmp, temp_path, err);
}

int
file_dir_scratch_in(const char *dir, char **temp_path, struct err *err)
{
	char *path = file_join(dir, SCRATCH_NAME);
	int result = file_dir_draft(path, temp_path, err);

	free(path);
	return result;
}

int
file_dir_try(const char *dir, struct err *err)
{
	char *scratch = NULL;
	int result = file_dir_scratch_in(dir, &scratch, err);

	if (result < 0)
		return -1;
	char *path = file_join(scratch, "folder");

	/* The second one takes the place of the first. */
	for (int i = 0; i < 2 && result == 0; i++) {
		char *draft = NULL;

		result = file_dir_draft(path, &draft, err);
		if (result == 0)
			result = file_dir_commit(draft, path, err);
	}
	free(path);
	file_dir_abandon(scratch);
	return result;
}

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
