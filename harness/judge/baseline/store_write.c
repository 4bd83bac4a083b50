/* Writes a baseline whole: prepared beside its place and exchanged in one step, under its lock. */
#include "baseline/store.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"
#include "baseline/store_internal.h"
#include "profile/disturbance.h"
#include "profile/stack_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
check_runs(const struct profile *profile, struct err *err)
{
	bool any_sample = false;

	for (size_t i = 0; i < profile->nruns; i++) {
		const struct run *run = &profile->runs[i];

		if (!isfinite(run->cost_total) || !isfinite(run->expected_samples) ||
			run->cost_total < 0 || run->expected_samples < 0)
			return err_set(err, ERR_MEASURE,
				"run %zu has no finite cost and cannot be part of a baseline",
				i + 1);
		any_sample = any_sample || profile_column_total(profile, i) > 0;
	}
	if (!any_sample)
		return err_set(err, ERR_MEASURE,
			"there is no sample in %zu runs, which is nothing to compare with; `profile_run doctor` shows what this machine can capture",
			profile->nruns);
	return 0;
}

static uint32_t
count_sessions(const struct profile *profile)
{
	uint32_t last = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		if (profile->runs[i].session > last)
			last = profile->runs[i].session;
	}
	return last + 1;
}

static int
write_files(const char *draft, const struct store_part *part, const struct buf *runs,
	const struct buf *json, struct err *err)
{
	char *runs_path = file_join(draft, part->runs);
	char *json_path = file_join(draft, part->json);
	int result = file_write(runs_path, runs->data, runs->len, err);

	if (result == 0)
		result = file_write(json_path, json->data, json->len, err);
	free(json_path);
	free(runs_path);
	return result;
}

/* Copies a file, if it is there. */
static int
copy_file(const char *from, const char *to, const char *name, struct err *err)
{
	char *old_path = file_join(from, name);
	char *new_path = file_join(to, name);
	struct buf text = {0};
	int result = 0;

	if (file_exists(old_path)) {
		result = file_read(old_path, &text, STORE_RUNS_FILE_MAX, err);
		if (result == 0)
			result = file_write(new_path, text.data, text.len, err);
	}
	buf_release(&text);
	free(new_path);
	free(old_path);
	return result;
}

static int
copy_part(const char *folder, const char *draft, const struct store_part *part, struct err *err)
{
	char *json_path = file_join(draft, part->json);
	const bool has = file_exists(json_path);

	free(json_path);
	if (has)
		return 0;
	return copy_file(folder, draft, part->json, err) < 0 ||
			       copy_file(folder, draft, part->runs, err) < 0 ||
			       copy_file(folder, draft, part->folded, err) < 0
		       ? -1
		       : 0;
}

/* Copies the files of a baseline that its draft lacks, byte by byte, whatever their format. */
static int
copy_others(const char *folder, const char *draft, struct err *err)
{
	char *code = file_join(draft, STORE_CODE_FILE);
	int result = copy_part(folder, draft, &store_timed, err);

	if (result == 0)
		result = copy_part(folder, draft, &store_counted, err);
	if (result == 0 && !file_exists(code))
		result = copy_file(folder, draft, STORE_CODE_FILE, err);
	free(code);
	return result;
}

static int
write_part(const char *draft, const struct store_part *part, const struct baseline_info *info,
	const struct profile *profile, struct err *err)
{
	struct baseline_info full = *info;
	char runs_hash[SHA256_TEXT_SIZE];
	struct buf runs = {0};
	struct buf json = {0};

	full.format_version = BASELINE_FORMAT_VERSION;
	full.nsessions = count_sessions(profile);
	full.disturbed_runs = (uint32_t)disturbance_count(profile, BASELINE_DISTURBED);
	if (!full.tool_version[0])
		snprintf(full.tool_version, sizeof(full.tool_version), "%s", PROFILE_RUN_VERSION);
	stack_table_write(profile, &runs);
	sha256_text(runs.data, runs.len, runs_hash);
	store_json_write(&full, profile, runs_hash, &json);
	int result = write_files(draft, part, &runs, &json, err);

	buf_release(&json);
	buf_release(&runs);
	return result;
}

/* Writes one part anew. With `keep` the other files of the baseline stay, else they are removed. */
static int
write_locked(const char *folder, const struct store_part *part, bool keep,
	const struct baseline_info *info, const struct profile *profile, struct err *err)
{
	char *draft = NULL;

	if (file_dir_draft(folder, &draft, err) < 0)
		return -1;
	if (write_part(draft, part, info, profile, err) < 0 ||
		(keep && copy_others(folder, draft, err) < 0)) {
		file_dir_abandon(draft);
		return -1;
	}
	return file_dir_commit(draft, folder, err);
}

/* Writes the runs anew, and the counts if there are any; the other files stay. */
static int
rewrite_locked(const char *folder, const struct baseline *baseline, const struct baseline *counts,
	struct err *err)
{
	char *draft = NULL;

	if (file_dir_draft(folder, &draft, err) < 0)
		return -1;
	if (write_part(draft, &store_timed, &baseline->info, &baseline->profile, err) < 0 ||
		(counts && write_part(draft, &store_counted, &counts->info, &counts->profile, err) <
				   0) ||
		copy_others(folder, draft, err) < 0) {
		file_dir_abandon(draft);
		return -1;
	}
	return file_dir_commit(draft, folder, err);
}

