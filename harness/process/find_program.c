#include "process/find_program.h"

#include "base/file.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *
find_program(const char *name, const char *cwd)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return name[0] != '/' && cwd ? file_join(cwd, name) : mem_strdup(name);
	for (const char *at = path ? path : ""; *at;) {
		size_t len = strcspn(at, ":");
		char *folder = mem_printf("%.*s", len > 0 ? (int)len : 1, len > 0 ? at : ".");
		char *file = file_join(folder, name);

		free(folder);
		if (access(file, X_OK) == 0)
			return file;
		free(file);
		at += len + (at[len] == ':');
	}
	return NULL;
}
