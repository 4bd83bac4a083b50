#include "baseline/store.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "baseline/store_internal.h"
#include "profile/disturbance.h"
#include "profile/folded.h"
#include "profile/stack_table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The lock of a baseline, held while it is exchanged. */

#define WAIT_SECONDS 60
#define ATTEMPTS 20

static char *
parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_dup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Whether `path` is still the folder that was locked: its last holder may have removed it. */
static bool
is_still(int lock, const char *path)
{
	struct stat locked;
	struct stat there;

	if (fstat(lock, &locked) < 0 || stat(path, &there) < 0)
		return false;
	return !S_ISDIR(locked.st_mode) ||
	       (locked.st_ino == there.st_ino && locked.st_dev == there.st_dev);
}

/*
 * Makes the parent of `folder` (a baseline) and locks it. Returns a descriptor for store_unlock(),
 * -1 on error.
 */
static int
store_lock(const char *folder, struct err *err)
{
	const struct lock_wait wait = {.seconds = WAIT_SECONDS};
	char *parent = parent_of(folder);
	int lock = -1;

	for (int i = 0; lock < 0 && i < ATTEMPTS; i++) {
		if (file_make_folder(parent, STORE_LEVELS - 1, err) < 0)
			break;
		lock = lock_dir(parent, ".lock", &wait, err);
		if (lock < 0 && file_is_dir(parent))
			break;
		/* Gone since it was made: removed by another process whose writing failed. */
		if (lock >= 0 && !is_still(lock, parent)) {
			close(lock);
			lock = err_set(err, ERR_SYSTEM, "'%s' is removed again and again", parent);
		}
	}
	free(parent);
	return lock;
}

/* Releases the lock and removes folders above `folder` that are empty because writing failed. */
static void
store_unlock(int lock, const char *folder)
{
	char *parent = parent_of(folder);
	char *above = parent_of(parent);

	/* rmdir() refuses a folder that holds anything. */
	if (!file_exists(folder) && rmdir(parent) == 0)
		rmdir(above);
	free(above);
	free(parent);
	close(lock);
}

int
store_recover(const char *folder, struct err *err)
{
	if (!file_dir_is_interrupted(folder))
		return 0;
	int lock = store_lock(folder, err);
	int result = lock < 0 ? -1 : file_dir_recover(folder, err);

	if (lock >= 0)
		store_unlock(lock, folder);
	if (result == 0)
		log_info("'%s' has been put back: a profile_run was killed while it replaced it",
			folder);
	return result;
}

/* The files of a baseline. */

/* The two files of runs, and those of the instructions that were counted beside them. */
struct part {
	const char *json;
	const char *runs;
	const char *folded; /* the runs in format 1 */
};

static const struct part timed = {"baseline.json", "runs.stacks", "runs.folded"};
static const struct part counted = {"counts.json", "counts.stacks", "counts.folded"};

#define CODE_FILE "code.txt"
#define CODE_FILE_MAX ((size_t)16 << 20)

#define JSON_FILE_MAX ((size_t)16 << 20)
#define RUNS_FILE_MAX ((size_t)256 << 20)
/* How often a baseline that is exchanged while it is read is read again. */
#define READ_ATTEMPTS 10

char *
baseline_path(
	const char *store, const char *machine_class, const char *workload, const char *metric)
{
	return mem_printf("%s/%s/%s/%s", store, machine_class, workload, metric);
}

static int
read_runs(struct profile *profile, int folder_fd, const struct part *part, const char *folder,
	const struct store_runs *runs, struct err *err)
{
	const char *name = runs->folded ? part->folded : part->runs;
	char *path = file_join(folder, name);
	char hash[SHA256_TEXT_SIZE];
	struct buf text = {0};
	int result = file_read_in(folder_fd, name, path, &text, RUNS_FILE_MAX, err);

	if (result < 0)
		goto out;
	sha256_text(buf_text(&text), text.len, hash);
	if (strcmp(hash, runs->hash) != 0) {
		err_set(err, ERR_INPUT,
			"%s: this is not the file that %s was written with: its SHA-256 is %s, expected %s",
			path, part->json, hash, runs->hash);
		result = err_note(err,
			"it was edited, merged or truncated: restore both files from the repository's history, or record the baseline again");
		goto out;
	}
	const struct file_view view = {.data = buf_text(&text), .len = text.len};

	result = runs->folded ? folded_read_view(profile, path, &view, err)
			      : stack_table_read(profile, path, &view, err);
out:
	buf_release(&text);
	free(path);
	return result;
}

