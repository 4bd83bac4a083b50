/* Knowing files that profile_run wrote, by their names and how they begin. */
#include "builds/own_output.h"

#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The beginning of a file, without white space, which JSON may have anywhere; "": none. */
static void
read_beginning(const char *path, char text[64])
{
	char read_text[64];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t len = fd >= 0 ? read(fd, read_text, sizeof(read_text) - 1) : 0;
	size_t kept = 0;

	for (ssize_t i = 0; i < len && read_text[i] != '\0'; i++)
		if (!strchr(" \t\r\n", read_text[i]))
			text[kept++] = read_text[i];
	text[kept] = '\0';
	if (fd >= 0)
		close(fd);
}

static bool
file_begins_with(const char *path, const char *beginning)
{
	char text[64];

	read_beginning(path, text);
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool
is_verdict(const char *path)
{
	return file_begins_with(path, "{\"$schema\":\"urn:profile-run:");
}

/* Files known by name or beginning, wherever they are. A baseline is committed after its runs. */
static bool
is_own_by_name_or_contents(const char *path)
{
	static const char *const names[] = {"baseline.json", "runs.stacks", "runs.folded",
		"counts.json", "counts.stacks", "counts.folded"};
	const char *name = file_basename(path);
	bool is = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is = is || strcmp(name, names[i]) == 0;
	return is || is_verdict(path) || file_begins_with(path, "#profile_runhistory") ||
	       file_begins_with(path, "#profile_runcode1");
}

/* Whether this process prints to it: "profile_run gate >gate.log". */
static bool
is_printed_to(const char *path)
{
	struct stat file;
	struct stat own;
	bool is = false;

	if (stat(path, &file) < 0)
		return false;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		is = is || (fstat(fd, &own) == 0 && own.st_dev == file.st_dev &&
				   own.st_ino == file.st_ino);
	return is;
}

/* Whether a folder above it is that of a report. */
static bool
is_in_report(const char *path)
{
	char *folder = mem_strdup(path);
	bool is = false;

	for (char *slash = strrchr(folder, '/'); slash && slash != folder && !is;
		slash = strrchr(folder, '/')) {
		*slash = '\0';
		char *verdict = file_join(folder, "verdict.json");

		is = is_verdict(verdict);
		free(verdict);
	}
	free(folder);
	return is;
}

static bool
is_in_cache(const char *path)
{
	const char *xdg = getenv("XDG_CACHE_HOME");
	char *cache = xdg && *xdg ? realpath(xdg, NULL) : NULL;
	char *real = cache ? realpath(path, NULL) : NULL;
	char *own = cache ? file_join(cache, "profile_run/") : NULL;
	bool is = strstr(path, ".cache/profile_run/") ||
		  (real && strncmp(real, own, strlen(own)) == 0);

	free(own);
	free(real);
	free(cache);
	return is;
}

/* perf.data, of a capture folder or not: no program but ours and perf reads one. */
static bool
is_recording(const char *path)
{
	return file_begins_with(path, "PERFILE2");
}

/* A new folder of reports and of a history has one. */
static bool
is_for_git(const char *path)
{
	const char *name = file_basename(path);

	return strcmp(name, ".gitattributes") == 0 || strcmp(name, ".gitignore") == 0;
}

/*
 * Whether the file at `path` is one. A tracked file is one by its name or its contents; others also
 * by the folder of a report or of the cache that they are in, and where this process prints to
 * them.
 */
static bool
own_output_is(const char *path, bool tracked)
{
	if (is_own_by_name_or_contents(path))
		return true;
	return !tracked && (is_printed_to(path) || is_recording(path) || is_for_git(path) ||
				   is_in_report(path) || is_in_cache(path));
}

/* The folder that the paths of `git diff` are relative to, from here: "" or "../"; free() it. */
static char *
path_to_top(void)
{
	static const char *const args[] = {"rev-parse", "--show-cdup", NULL};
	struct err ignored = {0};
	char *up = git_line(NULL, args, &ignored);

	return up ? up : mem_strdup("");
}

int
own_output_find_other(const char *const *args, bool tracked,
	bool (*counts)(const char *path, bool tracked), char **found)
{
	struct err ignored = {0};
	char *list = git_line(NULL, args, &ignored);
	char *up = tracked ? path_to_top() : mem_strdup("");
	char *rest = NULL;
	/* A longer list is truncated. */
	int result = list && strlen(list) + 1 < TOOL_OUTPUT_MAX ? 0 : -1;

	*found = NULL;
	for (char *path = list ? strtok_r(list, "\n", &rest) : NULL; path && !*found;
		path = strtok_r(NULL, "\n", &rest)) {
		char *here = mem_printf("%s%s", up, path);

		if (!own_output_is(here, tracked) && (!counts || counts(path, tracked)))
			*found = mem_strdup(path);
		free(here);
	}
	free(up);
	free(list);
	return *found ? 1 : result;
}

int
own_output_find_change(
	const char *commit, bool (*counts)(const char *path, bool tracked), char **found)
{
	const char *const args[] = {
		"diff", "--name-only", "--ignore-submodules=none", commit, NULL};

	return own_output_find_other(args, true, counts, found);
}
