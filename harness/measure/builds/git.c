/* Running git with an environment in which only its repository and its objects count. */
#include "builds/git.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * A commit is what its hash names: objects that `git replace` or a graft puts in its place are
 * ignored. No file is beneath /dev/null; git warns of an empty file of grafts. Paths have git's
 * ordinary syntax. The rest is `git rev-parse --local-env-vars`, without those that only carry
 * configuration.
 */
static const char *const env[] = {
	"GIT_TERMINAL_PROMPT=0",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=/dev/null/none",
	"GIT_GLOB_PATHSPECS",
	"GIT_ICASE_PATHSPECS",
	"GIT_LITERAL_PATHSPECS",
	"GIT_NOGLOB_PATHSPECS",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR",
	"GIT_DIR",
	"GIT_IMPLICIT_WORK_TREE",
	"GIT_INDEX_FILE",
	"GIT_INTERNAL_SUPER_PREFIX",
	"GIT_NAMESPACE",
	"GIT_OBJECT_DIRECTORY",
	"GIT_PREFIX",
	"GIT_QUARANTINE_PATH",
	"GIT_SHALLOW_FILE",
	"GIT_WORK_TREE",
	NULL,
};

/* Behind the assignments. */
#define FIRST_LOCAL 3

const char *const *const git_local_variables = env + FIRST_LOCAL;

/*
 * Ahead of every command. The user's hooks are for his own checkouts; a process that git left
 * running would be our child and keep files open in the worktree. A commit can contain a folder
 * that looks like a bare repository: git is not to take it for ours.
 */
static const char *const always[] = {
	"git",
	"-c",
	"core.hooksPath=/dev/null",
	"-c",
	"core.fsmonitor=false",
	"-c",
	"gc.auto=0",
	"-c",
	"maintenance.auto=false",
	"-c",
	"safe.bareRepository=explicit",
};

#define NALWAYS (sizeof(always) / sizeof(always[0]))

static int
run_up_to(struct tool_output *output, size_t most_bytes, const char *folder,
	const char *const *args, struct err *err)
{
	size_t nargs = 0;

	while (args[nargs])
		nargs++;
	const char **argv = mem_zalloc(NALWAYS + nargs + 1, sizeof(*argv));

	memcpy(argv, always, sizeof(always));
	memcpy(argv + NALWAYS, args, nargs * sizeof(*argv));
	int result = tool_run_up_to(output, most_bytes, argv, env, folder, err);

	free(argv);
	return result;
}

int
git_run(struct tool_output *output, const char *folder, const char *const *args, struct err *err)
{
	return run_up_to(output, TOOL_OUTPUT_MAX, folder, args, err);
}

int
git_run_up_to(struct tool_output *output, size_t most_bytes, const char *folder,
	const char *const *args, struct err *err)
{
	if (run_up_to(output, most_bytes, folder, args, err) < 0)
		return -1;
	if (output->status == 0)
		return 0;
	err_set(err, ERR_INPUT, "'git %s' failed with status %d", args[0], output->status);
	tool_note_complaint(output, err);
	return -1;
}

char *
git_line(const char *folder, const char *const *args, struct err *err)
{
	struct tool_output output;
	char *line = git_run_up_to(&output, TOOL_OUTPUT_MAX, folder, args, err) == 0
			     ? tool_line(&output)
			     : NULL;

	tool_output_release(&output);
	return line;
}

int
git_run_checked(const char *folder, const char *const *args, struct err *err)
{
	struct tool_output output;
	int result = git_run_up_to(&output, TOOL_OUTPUT_MAX, folder, args, err);

	tool_output_release(&output);
	return result;
}

const char *
git_next_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *stop = memchr(text, '\0', (size_t)(end - text));

	if (stop)
		*at = stop + 1;
	return stop ? text : NULL;
}

char *
git_top(void)
{
	static const char *const args[] = {"rev-parse", "--show-toplevel", NULL};
	struct err ignored = {0};

	return git_line(NULL, args, &ignored);
}

bool
git_is_tracked(const char *path)
{
	const char *const args[] = {"ls-files", "--error-unmatch", "--", path, NULL};
	struct err ignored = {0};

	return git_run_checked(NULL, args, &ignored) == 0;
}

bool
git_is_commit(const char *text)
{
	size_t len = strspn(text, "0123456789abcdef");

	return (len == 40 || len == 64) && text[len] == '\0';
}

int
git_is_ancestor(const char *folder, const char *commit, const char *of, struct err *err)
{
	const char *const args[] = {"merge-base", "--is-ancestor", commit, of, NULL};
	struct tool_output output;
	int result = git_run(&output, folder, args, err);

	if (result == 0 && output.status > 1) {
		result = err_set(err, ERR_INPUT, "git cannot compare %.12s with %.12s", commit, of);
		tool_note_complaint(&output, err);
	} else if (result == 0) {
		result = output.status == 0;
	}
	tool_output_release(&output);
	return result;
}

void
git_head(const char *folder, char commit[GIT_COMMIT_SIZE])
{
	static const char *const args[] = {"rev-parse", "--verify", "--quiet", "HEAD", NULL};
	struct err ignored = {0};
	char *line = git_line(folder, args, &ignored);

	commit[0] = '\0';
	if (line && git_is_commit(line))
		memcpy(commit, line, strlen(line) + 1);
	free(line);
}