static int
read_folder(struct baseline *baseline, int folder_fd, const char *folder, const struct part *part,
	bool *folded, struct err *err)
{
	char *json_path = file_join(folder, part->json);
	struct store_runs runs;
	struct buf json = {0};
	int result = -1;

	profile_init(&baseline->profile);
	if (file_read_in(folder_fd, part->json, json_path, &json, JSON_FILE_MAX, err) < 0 ||
		store_json_read_hash(&runs, json_path, buf_text(&json), json.len, err) < 0 ||
		read_runs(&baseline->profile, folder_fd, part, folder, &runs, err) < 0)
		goto out;
	*folded = runs.folded;
	result = store_json_read(
		&baseline->info, &baseline->profile, json_path, buf_text(&json), json.len, err);
out:
	if (result == 0) {
		profile_shorten_names(&baseline->profile);
		profile_sort(&baseline->profile);
	} else {
		profile_release(&baseline->profile);
	}
	buf_release(&json);
	free(json_path);
	return result;
}

/*
 * Opens the folder of a baseline; -1 if there is none, or with an error. A name that leads to no
 * folder is an error: a gate would ignore a missing baseline.
 */
static int
open_folder(const char *folder, struct stat *st, struct err *err)
{
	struct err problem = {0};

	if (store_recover(folder, err) < 0)
		return -1;
	int fd = file_open_folder(folder, STORE_LEVELS, false, &problem);

	if (fd >= 0 && fstat(fd, st) == 0)
		return fd;
	if (fd >= 0) {
		err_set_errno(err, ERR_INPUT, errno, "cannot open '%s'", folder);
		close(fd);
	} else if (errno != ENOENT) {
		*err = problem;
	}
	return -1;
}

/* An inode's number alone is not enough: that of a removed folder is given to the next one. */
static bool
is_same_folder(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Whether the folder has it; every baseline has its runs. */
static bool
has_part(int folder_fd, const struct part *part)
{
	return part == &timed || faccessat(folder_fd, part->json, F_OK, 0) == 0 ||
	       faccessat(folder_fd, part->runs, F_OK, 0) == 0 ||
	       faccessat(folder_fd, part->folded, F_OK, 0) == 0;
}

static int
read_part(struct baseline *baseline, const char *folder, const struct part *part, bool *found,
	bool *folded, struct err *err)
{
	struct stat before;
	struct stat after;

	*found = false;
	for (int i = 0; i < READ_ATTEMPTS; i++) {
		int fd = open_folder(folder, &before, err);

		if (fd < 0 && err->kind == ERR_NONE)
			return 0;
		if (fd < 0)
			break;
		const bool has = has_part(fd, part);

		*found = has && read_folder(baseline, fd, folder, part, folded, err) == 0;
		close(fd);
		if (*found || !has)
			return 0;
		/* One file is of the old pair: the baseline was exchanged in between. */
		if (stat(folder, &after) == 0 && is_same_folder(&before, &after))
			break;
	}
	return err_note(err, "while reading the baseline '%s'", folder);
}

int
baseline_read(struct baseline *baseline, const char *folder, bool *found, struct err *err)
{
	bool folded;

	return read_part(baseline, folder, &timed, found, &folded, err);
}

int
baseline_read_counts(struct baseline *counts, const char *folder, bool *found, struct err *err)
{
	bool folded;

	return read_part(counts, folder, &counted, found, &folded, err);
}

void
baseline_release(struct baseline *baseline)
{
	profile_release(&baseline->profile);
	*baseline = (struct baseline){0};
}

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
	uint32_t count = 0;

	for (size_t i = 0; i < profile->nruns; i++) {
		if (profile->runs[i].session >= count)
			count = profile->runs[i].session + 1;
	}
	return count;
}

