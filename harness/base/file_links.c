#include "base/file_links.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The place in the path where its last `levels` parts begin. */
static const char *
last_parts(const char *path, unsigned levels)
{
	const char *first = path + strspn(path, "/");
	const char *at = path + strlen(path);

	for (; levels > 0 && at > first; levels--) {
		while (at > first && at[-1] == '/')
			at--;
		while (at > first && at[-1] != '/')
			at--;
	}
	return at;
}

/*
 * The error for a part of a path that open() has refused, from errno and from whether the part is a
 * symbolic link. Returns -1 and keeps errno.
 */
static int
refuse_link(int folder_fd, const char *part, const char *path, struct err *err)
{
	const int errnum = errno;
	struct stat status;

	if (fstatat(folder_fd, part, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISLNK(status.st_mode)) {
		err_set(err, ERR_INPUT,
			"'%s' is a symbolic link, and symbolic links are not followed here", path);
		err_note(err, "it may lead to files outside of the folder: remove it");
	} else if (errnum == ENOTDIR) {
		err_set(err, ERR_INPUT, "'%s' is not a folder", path);
	} else {
		err_set_errno(err, ERR_INPUT, errnum, "cannot open '%s'", path);
	}
	errno = errnum;
	return -1;
}

/* Opens the folder `part` of an open folder, which is closed. -1 with errno. */
static int
open_part(int folder_fd, const char *part, const char *path, bool make, struct err *err)
{
	/* The failure to make it matters only if it is not there. */
	const int problem = make && mkdirat(folder_fd, part, 0777) < 0 ? errno : 0;
	int fd = openat(folder_fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && problem != 0) {
		err_set_errno(err, ERR_SYSTEM, problem, "cannot make '%s'", path);
		errno = problem;
	} else if (fd < 0) {
		refuse_link(folder_fd, part, path, err);
	}
	const int errnum = errno;

	close(folder_fd);
	errno = errnum;
	return fd;
}

int
file_open_folder(const char *path, unsigned levels, bool make, struct err *err)
{
	const char *rest = last_parts(path, levels);
	char *above = rest > path ? mem_dup(path, (size_t)(rest - path)) : mem_strdup(".");
	char *copy = mem_strdup(path);
	int fd = -1;

	if (!make || file_make_dirs(above, err) == 0) {
		fd = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			refuse_link(AT_FDCWD, above, above, err);
	}
	for (char *at = copy + (rest - path); fd >= 0 && *at;) {
		char *part = at + strspn(at, "/");
		char *end = part + strcspn(part, "/");
		const char kept = *end;

		*end = '\0';
		if (end > part)
			fd = open_part(fd, part, copy, make, err);
		*end = kept;
		at = end;
	}
	const int errnum = errno;

	free(copy);
	free(above);
	errno = errnum;
	return fd;
}

int
file_make_folder(const char *path, unsigned levels, struct err *err)
{
	int fd = file_open_folder(path, levels, true, err);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

int
file_read_in(int folder_fd, const char *name, const char *path, struct buf *out, size_t limit_bytes,
	struct err *err)
{
	/* Opening a pipe would wait for its other end. */
	int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	int result;

	if (fd < 0 && errno == ELOOP)
		return refuse_link(folder_fd, name, path, err);
	if (fd < 0)
		return err_set_errno(err, ERR_INPUT, errno, "cannot open '%s'", path);
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		result = file_read_open(fd, path, out, limit_bytes, err);
	else
		result = err_set(err, ERR_INPUT, "'%s' is not an ordinary file", path);
	close(fd);
	return result;
}

/*
 * Checks one part of a path, whose name is `path` up to it: a symbolic link must be this user's or
 * root's. Of a link on a relative path the log says where it leads.
 */
static int
check_part(const char *path, bool relative, struct err *err)
{
	char target[PATH_MAX];
	struct stat status;
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : refuse_link(AT_FDCWD, path, path, err);
	const bool is_link = fstat(fd, &status) == 0 && S_ISLNK(status.st_mode);
	const ssize_t len = is_link ? readlinkat(fd, "", target, sizeof(target)) : -1;

	close(fd);
	if (!is_link)
		return 0;
	if (status.st_uid != geteuid() && status.st_uid != 0) {
		err_set(err, ERR_SYSTEM, "'%s' is a symbolic link of another user (uid %u)", path,
			(unsigned)status.st_uid);
		return err_note(err, "it is not followed: remove it, or choose another folder");
	}
	if (relative && len > 0)
		log_info("'%s' is a symbolic link: written to '%.*s'", path, (int)len, target);
	return 0;
}

int
file_check_links(const char *path, struct err *err)
{
	char *copy = mem_strdup(path);
	int result = 0;

	for (char *at = copy + 1; result == 0 && copy[0] != '\0'; at++) {
		const char kept = *at;

		if (kept != '/' && kept != '\0')
			continue;
		*at = '\0';
		if (at[-1] != '/')
			result = check_part(copy, path[0] != '/', err);
		*at = kept;
		if (kept == '\0')
			break;
	}
	free(copy);
	return result;
}

int
file_make_output_folder(const char *path, struct err *err)
{
	return file_check_links(path, err) < 0 ? -1 : file_make_dirs(path, err);
}
