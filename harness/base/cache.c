#include "base/cache.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path of the cache; the caller frees it. NULL if the environment names no place for it. */
static char *
find_base(struct err *err)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	/* The XDG Base Directory Specification says to ignore relative paths. */
	if (cache && cache[0] == '/')
		return file_join(cache, "profile_run");
	if (home && home[0] == '/')
		return file_join(home, ".cache/profile_run");
	err_set(err, ERR_SYSTEM,
		"no folder to check out commits in: neither XDG_CACHE_HOME nor HOME is "
		"set");
	return NULL;
}

/* Whether an open folder is this user's, and nobody else may write there. */
static int
check_owner(int fd, const char *folder, struct err *err)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot inspect '%s'", folder);
	if (status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return 0;
	err_set(err, ERR_SYSTEM,
		"'%s' is another user's, or others may write there; what is built there would be "
		"run",
		folder);
	return err_note(err, "remove it, or set XDG_CACHE_HOME to a folder of yours");
}

/* Makes a folder, or finds it there, that is this user's alone. */
static int
make_own_folder(const char *path, struct err *err)
{
	if (file_check_links(path, err) < 0)
		return -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot make '%s'", path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot open '%s'", path);
	int result = check_owner(fd, path, err);

	close(fd);
	return result;
}

/*
 * Makes all folders of `path` from its byte `from` on, each of them this user's alone: nobody else
 * can exchange one of them afterwards, so that the path can be trusted.
 */
static int
make_own_folders(char *path, size_t from, struct err *err)
{
	int result = 0;

	for (char *at = path + from; result == 0; at += 1 + strcspn(at + 1, "/")) {
		const char kept = *at;

		*at = '\0';
		result = make_own_folder(path, err);
		*at = kept;
		if (kept == '\0')
			break;
	}
	return result;
}

char *
cache_dir(const char *part, struct err *err)
{
	char *base = find_base(err);

	if (!base)
		return NULL;
	char *folder = file_join(base, part);
	char *above = mem_dup(base, (size_t)(file_basename(base) - base) - 1);
	int result = file_make_output_folder(above, err);

	if (result == 0)
		result = make_own_folders(folder, strlen(base), err);
	free(base);
	free(above);
	if (result == 0)
		return folder;
	free(folder);
	return NULL;
}