static int
write_files(const char *draft, const struct part *part, const struct buf *runs,
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

/* A file that is not there is none. */
static int
copy_file(const char *from, const char *to, const char *name, struct err *err)
{
	char *old_path = file_join(from, name);
	char *new_path = file_join(to, name);
	struct buf text = {0};
	int result = 0;

	if (file_exists(old_path)) {
		result = file_read(old_path, &text, RUNS_FILE_MAX, err);
		if (result == 0)
			result = file_write(new_path, text.data, text.len, err);
	}
	buf_release(&text);
	free(new_path);
	free(old_path);
	return result;
}

static int
copy_part(const char *folder, const char *draft, const struct part *part, struct err *err)
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

/* Takes what a draft lacks of a baseline over to it, byte by byte, in whichever format. */
static int
copy_others(const char *folder, const char *draft, struct err *err)
{
	char *code = file_join(draft, CODE_FILE);
	int result = copy_part(folder, draft, &timed, err);

	if (result == 0)
		result = copy_part(folder, draft, &counted, err);
	if (result == 0 && !file_exists(code))
		result = copy_file(folder, draft, CODE_FILE, err);
	free(code);
	return result;
}

static int
write_part(const char *draft, const struct part *part, const struct baseline_info *info,
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

/* Writes a part anew; with `keep` all else stays as it is, else it goes. */
static int
write_locked(const char *folder, const struct part *part, bool keep,
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

/* Writes both parts, the counts if they are there; all else stays. */
static int
rewrite_locked(const char *folder, const struct baseline *baseline, const struct baseline *counts,
	struct err *err)
{
	char *draft = NULL;

	if (file_dir_draft(folder, &draft, err) < 0)
		return -1;
	if (write_part(draft, &timed, &baseline->info, &baseline->profile, err) < 0 ||
		(counts && write_part(draft, &counted, &counts->info, &counts->profile, err) < 0) ||
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
	int result = read_part(&baseline, folder, &timed, &found, &folded, err);

	if (result == 0 && found)
		result = read_part(&counts, folder, &counted, &has_counts, &folded_counts, err);
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
		return write_locked(folder, &timed, false, info, profile, err);
	}
	*change = BASELINE_EXTENDED;
	profile_init(&joined);
	join_sessions(&joined, &old.profile, profile);
	/* The files of the latest runs. */
	joined.files =
		strtab_intern_str(&joined.strings, strtab_str(&profile->strings, profile->files));
	int result = write_locked(folder, &timed, true, info, &joined, err);

	profile_release(&joined);
	baseline_release(&old);
	return result;
}

/* NULL as `change`: the old baseline is replaced. */
static int
write_or_add(const char *folder, const struct baseline_info *info, const struct profile *profile,
	enum baseline_change *change, struct err *err)
{
	int result = -1;
	int lock = check_runs(profile, err) < 0 ? -1 : store_lock(folder, err);

	if (lock >= 0) {
		result = change ? add_locked(folder, info, profile, change, err)
				: write_locked(folder, &timed, false, info, profile, err);
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
	return write_or_add(folder, info, profile, NULL, err);
}

int
baseline_add(const char *folder, const struct baseline_info *info, const struct profile *profile,
	enum baseline_change *change, struct err *err)
{
	return write_or_add(folder, info, profile, change, err);
}

int
baseline_write_counts(const char *folder, const struct baseline_info *info,
	const struct profile *profile, struct err *err)
{
	int result = -1;
	int lock = check_runs(profile, err) < 0 ? -1 : store_lock(folder, err);

	if (lock >= 0) {
		result = write_locked(folder, &counted, true, info, profile, err);
		store_unlock(lock, folder);
	}
	return result == 0 ? 0 : err_note(err, "while adding counts to the baseline '%s'", folder);
}

char *
baseline_code_path(const char *folder)
{
	return file_join(folder, CODE_FILE);
}

int
baseline_read_code(struct buf *text, const char *folder, bool *found, struct err *err)
{
	char *path = baseline_code_path(folder);
	struct stat status;
	const int fd = open_folder(folder, &status, err);
	int result = fd < 0 && err->kind != ERR_NONE ? -1 : 0;

	*found = fd >= 0 && faccessat(fd, CODE_FILE, F_OK, 0) == 0;
	if (*found)
		result = file_read_in(fd, CODE_FILE, path, text, CODE_FILE_MAX, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}

static int
write_code_locked(const char *folder, const struct buf *text, struct err *err)
{
	char *draft = NULL;

	if (file_dir_draft(folder, &draft, err) < 0)
		return -1;
	char *path = file_join(draft, CODE_FILE);
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
