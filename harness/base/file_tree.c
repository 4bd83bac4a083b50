/* The part of file.h that deals with folders as trees. */
#include "base/file.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int
remove_at(int dir_fd, const char *name, const char *path, int depth, struct err *err)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	int fd = depth < DEPTH_MAX
			 ? openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			 : -1;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	int result = 0;

	if (!dir) {
		err_set_errno(err, ERR_SYSTEM, errno, "cannot remove '%s'", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (struct dirent *entry; result == 0 && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			result = remove_at(fd, entry->d_name, path, depth + 1, err);
	}
	closedir(dir);
	if (result == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot remove '%s'", path);
	return result;
}

int
file_remove_tree(const char *path, struct err *err)
{
	if (remove_at(AT_FDCWD, path, path, 0, err) == 0)
		return 0;
	/* A descriptor or memory that was missing for a moment may be there now. */
	return remove_at(AT_FDCWD, path, path, 0, err);
}
