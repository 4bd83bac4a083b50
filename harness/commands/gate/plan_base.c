#include "gate/plan_base.h"

#include "base/arena.h"
#include "base/mem.h"
#include "baseline/store.h"
#include "builds/build_side.h"
#include "builds/git.h"
#include "builds/identity.h"
#include "builds/new_workload.h"
#include "builds/repository.h"
#include "gate/gate_planner.h"
#include "gate/gate_workload.h"
#include "measurement/measurement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void
gate_bases_release(struct gate_bases *bases)
{
	for (size_t i = 0; i < bases->nsides; i++) {
		build_side_release(bases->sides[i]);
		free(bases->sides[i]);
	}
	free(bases->sides);
	*bases = (struct gate_bases){0};
}

const struct build_side *
gate_bases_open(struct gate_bases *bases, const struct repository *repository, const char *commit,
	struct err *err)
{
	for (size_t i = 0; i < bases->nsides; i++) {
		if (strcmp(bases->sides[i]->commit, commit) == 0)
			return bases->sides[i];
	}
	struct build_side *side = mem_zalloc(1, sizeof(*side));

	if (build_side_of_commit(side, repository, commit, bases->anew, err) < 0) {
		free(side);
		return NULL;
	}
	bases->sides = mem_grow(
		bases->sides, &bases->capacity, bases->nsides + 1, sizeof(struct build_side *));
	bases->sides[bases->nsides++] = side;
	return side;
}

void
plan_base_init(struct plan_base *base)
{
	*base = (struct plan_base){.text = ""};
}

void
plan_base_release(struct plan_base *base)
{
	if (base->has_baseline)
		baseline_release(&base->baseline);
}

/* Whether this clone has a git object of this name; frees `object`. */
static bool
has_object(char *object)
{
	const char *const args[] = {"cat-file", "-e", object, NULL};
	struct err ignored = {0};
	const bool has = git_run_checked(NULL, args, &ignored) == 0;

	free(object);
	return has;
}

static bool
is_here(const char *commit)
{
	return has_object(mem_printf("%s^{commit}", commit));
}

/* Whether a commit of this clone does not have the workload. */
static bool
lacks_workload(
	const struct gate_planner *planner, const char *commit, const struct workload *workload)
{
	struct build_side side;
	struct err ignored = {0};

	if (!workload->path || workload->path[0] == '/' ||
		has_object(
			mem_printf("%s:%s%s", commit, planner->repository.prefix, workload->path)))
		return false;
	if (build_side_of_commit(&side, &planner->repository, commit, false, &ignored) < 0)
		return true;
	const bool lacks = build_side_lacks_workload(&side, workload);

	build_side_release(&side);
	return lacks;
}

/*
 * Why a commit cannot be built to compare a workload with; NULL: it can. `name` is what the text
 * calls it.
 */
static const char *
refuse_commit(struct gate_planner *planner, const char *name, const char *commit,
	const struct workload *workload)
{
	if (!is_here(commit))
		return arena_printf(&planner->arena, "%s %.12s is not in this clone", name, commit);
	if (lacks_workload(planner, commit, workload))
		return arena_printf(&planner->arena, "%s %.12s has no such workload", name, commit);
	return NULL;
}

const char *
plan_base_refuse(struct gate_planner *planner, const struct baseline_info *info,
	const struct workload *workload)
{
	if (!planner->has_repository)
		return "this is no git repository";
	if (!git_is_commit(info->commit))
		return "its commit is not known";
	if (strcmp(info->working_tree, "changed") == 0)
		return "it was recorded from a changed working tree";
	return refuse_commit(planner, "its commit", info->commit, workload);
}

const char *
plan_base_fetch(struct gate_planner *planner, const struct baseline_info *info)
{
	if (!planner->has_repository || !git_is_commit(info->commit) || is_here(info->commit))
		return NULL;
	return arena_printf(&planner->arena, "git fetch %sorigin %s",
		planner->repository.shallow ? "--depth=1 " : "", info->commit);
}

