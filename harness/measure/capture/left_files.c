#include "capture/left_files.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *
left_files_make(const char *perfdata_path, struct err *err)
{
	char *wanted = mem_printf("%s.parts", perfdata_path);
	char *dir = NULL;

	if (file_remove_tree(wanted, err) == 0 && file_make_dirs(wanted, err) == 0) {
		dir = realpath(wanted, NULL);
		if (!dir)
			err_set_errno(err, ERR_SYSTEM, errno, "%s", wanted);
	}
	free(wanted);
	return dir;
}

static bool
is_of(const char *path, pid_t pid)
{
	return strtol(strrchr(path, '/') + 1, NULL, 10) == pid;
}

static int
compare_paths(const void *a, const void *b, void *context)
{
	const pid_t *first = context;
	const char *x = *(char *const *)a;
	const char *y = *(char *const *)b;
	const bool x_first = is_of(x, *first);

	if (x_first != is_of(y, *first))
		return x_first ? -1 : 1;
	return strverscmp(x, y);
}

int
left_files_list(struct left_files *files, const char *dir, pid_t first, struct err *err)
{
	struct dirent *entry;
	DIR *folder = opendir(dir);

	*files = (struct left_files){.count = 0};
	if (!folder)
		return err_set_errno(err, ERR_SYSTEM, errno, "%s", dir);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		files->paths = mem_grow(
			files->paths, &files->capacity, files->count + 1, sizeof(*files->paths));
		files->paths[files->count++] = file_join(dir, entry->d_name);
	}
	closedir(folder);
	if (files->count > 0)
		qsort_r(files->paths, files->count, sizeof(*files->paths), compare_paths, &first);
	return 0;
}

void
left_files_release(struct left_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct left_files){.count = 0};
}

void
left_files_remove(char *dir)
{
	struct err err = {.kind = ERR_NONE};

	if (dir && file_remove_tree(dir, &err) < 0)
		log_debug("%s", err.text);
	free(dir);
}
