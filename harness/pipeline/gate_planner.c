#include "pipeline/gate_planner.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The default branch is the first of these that there is. */
static const char *const default_branches[] = {
	"origin/HEAD", "origin/main", "origin/master", "main", "master"};

/* The merge base of HEAD with the default branch; HEAD itself is none. */
static void
find_merge_base(struct gate_planner *planner)
{
	const size_t n = sizeof(default_branches) / sizeof(default_branches[0]);

	for (size_t i = 0; i < n && !planner->default_branch; i++) {
		char *commit = mem_printf("%s^{commit}", default_branches[i]);
		const char *const find[] = {"rev-parse", "--verify", "--quiet", commit, NULL};
		const char *const merge_base[] = {"merge-base", "HEAD", commit, NULL};
		struct err ignored = {0};
		char *found = git_line(NULL, find, &ignored);
		char *base = found ? git_line(NULL, merge_base, &ignored) : NULL;

		if (found)
			planner->default_branch = default_branches[i];
		if (base && git_is_commit(base) && strcmp(base, planner->head) != 0)
			snprintf(planner->merge_base, sizeof(planner->merge_base), "%s", base);
		free(base);
		free(found);
		free(commit);
	}
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
