#include "gate/orphans.h"

#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "builds/git.h"
#include "builds/new_workload.h"
#include "measurement/suite_listing.h"

#include <stdlib.h>
#include <string.h>

/* At most so many orphans are named in one sentence. */
#define NAMED_MAX 3

struct search {
	struct orphans *orphans;
	const struct config *config;
	const struct workload_list *given; /* NULL: none */
	struct workload_list known;        /* of the configuration's folder */
	bool is_complete;                  /* `known` could be read */
};

static const struct workload *
find_named(const struct workload_list *list, const char *name)
{
	for (size_t i = 0; list && i < list->nworkloads; i++)
		if (strcmp(list->workloads[i].file_name, name) == 0 ||
			suite_has_folder(&list->workloads[i], name))
			return &list->workloads[i];
	return NULL;
}

static bool
is_used(const struct search *search, const char *name)
{
	if (find_named(search->given, name) || find_named(&search->known, name))
		return true;
	const int used = workload_name_is_used(name);

	return used < 0 ? !search->is_complete : used > 0;
}

static const struct workload *
find_at(const struct workload_list *list, const char *path)
{
	for (size_t i = 0; list && i < list->nworkloads; i++)
		if (file_is_same(list->workloads[i].path, path))
			return &list->workloads[i];
	return NULL;
}

/* Finds the successor by the renamed workload file since a commit. */
static bool
find_in_commit(struct search *search, struct orphan *orphan, const char *commit)
{
	struct arena *arena = &search->orphans->arena;
	const char *name = orphan->entries[0].workload;
	struct workload_rename rename;

	if (!workload_rename_find(&rename, name, commit))
		return false;
	const struct workload *workload = find_at(search->given, rename.after);

	if (!workload)
		workload = find_at(&search->known, rename.after);
	if (workload) {
		orphan->successor = arena_strdup(arena, workload->file_name);
		orphan->reason = strcmp(rename.before, rename.after) == 0
					 ? arena_printf(arena, "'name' in %s was '%s' before",
						   rename.after, name)
					 : arena_printf(arena, "%s was renamed to %s",
						   rename.before, rename.after);
	}
	workload_rename_release(&rename);
	return workload != NULL;
}

/* The commit that added or last changed the baseline; free() it. NULL: not known. */
static char *
commit_of(const char *folder)
{
	const char *const args[] = {"log", "-1", "--format=%H", "--", folder, NULL};
	struct err ignored = {0};

	return git_line(NULL, args, &ignored);
}

/* The only workload that does the same work as the baseline's; NULL: none, or several. */
static const struct workload *
find_same_work(const struct workload_list *list, const struct baseline_info *info)
{
	const struct workload *found = NULL;

	for (size_t i = 0; i < list->nworkloads; i++) {
		if (strcmp(list->workloads[i].hash, info->workload_hash) != 0)
			continue;
		if (found)
			return NULL;
		found = &list->workloads[i];
	}
	return found;
}

static void
find_successor(struct search *search, struct orphan *orphan)
{
	char *commit = commit_of(orphan->folder);
	bool found = commit && find_in_commit(search, orphan, commit);

	free(commit);
	for (size_t i = 0; i < orphan->nentries && !found; i++) {
		struct err ignored = {0};
		struct baseline baseline;
		bool is_there = false;

		if (baseline_read(&baseline, orphan->entries[i].folder, &is_there, &ignored) < 0 ||
			!is_there)
			continue;
		found = find_in_commit(search, orphan, baseline.info.commit);
		const struct workload *same = find_same_work(&search->known, &baseline.info);

		if (!found && same) {
			orphan->successor = arena_strdup(&search->orphans->arena, same->file_name);
			orphan->reason = arena_printf(&search->orphans->arena,
				"it is probably of '%s', which has the same command",
				same->file_name);
			found = true;
		}
		baseline_release(&baseline);
	}
}

void
orphans_find(struct orphans *orphans, const struct baseline_list *stored,
	const struct config *config, const struct workload_list *given)
{
	struct search search = {.orphans = orphans, .config = config, .given = given};
	struct err ignored = {0};

	*orphans = (struct orphans){0};
	search.is_complete = workload_list_read(&search.known, NULL, 0, config, &ignored) == 0;
	for (size_t i = 0, end; i < stored->nentries; i = end) {
		const struct baseline_entry *first = &stored->entries[i];

		end = i + 1;
		while (end < stored->nentries &&
			strcmp(stored->entries[end].workload, first->workload) == 0 &&
			strcmp(stored->entries[end].machine_class, first->machine_class) == 0)
			end++;
		if (is_used(&search, first->workload))
			continue;
		struct orphan orphan = {
			.entries = first,
			.nentries = end - i,
			.folder = arena_printf(&orphans->arena, "%s/%s/%s", config->baselines_dir,
				first->machine_class, first->workload),
		};

		find_successor(&search, &orphan);
		orphans->items = mem_grow(orphans->items, &orphans->capacity, orphans->count + 1,
			sizeof(*orphans->items));
		orphans->items[orphans->count++] = orphan;
	}
	workload_list_release(&search.known);
}

