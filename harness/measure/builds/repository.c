#include "builds/repository.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "builds/git.h"

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

/* Largest listing by git: some 100,000 commits. */
#define LIST_BYTES_MAX ((size_t)16 * 1024 * 1024)
/* Each ends with a NUL, which no part of a commit can have. */
#define FORMAT "--format=%H%x00%P%x00%at%x00%an%x00%s"
#define NFIELDS 5

static int
check_ancestor(
	const struct repository *repository, const char *good, const char *bad, struct err *err)
{
	if (strcmp(good, bad) == 0)
		return err_set(err, ERR_INPUT, "both are the commit %.12s", good);
	int forwards = git_is_ancestor(NULL, good, bad, err);

	if (forwards != 0)
		return forwards > 0 ? 0 : -1;
	int reverse = git_is_ancestor(NULL, bad, good, err);

	if (reverse < 0)
		return -1;
	err_set(err, ERR_INPUT, "%.12s is no ancestor of %.12s", good, bad);
	if (reverse)
		return err_note(
			err, "the commits are in the wrong order: the fast commit comes first");
	if (repository->shallow)
		return err_note(err,
			"this is a shallow clone, which lacks most commits: 'git fetch --unshallow'");
	return err_note(err, "their common ancestor: git merge-base %.12s %.12s", good, bad);
}

/* The next field goes to *field; false at the end. */
static bool
next_field(const char **at, const char *end, const char **field)
{
	const char *stop = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;

	if (!stop)
		return false;
	*field = *at;
	*at = stop + 1;
	return true;
}

static size_t
count_words(const char *text)
{
	size_t count = *text ? 1 : 0;

	for (; *text; text++)
		count += *text == ' ';
	return count;
}

/* One commit as git lists it; *parents is borrowed from the listing. */
static int
read_commit(struct commit_line *line, const char **at, const char *end, const char **parents,
	struct err *err)
{
	const char *fields[NFIELDS];

	for (size_t i = 0; i < NFIELDS; i++) {
		if (!next_field(at, end, &fields[i]))
			return err_set(
				err, ERR_INPUT, "the list of commits from git is incomplete");
	}
	if (!git_is_commit(fields[0]))
		return err_set(err, ERR_INPUT, "git lists '%s' as a commit", fields[0]);
	line->commits = mem_grow(
		line->commits, &line->capacity, line->ncommits + 1, sizeof(*line->commits));
	line->commits[line->ncommits++] = (struct commit_of_line){
		.commit = arena_strdup(&line->arena, fields[0]),
		.nparents = count_words(fields[1]),
		.authored = strtoll(fields[2], NULL, 10),
		.author = arena_strdup(&line->arena, fields[3]),
		.subject = arena_strdup(&line->arena, fields[4]),
	};
	*parents = fields[1];
	return 0;
}

/*
 * Adds the commits that git lists with `option` for `range`, the oldest first. `parents` gets those
 * of the first.
 */
static int
add_commits(struct commit_line *line, const char *option, const char *range, struct buf *parents,
	struct err *err)
{
	const char *const args[] = {"log", "-z", "-s", "--reverse", "--no-show-signature",
		"--encoding=UTF-8", FORMAT, option, range, "--", NULL};
	struct tool_output output;
	int result = git_run_up_to(&output, LIST_BYTES_MAX, NULL, args, err);
	const char *at = buf_text(&output.out);
	const char *end = at + output.out.len;

	if (result == 0 && output.out.len >= LIST_BYTES_MAX)
		result = err_set(err, ERR_INPUT, "there are too many commits between them");
	while (result == 0 && at < end) {
		const char *of_commit = "";

		result = read_commit(line, &at, end, &of_commit, err);
		if (result == 0 && parents->len == 0)
			buf_puts(parents, of_commit);
	}
	tool_output_release(&output);
	return result;
}

static int
read_line(struct commit_line *line, const char *good, const char *bad, struct err *err)
{
	char *range = mem_printf("%s..%s", good, bad);
	struct buf ignored = {0};
	struct buf parents = {0};
	int result = add_commits(line, "--max-count=1", good, &ignored, err);

	if (result == 0)
		result = add_commits(line, "--first-parent", range, &parents, err);
	if (result == 0 && strncmp(buf_text(&parents), good, strlen(good)) != 0)
		log_info(
			"%.12s was merged into the line of %.12s: of that line, all that %.12s does not have is searched",
			good, bad, good);
	buf_release(&ignored);
	buf_release(&parents);
	free(range);
	return result;
}

int
commit_line_read(struct commit_line *line, const struct repository *repository, const char *good,
	const char *bad, struct err *err)
{
	*line = (struct commit_line){0};
	if (check_ancestor(repository, good, bad, err) == 0 && read_line(line, good, bad, err) == 0)
		return 0;
	commit_line_release(line);
	return -1;
}

void
commit_line_release(struct commit_line *line)
{
	free(line->commits);
	arena_release(&line->arena);
	*line = (struct commit_line){0};
}
