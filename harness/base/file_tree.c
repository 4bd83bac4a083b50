/*
 * Folders (file.h): made with those above them, made for temporary files, and removed with all that
 * is in them.
 */
#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int
file_make_dirs(const char *path, struct err *err)
{
	char *copy = mem_strdup(path);
	int result = 0;

	/* The slash that an absolute path begins with is skipped; an empty path is not. */
	for (char *at = copy[0] ? copy + 1 : copy; result == 0; at++) {
		if (*at != '/' && *at != '\0')
			continue;
		char kept = *at;

		*at = '\0';
		const int problem = mkdir(copy, 0777) < 0 ? errno : 0;

		if (problem != 0 && problem != EEXIST)
			result = err_set_errno(
				err, ERR_SYSTEM, problem, "cannot make the folder '%s'", copy);
		else if (problem == EEXIST && !file_is_dir(copy))
			result = err_set(err, ERR_SYSTEM,
				"cannot make the folder '%s': a file of that name exists", copy);
		*at = kept;
		if (kept == '\0')
			break;
	}
	free(copy);
	return result;
}

/* Scratch folders are drafts that take no other folder's place: file_dir_abandon() removes them. */
#define SCRATCH_NAME "scratch"

/*
 * An error where everybody may rename what is in the folder `tmp`: others could put a folder of
 * theirs in the place of ours.
 */
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

/* The deepest tree we remove is a report's; the limit stops a loop of bind mounts. */
#define DEPTH_MAX 64

/* An entry of a folder, laid out as by getdents64(2). */
struct listed {
	uint64_t number;
	int64_t next;
	unsigned short bytes;
	unsigned char type;
	char name[];
};

static int remove_tree_at(int dir_fd, const char *name, int depth);

/* Removes the entries of an open folder. Sets *any to whether the folder held anything. */
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

	/* While entries are removed, getdents64() can leave some out. */
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
