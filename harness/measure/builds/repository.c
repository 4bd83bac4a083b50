/*
 * The repository of the current folder: its folders, its branches, and naming and resolving
 * commits.
 */
#include "builds/repository.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "builds/own_output.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A path made absolute, without links. */
static char *
real_path(const char *path, struct err *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot find '%s'", path);
	return real;
}

/* Reads what git says of the current folder, a line each. */
static int
read_folders(struct repository *repository, char *text, struct err *err)
{
	char *lines[4];
	char *rest = text;

	for (size_t i = 0; i < 4; i++)
		lines[i] = strsep(&rest, "\n");
	if (!lines[3] || rest)
		return err_set(err, ERR_INPUT,
			"the folder of the git repository has a line break in its name: rename it");
	repository->shallow = strcmp(lines[0], "true") == 0;
	repository->prefix = mem_strdup(lines[1]);
	repository->top = real_path(lines[2], err);
	if (repository->top)
		repository->common = real_path(lines[3], err);
	return repository->common ? 0 : -1;
}

int
repository_open(struct repository *repository, struct err *err)
{
	static const char *const args[] = {"rev-parse", "--is-shallow-repository", "--show-prefix",
		"--show-toplevel", "--git-common-dir", NULL};
	char *text = git_line(NULL, args, err);
	int result;

	*repository = (struct repository){0};
	if (text) {
		result = read_folders(repository, text, err);
	} else {
		result = -1;
		if (err->kind == ERR_INPUT)
			err_note(err, "start profile_run in the git repository of the commit");
		if (err->kind == ERR_INPUT && getenv("GIT_DIR"))
			err_note(err, "GIT_DIR is set; it is ignored");
	}
	if (result < 0)
		repository_release(repository);
	free(text);
	return result;
}

void
repository_release(struct repository *repository)
{
	free(repository->top);
	free(repository->prefix);
	free(repository->common);
	*repository = (struct repository){0};
}

/* Text that the user may paste: only characters without a meaning to a shell. */
static bool
is_plain(const char *ref)
{
	return ref[strspn(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
			       "_./-+")] == '\0';
}

/* Git does not fetch by such a one. A branch may have such a name, but rarely has. */
static bool
is_hash_in_part(const char *ref)
{
	const size_t len = strlen(ref);

	return len >= 4 && len < 40 && strspn(ref, "0123456789abcdef") == len &&
	       strpbrk(ref, "0123456789");
}

static void
note_fetch(const struct repository *repository, const char *ref, struct err *err)
{
	const char *depth = repository->shallow ? "--depth=1 " : "";
	const char *branch = repository_local_name(ref);

	if (repository->shallow)
		err_note(err,
			"this is a shallow clone, which lacks most commits: fetch all ('fetch-depth: 0' of actions/checkout, 'git fetch --unshallow')");
	if (!is_plain(ref))
		return;
	if (branch != ref)
		err_note(err, "to fetch it: git fetch %sorigin %s:refs/remotes/origin/%s", depth,
			branch, branch);
	else if (git_is_commit(ref))
		err_note(err, "to fetch it: git fetch %sorigin %s", depth, ref);
	else if (is_hash_in_part(ref))
		err_note(err,
			"git fetches a commit by its whole hash only: to fetch it: git fetch %sorigin HASH, with all 40 digits",
			depth);
	else
		err_note(err, "to fetch it: git fetch %sorigin %s, and name it FETCH_HEAD", depth,
			ref);
}

