#include "cli/root.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
has(const char *dir, const char *name, bool (*is_there)(const char *path))
{
	char *path = file_join(dir, name);
	bool there = is_there(path);

	free(path);
	return there;
}

static bool
has_benchmarks(const char *dir)
{
	return has(dir, CONFIG_PATH, file_exists) || has(dir, WORKLOADS_PATH, file_is_dir);
}

/* Cuts `dir` to the nearest folder that has benchmarks; false: there is none in the repository. */
static bool
climb(char *dir)
{
	while (!has_benchmarks(dir)) {
		char *slash = strrchr(dir, '/');

		if (!slash || slash == dir || has(dir, ".git", file_exists))
			return false;
		*slash = '\0';
	}
	/* Outside of a repository, a folder of that name may belong to anybody. */
	char *above = mem_strdup(dir);
	bool found = false;

	for (char *slash; !found && (slash = strrchr(above, '/')) && slash != above; *slash = '\0')
		found = has(above, ".git", file_exists);
	free(above);
	return found;
}

void
root_enter(struct root *root)
{
	char *here = getcwd(NULL, 0);
	char *dir = here ? mem_strdup(here) : NULL;

	if (here && climb(dir) && strlen(dir) < strlen(here) && chdir(dir) == 0) {
		root->dir = arena_strdup(&root->arena, dir);
		root->prefix = arena_printf(&root->arena, "%s/", here + strlen(dir) + 1);
	}
	free(dir);
	free(here);
}

int
root_leave(struct root *root, struct err *err)
{
	if (root->prefix && chdir(root->prefix) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot enter '%s'", root->prefix);
	root->dir = root->prefix = NULL;
	return 0;
}

const char *
root_path(struct root *root, const char *path)
{
	if (!root->prefix || !path || path[0] == '/' || strcmp(path, "-") == 0)
		return path;
	return arena_printf(&root->arena, "%s%s", root->prefix, path);
}

void
root_release(struct root *root)
{
	arena_release(&root->arena);
	root->dir = root->prefix = NULL;
}
