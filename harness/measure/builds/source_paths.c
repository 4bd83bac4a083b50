/*
 * The paths and URLs, in the repository, of source files that debug information names by other
 * folders.
 */
#include "builds/source_paths.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Files per call of git, so that its output is mostly not truncated. */
#define FILES_AT_ONCE 256

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define GO_MODULE_FILE "go.mod"
#define BLANKS " \t\r"

/*
 * A module of Go in the repository: with -trimpath, a program's debug information has source files
 * by module and not by folder, "example.org/tool/parse/lex.go".
 */
struct go_module {
	const char *name;   /* "example.org/tool" */
	const char *folder; /* in the repository, with its '/'; "" at the top */
};

struct go_modules {
	struct go_module *modules; /* owned; what it points to is the arena's */
	size_t count;
	size_t capacity;
};

/* "module example.org/tool // comment"; the name may be quoted. NULL: it has none. */
static const char *
read_name(char *line, struct arena *arena)
{
	char *name = line + strcspn(line, BLANKS);

	name += strspn(name, BLANKS "\"`");
	name[strcspn(name, BLANKS "\"`")] = '\0';
	return *name ? arena_strdup(arena, name) : NULL;
}

static void
add_module(struct go_modules *modules, const char *path, char *line, struct arena *arena)
{
	const size_t len = strlen(path);
	const char *name = read_name(line, arena);

	if (!name || len < sizeof(GO_MODULE_FILE) - 1)
		return;
	modules->modules = mem_grow(modules->modules, &modules->capacity, modules->count + 1,
		sizeof(*modules->modules));
	modules->modules[modules->count++] = (struct go_module){
		name, arena_printf(arena, "%.*s", (int)(len - (sizeof(GO_MODULE_FILE) - 1)), path)};
}

/* Reads the go.mod files that git has below `top`; none where there are none. */
static void
go_modules_read(struct go_modules *modules, const char *top, struct arena *arena)
{
	static const char files[] = ":(top,glob)**/" GO_MODULE_FILE;
	static const char *const args[] = {"grep", "-z", "--no-color", "--no-line-number",
		"--no-column", "--full-name", "-I", "-E", "^module[[:space:]]", "--", files, NULL};
	struct tool_output output = {0};
	struct err ignored = {0};

	*modules = (struct go_modules){0};
	if (git_run(&output, top, args, &ignored) == 0 && output.status == 0) {
		/* Each is a path, ended by a null character, and its line. */
		for (char *at = output.out.data, *end = at + output.out.len; at < end;) {
			char *line = at + strlen(at) + 1;
			char *next = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;

			if (!next)
				break;
			*next = '\0';
			add_module(modules, at, line, arena);
			at = next + 1;
		}
	}
	tool_output_release(&output);
}

static void
go_modules_release(struct go_modules *modules)
{
	free(modules->modules);
	*modules = (struct go_modules){0};
}

/* The path in the repository that a file of a module has; NULL where it is in none of them. */
static const char *
go_modules_path(const struct go_modules *modules, const char *name, struct arena *arena)
{
	const struct go_module *found = NULL;
	size_t found_len = 0;

	/* A module may be within another. */
	for (size_t i = 0; i < modules->count; i++) {
		const size_t len = strlen(modules->modules[i].name);

		if (len > found_len && strncmp(name, modules->modules[i].name, len) == 0 &&
			name[len] == '/') {
			found = &modules->modules[i];
			found_len = len;
		}
	}
	return found ? arena_printf(arena, "%s%s", found->folder, name + found_len + 1) : NULL;
}

/* Runs git in `top` with `fixed` and then `more`; false if it fails, or prints too much. */
static bool
list_files(struct tool_output *output, const char *top, const char *const *fixed, size_t nfixed,
	const char *const *more, size_t nmore)
{
	const char **args = mem_zalloc(nfixed + nmore + 1, sizeof(*args));
	struct err ignored = {0};

	memcpy(args, fixed, nfixed * sizeof(*args));
	memcpy(args + nfixed, more, nmore * sizeof(*args));
	bool good = git_run(output, top, args, &ignored) == 0 && output->status == 0 &&
		    output->out.len < TOOL_OUTPUT_MAX;

	free(args);
	return good;
}