static int
convert_locked(const char *folder, bool *changed, struct err *err)
{
	struct baseline baseline;
	struct baseline counts;
	bool folded = false;
	bool folded_counts = false;
	bool found = false;
	bool has_counts = false;
	int result = store_read_part(&baseline, folder, &store_timed, &found, &folded, err);

	if (result == 0 && found)
		result = store_read_part(
			&counts, folder, &store_counted, &has_counts, &folded_counts, err);
	*changed = folded || folded_counts;
	if (result == 0 && *changed)
		result = rewrite_locked(folder, &baseline, has_counts ? &counts : NULL, err);
	if (has_counts)
		baseline_release(&counts);
	if (found)
		baseline_release(&baseline);
	return result;
}

int
baseline_convert(const char *folder, bool *changed, struct err *err)
{
	int result = -1;
	int lock = store_lock(folder, err);

	*changed = false;
	if (lock >= 0) {
		result = convert_locked(folder, changed, err);
		store_unlock(lock, folder);
	}
	return result == 0
		       ? 0
		       : err_note(err,
				 "while converting the baseline '%s', which is as it was before",
				 folder);
}

/* Whether the runs of `info` can be pooled with those of `old`. */
static bool
same_kind(const struct baseline_info *old, const struct baseline_info *info)
{
	return strcmp(old->event, info->event) == 0 && strcmp(old->unit, info->unit) == 0 &&
	       old->frequency_hz == info->frequency_hz &&
	       strcmp(old->workload_hash, info->workload_hash) == 0 &&
	       strcmp(old->program_hash, info->program_hash) == 0;
}

/* The runs of `profile` from session `first` on, numbered from 0 again, as columns of `into`. */
static void
append_from_session(struct profile *into, const struct profile *profile, uint32_t first)
{
	size_t before = profile_append(into, profile);
	size_t kept = before;

	for (size_t i = before; i < into->nruns; i++) {
		if (into->runs[i].session < first)
			continue;
		struct ctree_column column = into->tree.columns[i];

		into->runs[kept] = into->runs[i];
		into->runs[kept].session -= first;
		into->tree.columns[i] = into->tree.columns[kept];
		into->tree.columns[kept] = column;
		kept++;
	}
	profile_drop_runs(into, kept);
}

/* The latest sessions of `old`, then those of `profile`. */
static void
join_sessions(struct profile *into, const struct profile *old, const struct profile *profile)
{
	uint32_t room = BASELINE_SESSIONS_MAX - count_sessions(profile);
	uint32_t stored = count_sessions(old);
	uint32_t first_kept = stored > room ? stored - room : 0;

	append_from_session(into, old, first_kept);
	size_t first = profile_append(into, profile);

	for (size_t i = first; i < into->nruns; i++)
		into->runs[i].session += stored - first_kept;
	profile_sort(into);
}

static int
add_locked(const char *folder, const struct baseline_info *info, const struct profile *profile,
	enum baseline_change *change, struct err *err)
{
	struct err unreadable = {0};
	struct baseline old;
	struct profile joined;
	bool found = false;

	*change = file_exists(folder) ? BASELINE_REPLACED : BASELINE_STORED;
	/* An update replaces a broken baseline; it must not fail because of it. */
	if (baseline_read(&old, folder, &found, &unreadable) < 0)
		log_warn("the stored baseline is replaced: %s", unreadable.text);
	if (!found || !same_kind(&old.info, info)) {
		if (found)
			baseline_release(&old);
		return write_locked(folder, &store_timed, false, info, profile, err);
	}
	*change = BASELINE_EXTENDED;
	profile_init(&joined);
	join_sessions(&joined, &old.profile, profile);
	/* The files of the latest runs. */
	joined.files =
		strtab_intern_str(&joined.strings, strtab_str(&profile->strings, profile->files));
	int result = write_locked(folder, &store_timed, true, info, &joined, err);

	profile_release(&joined);
	baseline_release(&old);
	return result;
}

int
baseline_add(const char *folder, const struct baseline_info *info, const struct profile *profile,
	enum baseline_change *change, struct err *err)
{
	int result = -1;
	int lock = check_runs(profile, err) < 0 ? -1 : store_lock(folder, err);

	if (lock >= 0) {
		result = change ? add_locked(folder, info, profile, change, err)
				: write_locked(folder, &store_timed, false, info, profile, err);
		store_unlock(lock, folder);
	}
	if (result < 0)
		err_note(err, "while %s the baseline '%s', which is as it was before",
			change ? "adding to" : "writing", folder);
	return result;
}

int
baseline_write(const char *folder, const struct baseline_info *info, const struct profile *profile,
	struct err *err)
{
	return baseline_add(folder, info, profile, NULL, err);
}

int
baseline_write_counts(const char *folder, const struct baseline_info *info,
	const struct profile *profile, struct err *err)
{
	int result = -1;
	int lock = check_runs(profile, err) < 0 ? -1 : store_lock(folder, err);

	if (lock >= 0) {
		result = write_locked(folder, &store_counted, true, info, profile, err);
		store_unlock(lock, folder);
	}
	return result == 0 ? 0 : err_note(err, "while adding counts to the baseline '%s'", folder);
}

static int
write_code_locked(const char *folder, const struct buf *text, struct err *err)
{
	char *draft = NULL;

	if (file_dir_draft(folder, &draft, err) < 0)
		return -1;
	char *path = file_join(draft, STORE_CODE_FILE);
	const int result = file_write(path, text->data, text->len, err);

	free(path);
	if (result == 0 && copy_others(folder, draft, err) == 0)
		return file_dir_commit(draft, folder, err);
	file_dir_abandon(draft);
	return -1;
}

int
baseline_write_code(const char *folder, const struct buf *text, struct err *err)
{
	const int lock = store_lock(folder, err);
	int result = -1;

	if (lock >= 0) {
		result = write_code_locked(folder, text, err);
		store_unlock(lock, folder);
	}
	return result == 0 ? 0
			   : err_note(err, "while adding its code to the baseline '%s'", folder);
}