int
repository_resolve(const struct repository *repository, const char *option, const char *ref,
	char commit[GIT_COMMIT_SIZE], struct err *err)
{
	/* It may name a folder or a file as well. */
	bool against = strcmp(option, "--against") == 0;

	/* No commit is named so, and git would read an option. */
	if (ref[0] == '-' || ref[0] == '\0')
		return err_set(err, ERR_USAGE, "'%s %s': expected a commit%s", option, ref,
			against ? ", a folder or a YAML file" : "");
	char *wanted = mem_printf("%s^{commit}", ref);
	const char *const args[] = {"rev-parse", "--verify", "--quiet", wanted, NULL};
	struct tool_output output;
	int result = git_run(&output, NULL, args, err);

	if (result == 0) {
		char *line = tool_line(&output);

		/* "^main" is a revision, too, but not a commit. */
		if (output.status == 0 && git_is_commit(line)) {
			memcpy(commit, line, strlen(line) + 1);
		} else {
			result = err_set(err, ERR_INPUT,
				"there is no commit '%s' in this repository%s", ref,
				against ? ", and no such folder" : "");
			tool_note_complaint(&output, err);
			note_fetch(repository, ref, err);
		}
		free(line);
	}
	tool_output_release(&output);
	free(wanted);
	return result;
}

char *
repository_commit_name(const char *ref, const char *commit)
{
	/* A hash, whole or in part, is shown by its beginning alone. */
	if (strncmp(ref, commit, strlen(ref)) == 0)
		return mem_printf("%.12s", commit);
	return mem_printf("%s (%.12s)", ref, commit);
}

/* Logs a sentence without its full stop, and adds it to the notes as one. */
static void
note(struct buf *notes, const char *sentence)
{
	log_info("%s", sentence);
	buf_printf(notes, "%s%c%s.", notes->len > 0 ? " " : "", toupper((unsigned char)*sentence),
		sentence + 1);
}

static void
note_ancestor(
	const struct repository *repository, const char *ref, const char *commit, struct buf *notes)
{
	struct err ignored = {0};
	char *sentence = NULL;

	if (git_is_ancestor(NULL, commit, "HEAD", &ignored) != 0)
		return;
	/* In a shallow clone also where the history ends too early to tell. */
	if (repository->shallow)
		sentence = mem_printf(
			"this is a shallow clone: commits of %s that are not in HEAD cannot be listed; they are part of the difference",
			ref);
	else
		sentence = mem_printf(
			"commits that are in %s but not in HEAD are part of the difference; to leave them out compare with $(git merge-base HEAD %s)",
			ref, ref);
	note(notes, sentence);
	free(sentence);
}

static void
note_changes(struct buf *notes)
{
	char *changed = NULL;

	if (own_output_find_change("HEAD", NULL, &changed) > 0)
		note(notes, "the working tree has uncommitted changes: it is judged, not HEAD");
	free(changed);
}

void
repository_note_differences(
	const struct repository *repository, const char *ref, const char *commit, struct buf *notes)
{
	note_ancestor(repository, ref, commit, notes);
	note_changes(notes);
}

const char *
repository_local_name(const char *branch)
{
	static const char remote[] = "origin/";
	const size_t len = sizeof(remote) - 1;

	return strncmp(branch, remote, len) == 0 ? branch + len : branch;
}

/* The name in the list's line of this reference; NULL if it has none. */
static char *
listed_name(const char *list, const char *ref)
{
	struct text_lines lines = {list, list + strlen(list)};
	const size_t len = strlen(ref);
	const char *line;
	size_t line_len;

	while ((line = text_next_line(&lines, &line_len))) {
		if (line_len > len && line[len] == ' ' && memcmp(line, ref, len) == 0)
			return mem_dup(line + len + 1, line_len - len - 1);
	}
	return NULL;
}

char *
repository_default_branch(void)
{
	static const char *const usual[] = {"refs/remotes/origin/HEAD", "refs/remotes/origin/main",
		"refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"};
	/* origin/HEAD has the name of the branch that it stands for. */
	static const char format[] =
		"--format=%(refname) %(if)%(symref)%(then)%(symref:short)%(else)%(refname:short)%(end)";
	const char *const args[] = {
		"for-each-ref", format, usual[0], usual[1], usual[2], usual[3], usual[4], NULL};
	struct err ignored = {0};
	char *list = git_line(NULL, args, &ignored);
	char *name = NULL;

	for (size_t i = 0; list && !name && i < sizeof(usual) / sizeof(usual[0]); i++)
		name = listed_name(list, usual[i]);
	free(list);
	return name;
}