/* Sets those of the paths to NULL that `commit` does not have. */
static void
drop_unknown(const char **paths, size_t n, const char *top, const char *commit)
{
	const char *const fixed[] = {
		"--literal-pathspecs", "ls-tree", "-z", "--name-only", "--full-tree", commit, "--"};
	const char *wanted[FILES_AT_ONCE];
	struct tool_output output = {0};
	size_t nwanted = 0;

	for (size_t i = 0; i < n; i++)
		if (paths[i])
			wanted[nwanted++] = paths[i];
	bool good = nwanted > 0 && list_files(&output, top, fixed, COUNT(fixed), wanted, nwanted);

	for (size_t i = 0; i < n; i++) {
		const char *at = buf_text(&output.out);
		const char *end = at + (good ? output.out.len : 0);

		while (paths[i] && at < end && strcmp(at, paths[i]) != 0)
			at += strlen(at) + 1;
		paths[i] = at < end ? paths[i] : NULL;
	}
	tool_output_release(&output);
}

/*
 * The part after the folder that a prefix map replaced by "."; NULL if it cannot identify a file.
 */
static const char *
end_of(const char *name)
{
	while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
		name = strchr(name, '/') + 1;
	return *name != '/' && strchr(name, '/') && !strpbrk(name, "*?[\\") ? name : NULL;
}

static bool
ends_with(const char *path, const char *end)
{
	size_t len = strlen(path);
	size_t end_len = strlen(end);

	return len > end_len && path[len - end_len - 1] == '/' &&
	       strcmp(path + len - end_len, end) == 0;
}

/* Sets paths that are NULL to the file whose path ends with the name, if there is exactly one. */
static void
find_by_end(const char *const *names, size_t n, const char *top, struct arena *arena,
	const char **paths)
{
	static const char *const fixed[] = {"--glob-pathspecs", "ls-files", "-z", "--"};
	const char *ends[FILES_AT_ONCE];
	const char *wanted[FILES_AT_ONCE];
	size_t nfound[FILES_AT_ONCE] = {0};
	struct tool_output output = {0};
	size_t nwanted = 0;

	for (size_t i = 0; i < n; i++) {
		ends[i] = paths[i] ? NULL : end_of(names[i]);
		if (ends[i])
			wanted[nwanted++] = arena_printf(arena, "**/%s", ends[i]);
	}
	bool good = nwanted > 0 && list_files(&output, top, fixed, COUNT(fixed), wanted, nwanted);
	const char *end = buf_text(&output.out) + (good ? output.out.len : 0);

	for (const char *at = buf_text(&output.out); at < end; at += strlen(at) + 1)
		for (size_t i = 0; i < n; i++)
			if (ends[i] && ends_with(at, ends[i]))
				paths[i] = nfound[i]++ == 0 ? arena_strdup(arena, at) : NULL;
	tool_output_release(&output);
}

/* "example.org/tool/lex.go" */
static bool
is_of_go(const char *name)
{
	const size_t len = strlen(name);

	return *name != '/' && len > 3 && strcmp(name + len - 3, ".go") == 0;
}

/* The paths of files that have the name of a module of Go. */
static void
find_by_module(const char *const *names, size_t n, const char *top, struct arena *arena,
	const char **paths)
{
	struct go_modules modules;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any = any || (!paths[i] && is_of_go(names[i]));
	if (!any)
		return;
	go_modules_read(&modules, top, arena);
	for (size_t i = 0; i < n; i++) {
		const char *name = names[i];

		while (strncmp(name, "./", 2) == 0)
			name += 2;
		if (!paths[i])
			paths[i] = go_modules_path(&modules, name, arena);
	}
	go_modules_release(&modules);
}

/* The path of a file that is below `top`; NULL where it is not there. */
static const char *
path_of(const char *name, const char *top, struct arena *arena)
{
	char *joined = file_join(top, name);
	char *real = realpath(name, NULL);

	if (!real && *name != '/')
		real = realpath(joined, NULL);
	const char *below = real ? file_path_below(real, top) : NULL;
	const char *path = below ? arena_strdup(arena, below) : NULL;

	free(real);
	free(joined);
	return path;
}

void
source_paths(const char *const *names, size_t n, const char *commit, struct arena *arena,
	const char **paths)
{
	char *line = git_is_commit(commit) ? git_top() : NULL;
	char *top = line ? realpath(line, NULL) : NULL;

	for (size_t i = 0; i < n; i++)
		paths[i] = top ? path_of(names[i], top, arena) : NULL;
	if (top)
		find_by_module(names, n, top, arena, paths);
	for (size_t at = 0; top && at < n; at += FILES_AT_ONCE) {
		size_t some = n - at < FILES_AT_ONCE ? n - at : FILES_AT_ONCE;

		find_by_end(&names[at], some, top, arena, &paths[at]);
		drop_unknown(&paths[at], some, top, commit);
	}
	free(top);
	free(line);
}

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
