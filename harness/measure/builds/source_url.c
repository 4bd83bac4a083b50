#include "builds/source_url.h"

#include "base/buf.h"
#include "builds/git.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Part of a host's name, and its pattern of URLs for a line of a file. */
static const struct {
	const char *host;
	const char *pattern;
} hosts[] = {
	{"github", "/blob/{commit}/{path}#L{line}"},
	{"gitlab", "/-/blob/{commit}/{path}#L{line}"},
	{"codeberg", "/src/commit/{commit}/{path}#L{line}"},
	{"forgejo", "/src/commit/{commit}/{path}#L{line}"},
	{"gitea", "/src/commit/{commit}/{path}#L{line}"},
};

static const char *
pattern_of(const char *host)
{
	for (size_t i = 0; i < COUNT(hosts); i++)
		if (strcasestr(host, hosts[i].host))
			return hosts[i].pattern;
	return NULL;
}

/* Skips `start` if the text begins with it. */
static bool
skip(const char **text, const char *start)
{
	size_t len = strlen(start);

	if (strncmp(*text, start, len) != 0)
		return false;
	*text += len;
	return true;
}

/*
 * The pattern of URLs for a remote; free() it. NULL: its host is not known. `authority` has the
 * user and the host, `path` the rest of the address.
 */
static char *
url_of(const char *scheme, const char *authority, size_t len, const char *path)
{
	const char *user = memrchr(authority, '@', len);
	const char *host = user ? user + 1 : authority;
	struct buf url = {0};

	if (strcmp(scheme, "ssh") == 0)
		skip(&host, "ssh."); /* ssh.github.com */
	buf_printf(&url, "%s://", strncmp(scheme, "http", 4) == 0 ? scheme : "https");
	buf_put(&url, host, len - (size_t)(host - authority));
	const char *pattern = pattern_of(buf_text(&url));

	path += strspn(path, "/");
	size_t path_len = strlen(path);

	while (path_len > 0 && path[path_len - 1] == '/')
		path_len--;
	if (path_len > 4 && memcmp(path + path_len - 4, ".git", 4) == 0)
		path_len -= 4;
	buf_putc(&url, '/');
	buf_put(&url, path, path_len);
	buf_puts(&url, pattern ? pattern : "");
	if (pattern && memchr(path, '/', path_len) && config_is_source_url(buf_text(&url)))
		return url.data;
	buf_release(&url);
	return NULL;
}

char *
source_url_of_remote(const char *remote)
{
	static const char *const schemes[] = {"https", "http", "ssh", "git+ssh", "git"};
	const char *rest = strstr(remote, "://");

	if (!rest) {
		size_t len = strcspn(remote, ":/");

		return remote[len] == ':' ? url_of("ssh", remote, len, remote + len + 1) : NULL;
	}
	for (size_t i = 0; i < COUNT(schemes); i++) {
		const char *authority = remote;

		if (!skip(&authority, schemes[i]) || authority != rest)
			continue;
		skip(&authority, "://");
		const char *path = authority + strcspn(authority, "/");
		size_t len = (size_t)(path - authority);

		/* The port of ssh is not that of the web server. */
		if (i >= 2) {
			const char *user = memrchr(authority, '@', len);
			const char *port = memrchr(authority, ':', len);

			if (port && port > (user ? user : authority))
				len = (size_t)(port - authority);
		}
		return url_of(i >= 2 ? "ssh" : schemes[i], authority, len, path);
	}
	return NULL;
}

char *
source_url_here(void)
{
	static const char *const list[] = {"remote", NULL};
	const char *get[] = {"remote", "get-url", "origin", NULL};
	struct err ignored = {0};
	char *remotes = NULL;
	char *remote = git_line(NULL, get, &ignored);

	if (!remote && (remotes = git_line(NULL, list, &ignored)) && *remotes && *remotes != '-') {
		remotes[strcspn(remotes, "\n")] = '\0';
		get[2] = remotes;
		remote = git_line(NULL, get, &ignored);
	}
	if (remote)
		remote[strcspn(remote, "\n")] = '\0';
	char *url = remote ? source_url_of_remote(remote) : NULL;

	free(remotes);
	free(remote);
	return url;
}
