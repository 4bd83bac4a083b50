#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool
is_end(char c)
{
	return c == '/' || c == '\0';
}

/* Length in bytes of the folders that both paths begin with. */
static size_t
common_folders(const char *from, const char *to)
{
	size_t common = 0;

	for (size_t i = 0;; i++) {
		if (is_end(from[i]) && is_end(to[i]))
			common = i;
		if (from[i] != to[i] || from[i] == '\0')
			return common;
	}
}

char *
file_relative_path(const char *from, const char *to)
{
	size_t common = common_folders(from, to);
	struct buf way = {0};

	for (const char *c = from + common; *c; c++) {
		if (*c == '/' && c[1] != '\0')
			buf_puts(&way, "../");
	}
	buf_puts(&way, to[common] == '/' ? to + common + 1 : to + common);
	while (way.len > 1 && way.data[way.len - 1] == '/')
		way.data[--way.len] = '\0';
	char *result = mem_strdup(way.len > 0 ? buf_text(&way) : ".");

	buf_release(&way);
	return result;
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
		/* Without /proc, by its name. */
		if (result < 0 && problem == ENOENT)
			result = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	close(fd);
	errno = problem;
	return result;
}

/*
 * Folders as trees.
 */

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

/*
 * Scratch folders: drafts (file_draft.c) that become nothing.
 */

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
