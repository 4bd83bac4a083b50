/* Scratch folders, and what killed processes left of theirs. */
#include "base/file.h"

#include "base/lock.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SCRATCH_NAME "profile_run"
/* ".profile_run.XXXXXX", as file_dir_draft() makes it. */
#define SCRATCH_PREFIX "." SCRATCH_NAME "."
#define SCRATCH_SUFFIX_BYTES 6
/* A folder this young may not be locked yet by who made it. */
#define YOUNG_SECONDS 60

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

static bool
is_scratch(const char *name)
{
	const size_t prefix = strlen(SCRATCH_PREFIX);

	return strncmp(name, SCRATCH_PREFIX, prefix) == 0 &&
	       strlen(name) == prefix + SCRATCH_SUFFIX_BYTES;
}

/* Whether `fd` is a folder of ours that no living process has locked; then it is locked here. */
static bool
is_left(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	       time(NULL) - status.st_mtime >= YOUNG_SECONDS && lock_try(fd);
}

static void
remove_left(const char *tmp)
{
	DIR *dir = opendir(tmp);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct err ignored = {0};
		int fd = is_scratch(entry->d_name)
				 ? openat(dirfd(dir), entry->d_name,
					   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				 : -1;

		if (fd >= 0 && is_left(fd)) {
			char *path = file_join(tmp, entry->d_name);

			log_debug("removing '%s', left behind by a killed process", path);
			file_remove_tree(path, &ignored);
			free(path);
		}
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
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
	remove_left(dir);
	char *path = file_join(dir, SCRATCH_NAME);
	int result = file_dir_draft(path, temp_path, err);

	free(path);
	if (result < 0)
		return -1;
	/* Held until the process ends, however it ends. */
	int fd = open(*temp_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		lock_try(fd);
	return 0;
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
