#include "base/cache_dir.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Owned; NULL if there is none. */
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

static int
check_owner(const char *folder, struct err *err)
{
	struct stat status;

	if (stat(folder, &status) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot inspect '%s'", folder);
	if (status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return 0;
	err_set(err, ERR_SYSTEM,
		"'%s' is another user's, or others may write there; what is built there would be "
		"run",
		folder);
	return err_note(err, "remove it, or set XDG_CACHE_HOME to a folder of yours");
}

char *
cache_dir(const char *part, struct err *err)
{
	char *base = find_base(err);

	if (!base)
		return NULL;
	char *folder = file_join(base, part);
	char *parent = mem_dup(folder, (size_t)(file_basename(folder) - folder) - 1);
	int result = file_make_dirs(parent, err);

	if (result == 0 && mkdir(folder, 0700) < 0 && errno != EEXIST)
		result = err_set_errno(err, ERR_SYSTEM, errno, "cannot make '%s'", folder);
	if (result == 0)
		result = check_owner(folder, err);
	free(base);
	free(parent);
	if (result == 0)
		return folder;
	free(folder);
	return NULL;
}
