#include "baseline/promotion.h"

#include "builds/own_output.h"
#include "builds/repository.h"
#include "output/report.h"
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

static const char *const usual_main[] = {"origin/HEAD", "origin/main", "origin/master", NULL};

static bool
has_workload(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->nworkloads; i++) {
		if (strcmp(report->workloads[i].judgement->input.workload->name, name) == 0)
			return true;
	}
	return false;
}

static int
check_verdict(const struct report *report, const char *path, const struct workload_list *workloads,
	struct err *err)
{
	if (report->shard)
		return err_set(err, ERR_INPUT, "'%s' is of a shard: merge the shards first", path);
	if (report->interrupted || report->exit_code != 0 ||
		(report->status != STATUS_PASS && report->status != STATUS_WARN))
		return err_set(err, ERR_INPUT, "'%s' did not pass: its verdict is %s", path,
			report->interrupted ? "incomplete" : status_word(report->status));
	for (size_t i = 0; i < workloads->nworkloads; i++) {
		if (!has_workload(report, workloads->workloads[i].name))
			return err_set(err, ERR_INPUT, "'%s' is not of '%s'", path,
				workloads->workloads[i].name);
	}
	return 0;
}

/* Checks that the working tree is the one that the report is of. */
static int
check_commit(const struct report *report, const char *path, struct err *err)
{
	char head[GIT_COMMIT_SIZE];
	char *changed = NULL;
	int result = own_output_find_change("HEAD", NULL, &changed);

	if (result < 0)
		return err_set(err, ERR_INPUT, "git cannot list the changes here");
	git_head(NULL, head);
	if (result > 0)
		result = err_set(
			err, ERR_INPUT, "the working tree has uncommitted changes: '%s'", changed);
	else if (!report->commit || strcmp(head, report->commit) != 0)
		result = err_set(err, ERR_INPUT,
			"'%s' is of commit %.12s, and %.12s is checked out", path,
			report->commit && report->commit[0] ? report->commit : "?", head);
	free(changed);
	return result;
}

static int
find_main(const struct repository *repository, const char *ref, char commit[GIT_COMMIT_SIZE],
	struct err *err)
{
	if (ref)
		return repository_resolve(repository, "--main", ref, commit, err);
	for (size_t i = 0; usual_main[i]; i++) {
		struct err missing = {0};

		if (repository_resolve(repository, "--main", usual_main[i], commit, &missing) == 0)
			return 0;
	}
	return err_set(err, ERR_INPUT, "the main branch is not known: name it with '--main REF'");
}

static int
check_branch(const char *ref, struct err *err)
{
	struct repository repository;
	char main_commit[GIT_COMMIT_SIZE];

	if (repository_open(&repository, err) < 0)
		return -1;
	int result = find_main(&repository, ref, main_commit, err);

	if (result == 0) {
		int is_on_main = git_is_ancestor(NULL, "HEAD", main_commit, err);

		if (is_on_main == 0)
			err_set(err, ERR_INPUT,
				"the checked-out commit is not on the main branch (%.12s)",
				main_commit);
		result = is_on_main > 0 ? 0 : -1;
	}
	repository_release(&repository);
	return result;
}

int
promotion_check(
	const struct promotion *promotion, const struct workload_list *workloads, struct err *err)
{
	struct replay *replay = replay_open(promotion->report, err);

	if (!replay)
		return -1;
	const struct report *report = replay_report(replay);
	int result = check_verdict(report, promotion->report, workloads, err);

	if (result == 0)
		result = check_commit(report, promotion->report, err);
	if (result == 0)
		result = check_branch(promotion->main_ref, err);
	replay_close(replay);
	return result == 0 ? 0 : err_note(err, "no baseline was changed");
}
