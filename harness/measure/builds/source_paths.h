/*
 * The places in the current repository of the source files that debug information names: their
 * paths, and the URL by which a browser finds them.
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

/*
 * The URL of the current repository's source files in a browser, derived from the address of its
 * remote, if the URLs of that host are known.
 */

/*
 * The pattern of URLs (config_is_source_url()) for a remote's address: https, ssh, or
 * git@host:path, of GitHub, GitLab, Gitea, Forgejo or Codeberg. User and password are left out.
 * NULL where there is none; free() it.
 */
char *source_url_of_remote(const char *remote);

/* The same for the remote of the repository here: "origin", or else the first. */
char *source_url_here(void);

#endif