void
orphans_release(struct orphans *orphans)
{
	free(orphans->items);
	arena_release(&orphans->arena);
	*orphans = (struct orphans){0};
}

static void
put_move(const struct orphan *orphan, const char *from, const char *to, struct buf *out)
{
	buf_puts(out, git_is_tracked(orphan->folder) ? "git mv " : "mv ");
	escape_shell_word(out, from);
	buf_putc(out, ' ');
	escape_shell_word(out, to);
}

/*
 * Appends the commands that make an orphan the baseline of `name`; nothing where that workload has
 * its own baseline in each metric.
 */
static void
put_moves(
	const struct orphan *orphan, const char *name, const struct config *config, struct buf *out)
{
	char *to = mem_printf(
		"%s/%s/%s", config->baselines_dir, orphan->entries[0].machine_class, name);
	const size_t begin = out->len;

	if (!file_exists(to)) {
		put_move(orphan, orphan->folder, to, out);
		free(to);
		return;
	}
	for (size_t i = 0; i < orphan->nentries; i++) {
		char *metric = file_join(to, orphan->entries[i].metric);

		if (!file_exists(metric)) {
			buf_puts(out, out->len > begin ? " && " : "");
			put_move(orphan, orphan->entries[i].folder, metric, out);
		}
		free(metric);
	}
	free(to);
}

void
orphan_put(const struct orphan *orphan, const struct config *config, struct buf *out)
{
	struct buf moves = {0};

	buf_printf(out, "no workload is named '%s'", orphan->entries[0].workload);
	if (orphan->successor) {
		buf_printf(out, ": %s", orphan->reason);
		put_moves(orphan, orphan->successor, config, &moves);
		if (moves.len == 0)
			buf_printf(out, ", and '%s' has its own baseline", orphan->successor);
	}
	if (moves.len > 0) {
		buf_printf(out, "; to keep it: %s", buf_text(&moves));
	} else {
		buf_printf(out, "; to remove it: %s ",
			git_is_tracked(orphan->folder) ? "git rm -r" : "rm -r");
		escape_shell_word(out, orphan->folder);
	}
	buf_release(&moves);
}

static bool
has_metric(const struct orphan *orphan, const char *metric)
{
	for (size_t i = 0; i < orphan->nentries; i++)
		if (strcmp(orphan->entries[i].metric, metric) == 0)
			return true;
	return false;
}

/* Appends the orphans that may belong to the workload, although git does not say so. */
static void
put_possible(const struct orphans *orphans, const struct workload *workload,
	const struct config *config, struct buf *out)
{
	size_t n = 0;
	const struct orphan *first = NULL;

	for (size_t i = 0; i < orphans->count; i++) {
		const struct orphan *orphan = &orphans->items[i];

		if (orphan->successor || !has_metric(orphan, workload->capture.metric))
			continue;
		first = first ? first : orphan;
		if (n++ >= NAMED_MAX)
			continue;
		buf_puts(out, n == 1 ? "No workload has the name of " : ", ");
		buf_puts(out, orphan->folder);
	}
	if (n == 0)
		return;
	if (n > NAMED_MAX)
		buf_printf(out, " and %zu more baselines", n - NAMED_MAX);
	buf_puts(out, n == 1 ? ": if that baseline is of this workload, '"
			     : ": if one of these baselines is of this workload, for example '");
	put_moves(first, workload->file_name, config, out);
	buf_puts(out, "' keeps it.");
}

void
orphans_put_for(const struct orphans *orphans, const struct workload *workload,
	const struct config *config, struct buf *out)
{
	const size_t begin = out->len;

	for (size_t i = 0; i < orphans->count; i++) {
		const struct orphan *orphan = &orphans->items[i];
		struct buf moves = {0};

		if (!orphan->successor || strcmp(orphan->successor, workload->file_name) != 0 ||
			!has_metric(orphan, workload->capture.metric))
			continue;
		put_moves(orphan, workload->file_name, config, &moves);
		if (moves.len > 0)
			buf_printf(out, "%sThe baseline %s has no workload: %s; '%s' keeps it.",
				out->len > begin ? " " : "", orphan->folder, orphan->reason,
				buf_text(&moves));
		buf_release(&moves);
	}
	if (out->len == begin)
		put_possible(orphans, workload, config, out);
}
