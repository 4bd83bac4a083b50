/* Reading the latest commits, by git log, with the owners of the files that each changed. */
#include "builds/recent_commits.h"

#include "base/mem.h"
#include "builds/code_owners.h"
#include "builds/git.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_BYTES_MAX ((size_t)64 * 1024 * 1024)
/* Begins with an empty text, which no name of a file is. */
#define FORMAT "--format=%x00%H%x00%an%x00%s"
#define NFIELDS 4
#define COUNT_DIGITS 24

/* Reads one commit and the names of its files; false at the end. */
static bool
read_commit(struct recent_commits *commits, const char **at, const char *end,
	const struct code_owners *owners)
{
	const char *fields[NFIELDS];
	struct buf all = {0};

	for (size_t i = 0; i < NFIELDS; i++) {
		fields[i] = git_next_text(at, end);
		if (!fields[i])
			return false;
	}
	if (fields[0][0] != '\0' || !git_is_commit(fields[1]))
		return false;
	while (*at < end && **at != '\0') {
		const char *name = git_next_text(at, end);

		if (!name)
			break;
		/* git puts a newline ahead of the first name. */
		code_owners_add(&all, code_owners_of(owners, name + (name[0] == '\n')));
	}
	commits->items = mem_grow(
		commits->items, &commits->capacity, commits->count + 1, sizeof(*commits->items));
	commits->items[commits->count++] = (struct recent_commit){
		.commit = arena_strdup(&commits->arena, fields[1]),
		.author = arena_strdup(&commits->arena, fields[2]),
		.subject = arena_strdup(&commits->arena, fields[3]),
		.owners = arena_strdup(&commits->arena, buf_text(&all)),
	};
	buf_release(&all);
	return true;
}

void
recent_commits_read(struct recent_commits *commits, size_t most)
{
	char *top = git_top();
	struct code_owners owners = {0};
	char count[COUNT_DIGITS];

	if (!top)
		return;
	code_owners_read(&owners, top);
	free(top);
	snprintf(count, sizeof(count), "-n%zu", most);
	/* Listing the files takes longer than listing the commits, so only where there are owners.
	 */
	const char *const args[] = {"log", "-z", "--first-parent", "--no-show-signature",
		"--encoding=UTF-8", "-m", count, FORMAT, owners.count > 0 ? "--name-only" : "-s",
		"HEAD", "--", NULL};
	struct tool_output output;
	struct err ignored = {0};

	if (git_run_up_to(&output, LIST_BYTES_MAX, NULL, args, &ignored) == 0) {
		const char *at = buf_text(&output.out);
		const char *end = at + output.out.len;

		while (read_commit(commits, &at, end, &owners))
			continue;
	}
	tool_output_release(&output);
	code_owners_release(&owners);
}

void
recent_commits_release(struct recent_commits *commits)
{
	arena_release(&commits->arena);
	free(commits->items);
	*commits = (struct recent_commits){0};
}

static size_t
find(const struct recent_commits *commits, const char *commit)
{
	size_t i = 0;

	while (i < commits->count && strcmp(commits->items[i].commit, commit) != 0)
		i++;
	return i;
}

const struct recent_commit *
recent_commits_between(
	const struct recent_commits *commits, const char *before, const char *after, size_t *n)
{
	const size_t from = find(commits, after);
	const size_t to = find(commits, before);

	*n = to < commits->count && from < to ? to - from : 0;
	return commits->items ? &commits->items[from < commits->count ? from : 0] : NULL;
}
