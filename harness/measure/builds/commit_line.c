/* Reading the line of commits from one to another, by git log. */
#include "builds/commit_line.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

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
		fields[i] = git_next_text(at, end);
		if (!fields[i])
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
