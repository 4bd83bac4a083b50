/*
 * The repository of the current folder: its folders, its branches, and naming and resolving
 * commits.
 */
#include "builds/repository.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/own_output.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "." or a relative path made absolute, without links; `path` is freed. */
static char *
real_path(char *path, struct err *err)
{
	char *real = path ? realpath(path, NULL) : NULL;

	if (path && !real)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot find '%s'", path);
	free(path);
	return real;
}

static char *
rev_parse(const char *what, struct err *err)
{
	const char *const args[] = {"rev-parse", what, NULL};

	return git_line(NULL, args, err);
}

int
repository_open(struct repository *repository, struct err *err)
{
	char *shallow = NULL;

	*repository = (struct repository){0};
	repository->top = real_path(rev_parse("--show-toplevel", err), err);
	if (repository->top)
		repository->prefix = rev_parse("--show-prefix", err);
	if (repository->prefix)
		repository->common = real_path(rev_parse("--git-common-dir", err), err);
	if (repository->common)
		shallow = rev_parse("--is-shallow-repository", err);
	if (!shallow) {
		if (err->kind == ERR_INPUT)
			err_note(err, "start profile_run in the git repository of the commit");
		if (err->kind == ERR_INPUT && getenv("GIT_DIR"))
			err_note(err, "GIT_DIR is set; it is ignored");
		repository_release(repository);
		return -1;
	}
	repository->shallow = strcmp(shallow, "true") == 0;
	free(shallow);
	return 0;
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

char *
repository_default_branch(void)
{
	static const char *const usual[] = {
		"origin/HEAD", "origin/main", "origin/master", "main", "master", NULL};
	char *name = NULL;

	for (size_t i = 0; usual[i] && !name; i++) {
		char *commit = mem_printf("%s^{commit}", usual[i]);
		const char *const find[] = {"rev-parse", "--verify", "--quiet", commit, NULL};
		/* The branch that origin/HEAD stands for. */
		const char *const shorten[] = {"rev-parse", "--abbrev-ref", usual[i], NULL};
		struct err ignored = {0};
		char *found = git_line(NULL, find, &ignored);

		name = found ? git_line(NULL, shorten, &ignored) : NULL;
		free(found);
		free(commit);
	}
	return name;
}
