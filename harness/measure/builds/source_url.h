/*
 * The URL of the current repository's source files in a browser, derived from the address of its
 * remote, if the URLs of that host are known.
 */
#ifndef BUILDS_SOURCE_URL_H
#define BUILDS_SOURCE_URL_H

/*
 * The pattern of URLs (config_is_source_url()) for a remote's address: https, ssh, or
 * git@host:path, of GitHub, GitLab, Gitea, Forgejo or Codeberg. User and password are left out.
 * NULL where there is none; free() it.
 */
char *source_url_of_remote(const char *remote);

/* The same for the remote of the repository here: "origin", or else the first. */
char *source_url_here(void);

#endif
