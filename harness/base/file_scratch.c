/*
 * Scratch folders (file.h): drafts of folders that take no other's place, and are removed in the
 * end.
 */
#include "base/file.h"

#include "base/mem.h"

#include <stdlib.h>
#include <sys/stat.h>

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

int
file_dir_try(const char *dir, struct err *err)
{
	char *scratch = NULL;
	int result = file_dir_scratch_in(dir, &scratch, err);

	if (result < 0)
		return -1;
	char *path = file_join(scratch, "folder");

	/* The second folder replaces the first. */
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
