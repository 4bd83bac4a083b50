/*
 * Where the repository we stand in can be read in a browser: by the address of its remote, if that
 * is of a host whose way of naming files is known, and which of its files a commit has.
 */
#ifndef BUILDS_SOURCE_URL_H
#define BUILDS_SOURCE_URL_H

#include "base/arena.h"

#include <stddef.h>

/*
 * The pattern of URLs (config_is_source_url()) for a remote's address: https, ssh, or
 * git@host:path, of GitHub, GitLab, Gitea, Forgejo or Codeberg. User and password are left out.
 * NULL where there is none; free() it.
 */
char *source_url_of_remote(const char *remote);

/* The same for the remote of the repository here: "origin", or else the first. */
char *source_url_here(void);

/*
 * Sets paths[i] to the path in the repository of the file names[i], the arena's: where it is below
 * the root of the working tree here and `commit` has it; to NULL otherwise. A relative name with a
 * folder, as -ffile-prefix-map leaves it, is that of the one file which ends so.
 */
void source_paths(const char *const *names, size_t n, const char *commit, struct arena *arena,
	const char **paths);

#endif
