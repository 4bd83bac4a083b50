#include "process/find_program.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* execvp(3), where there is no PATH. */
#define USUAL "/bin:/usr/bin"

static const char *
search_path(const char *const *env)
{
	static const char key[] = "PATH=";
	const char *path = getenv("PATH");

	for (; env && *env; env++)
		if (strncmp(*env, key, strlen(key)) == 0)
			path = *env + strlen(key);
	return path ? path : USUAL;
}

static char *
seen_from(const char *cwd, const char *path)
{
	return path[0] != '/' && cwd ? file_join(cwd, path) : mem_strdup(path);
}

/* A folder may be "executed", too. */
static bool
is_program(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

char *
find_program(const char *name, const char *const *env, const char *cwd)
{
	if (strchr(name, '/'))
		return seen_from(cwd, name);
	for (const char *at = search_path(env); *at;) {
		const size_t len = strcspn(at, ":");
		/* An empty one is the current folder. */
		char *beside =
			len > 0 ? mem_printf("%.*s/%s", (int)len, at, name) : mem_strdup(name);
		char *file = seen_from(cwd, beside);

		free(beside);
		if (is_program(file))
			return file;
		free(file);
		at += len + (at[len] == ':');
	}
	return NULL;
}
