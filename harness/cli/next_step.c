#include "cli/next_step.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "baseline/store.h"
#include "builds/repository.h"
#include "cli/root.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* "workload 'parse'", "2 workloads"; free() it. */
static char *
describe_workloads(const struct workload_list *list)
{
	return list->nworkloads == 1 ? mem_printf("workload '%s'", list->workloads[0].name)
				     : mem_printf("%zu workloads", list->nworkloads);
}

/*
 * Chooses the base for the working tree: the branch that it will be merged into, or, if that is
 * HEAD, its last commit. free() it.
 */
static char *
choose_base(const char *head)
{
	char *branch = repository_default_branch();
	const char *const args[] = {"rev-parse", branch, NULL};
	struct err ignored = {0};
	char *commit = branch ? git_line(NULL, args, &ignored) : NULL;

	if (!commit || strcmp(commit, head) == 0) {
		free(branch);
		branch = mem_strdup("HEAD");
	}
	free(commit);
	return branch;
}

static bool
has_baselines(const struct config *config)
{
	struct baseline_list stored;
	struct err ignored = {0};

	if (baseline_list_read(&stored, config->baselines_dir, &ignored) < 0)
		return false;
	const bool any = stored.nentries > 0;

	baseline_list_release(&stored);
	return any;
}

/* Adds the command that measures the workloads. */
static void
note_for_workloads(const struct config *config, const struct workload_list *list, struct err *err)
{
	char *workloads = describe_workloads(list);
	char head[GIT_COMMIT_SIZE];

	git_head(NULL, head);
	if (head[0]) {
		char *base = choose_base(head);
		struct buf word = {0};

		escape_shell_word(&word, base);
		err_note(err,
			"next: 'profile_run gate --against %s' compares the working tree's build with "
			"%s, by %s",
			buf_text(&word),
			strcmp(base, "HEAD") == 0 ? "its last commit's" : "that branch's",
			workloads);
		buf_release(&word);
		free(base);
	} else if (has_baselines(config)) {
		err_note(err, "next: 'profile_run gate' compares %s with the stored baselines",
			workloads);
	} else {
		err_note(err,
			"next: 'profile_run baseline update' records runs of %s, for 'profile_run gate' "
			"to compare with",
			workloads);
	}
	free(workloads);
}

/* Adds the command for a configuration that can be read. */
static void
note_for_config(const struct config *config, struct err *err)
{
	struct workload_list list = {0};
	struct err problem = {0};

	if (!file_is_dir(config->workloads_dir)) {
		err_note(err, "next: 'profile_run init -- COMMAND' writes a first workload");
	} else if (workload_list_read(&list, NULL, 0, config, &problem) < 0) {
		err_note(err, "next: correct the workloads: %.*s", (int)strcspn(problem.text, "\n"),
			problem.text);
	} else {
		note_for_workloads(config, &list, err);
		workload_list_release(&list);
	}
}

void
next_step_note(struct err *err)
{
	struct root root = {0};
	struct config config;
	struct err problem = {0};

	config_init(&config);
	root_enter(&root);
	if (file_exists(CONFIG_PATH) && config_read(&config, CONFIG_PATH, &problem) < 0)
		err_note(err, "next: correct the configuration: %.*s",
			(int)strcspn(problem.text, "\n"), problem.text);
	else
		note_for_config(&config, err);
	config_release(&config);
	root_release(&root);
}
