/*
 * The source files that debug information names, as paths in the current repository.
 */
#ifndef BUILDS_SOURCE_PATHS_H
#define BUILDS_SOURCE_PATHS_H

#include "base/arena.h"

#include <stddef.h>

/*
 * Sets paths[i] to the path in the repository of the file names[i], in `arena`, if it is below the
 * root of the working tree and `commit` has it; else to NULL. A relative name with a folder, as
 * -ffile-prefix-map leaves it, stands for the only file whose path ends so, and one of Go may begin
 * with its module.
 */
void source_paths(const char *const *names, size_t n, const char *commit, struct arena *arena,
	const char **paths);

#endif
