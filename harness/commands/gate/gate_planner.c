#include "gate/gate_planner.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/escape.h"
#include "builds/git.h"
#include "builds/repository.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Finds the merge base of HEAD with the default branch, unless it is HEAD itself.
 */
static void
find_merge_base(struct gate_planner *planner)
{
	char *branch = repository_default_branch();
	const char *const merge_base[] = {"merge-base", "HEAD", branch, NULL};
	struct err ignored = {0};
	char *base = branch ? git_line(NULL, merge_base, &ignored) : NULL;

	if (branch)
		planner->default_branch = arena_strdup(&planner->arena, branch);
	if (base && git_is_commit(base) && strcmp(base, planner->head) != 0)
		snprintf(planner->merge_base, sizeof(planner->merge_base), "%s", base);
	free(base);
	free(branch);
}

void
gate_planner_init(struct gate_planner *planner)
{
	struct err ignored = {0};

	planner->has_repository = repository_open(&planner->repository, &ignored) == 0;
	if (!planner->has_repository)
		return;
	git_head(NULL, planner->head);
	find_merge_base(planner);
}

void
gate_planner_release(struct gate_planner *planner)
{
	if (planner->has_repository)
		repository_release(&planner->repository);
	arena_release(&planner->arena);
}

const char *
gate_command(struct gate_planner *planner, const char *name, const char *options)
{
	struct buf command = {0};

	buf_puts(&command, "profile_run gate ");
	escape_shell_word(&command, name);
	buf_printf(&command, " %s", options);
	const char *made = arena_strdup(&planner->arena, buf_text(&command));

	buf_release(&command);
	return made;
}