/* Reads the latest baseline of a workload. A baseline that cannot be read is skipped. */
static void
read_latest_baseline(
	const struct gate_planner *planner, const struct gate_workload *w, struct plan_base *base)
{
	const struct workload *workload = w->measurement->workload;

	for (size_t i = 0; i < planner->stored->nentries; i++) {
		const struct baseline_entry *entry = &planner->stored->entries[i];
		struct baseline baseline;
		struct err ignored = {0};
		bool found = false;

		if (strcmp(entry->workload, workload->stored_name) != 0 ||
			strcmp(entry->metric, workload->capture.metric) != 0 ||
			baseline_read(&baseline, entry->folder, &found, &ignored) < 0 || !found)
			continue;
		if (base->has_baseline && baseline.info.created <= base->baseline.info.created) {
			baseline_release(&baseline);
			continue;
		}
		plan_base_release(base);
		base->baseline = baseline;
		base->has_baseline = true;
	}
}

/* Whether a commit is later than a baseline was recorded. */
static bool
is_newer(const char *commit, const struct baseline_info *info)
{
	const char *const args[] = {"show", "-s", "--format=%ct", commit, NULL};
	struct err ignored = {0};
	char *line = git_line(NULL, args, &ignored);
	const bool newer = line && strtoll(line, NULL, 10) > info->created;

	free(line);
	return newer;
}

/*
 * Describes the baseline or, if there is one, gives the reason `why` it is of no use; no whole
 * sentence.
 */
static const char *
describe_baseline(struct gate_planner *planner, const struct plan_base *base, const char *why)
{
	if (why)
		return why;
	if (!base->has_baseline)
		return "no baseline";
	return arena_printf(&planner->arena, "the baseline is of %s", base->machine_class);
}

/*
 * Takes the merge base with the default branch as the base. False: there is none; base->text says
 * why.
 */
static bool
take_merge_base(struct gate_planner *planner, const struct workload *workload, const char *baseline,
	struct plan_base *base)
{
	const char *refused = NULL;

	if (planner->merge_base[0] == '\0')
		refused = !planner->has_repository ? NULL
			  : planner->default_branch
				  ? arena_printf(&planner->arena, "HEAD is the merge base with %s",
					    planner->default_branch)
				  : "there is no default branch to compare with";
	else
		refused = refuse_commit(planner, "the merge base", planner->merge_base, workload);
	if (refused || planner->merge_base[0] == '\0') {
		base->text =
			refused ? arena_printf(&planner->arena, "%s, and %s", baseline, refused)
				: baseline;
		return false;
	}
	memcpy(base->commit, planner->merge_base, sizeof(base->commit));
	base->text = arena_printf(&planner->arena,
		"%s; compared with the merge base with %s, %.12s, built here%s", baseline,
		planner->default_branch, base->commit,
		base->has_baseline && is_newer(base->commit, &base->baseline.info)
			? "; it is newer than the baseline: growth accepted between them is not judged"
			: "");
	return true;
}

/* Recommends to compare uncommitted changes with HEAD, rather than to record a baseline of them. */
static bool
recommend_head(
	struct gate_planner *planner, const struct workload *workload, struct plan_base *base)
{
	char *changed = NULL;

	if (!git_is_commit(planner->head) ||
		identity_find_uncommitted(planner->head, &changed) <= 0)
		return false;
	free(changed);
	base->judges_changes = true;
	base->remedy = gate_command(planner, workload->name, "--against HEAD");
	return true;
}

void
plan_base_find(struct gate_planner *planner, const struct gate_workload *w, const char *why,
	struct plan_base *base)
{
	const struct workload *workload = w->measurement->workload;
	const struct baseline_info *info = &base->baseline.info;
	const char *refused = NULL;

	read_latest_baseline(planner, w, base);
	if (base->has_baseline)
		base->machine_class = arena_strdup(&planner->arena, info->machine_class);
	const char *baseline = describe_baseline(planner, base, why);

	if (base->has_baseline) {
		refused = plan_base_refuse(planner, info, workload);
		if (!refused) {
			memcpy(base->commit, info->commit, sizeof(base->commit));
			base->text = arena_printf(&planner->arena,
				"%s; compared with its commit %.12s, built here", baseline,
				base->commit);
			return;
		}
		baseline = arena_printf(&planner->arena, "%s; %s", baseline, refused);
	} else if (!planner->has_repository) {
		baseline = "no baseline, and this is no git repository";
	}
	if (take_merge_base(planner, workload, baseline, base) || !planner->has_repository)
		return;
	if (recommend_head(planner, workload, base))
		return;
	base->remedy = base->has_baseline ? plan_base_fetch(planner, info) : NULL;
	if (!base->remedy && is_here("HEAD~1"))
		base->remedy = gate_command(planner, workload->name, "--against HEAD~1");
}
