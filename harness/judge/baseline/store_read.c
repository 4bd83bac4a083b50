/* Reads a baseline from its folder. */
#include "baseline/store.h"

#include "base/file.h"
#include "base/file_links.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "baseline/store_internal.h"
#include "profile/folded.h"
#include "profile/stack_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct store_part store_timed = {"baseline.json", "runs.stacks", "runs.folded"};
const struct store_part store_counted = {"counts.json", "counts.stacks", "counts.folded"};

#define CODE_FILE_MAX ((size_t)16 << 20)
#define JSON_FILE_MAX ((size_t)16 << 20)
/* How often a baseline that is exchanged while it is read is read again. */
#define READ_ATTEMPTS 10

char *
baseline_path(
	const char *store, const char *machine_class, const char *workload, const char *metric)
{
	return mem_printf("%s/%s/%s/%s", store, machine_class, workload, metric);
}

static int
read_runs(struct profile *profile, int folder_fd, const struct store_part *part, const char *folder,
	const struct store_runs *runs, struct err *err)
{
	const char *name = runs->folded ? part->folded : part->runs;
	char *path = file_join(folder, name);
	char hash[SHA256_TEXT_SIZE];
	struct buf text = {0};
	int result = file_read_in(folder_fd, name, path, &text, STORE_RUNS_FILE_MAX, err);

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
read_folder(struct baseline *baseline, int folder_fd, const char *folder,
	const struct store_part *part, bool *folded, struct err *err)
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
open_folder(const char *folder, struct err *err)
{
	struct err problem = {0};

	if (store_recover(folder, err) < 0)
		return -1;
	int fd = file_open_folder(folder, STORE_LEVELS, false, &problem);

	if (fd < 0 && errno != ENOENT)
		*err = problem;
	return fd;
}

/* Whether the open folder is still the one of that name, and not exchanged or removed. */
static bool
is_there(int fd, const char *folder)
{
	struct stat opened;
	struct stat named;

	return fstat(fd, &opened) == 0 && stat(folder, &named) == 0 &&
	       opened.st_ino == named.st_ino;
}

/* Whether the folder has the files of a part; every baseline has those of its runs. */
static bool
has_part(int folder_fd, const struct store_part *part)
{
	return part == &store_timed || faccessat(folder_fd, part->json, F_OK, 0) == 0 ||
	       faccessat(folder_fd, part->runs, F_OK, 0) == 0 ||
	       faccessat(folder_fd, part->folded, F_OK, 0) == 0;
}

int
store_read_part(struct baseline *baseline, const char *folder, const struct store_part *part,
	bool *found, bool *folded, struct err *err)
{
	*found = false;
	for (int i = 0; i < READ_ATTEMPTS; i++) {
		int fd = open_folder(folder, err);

		if (fd < 0 && err->kind == ERR_NONE)
			return 0;
		if (fd < 0)
			break;
		const bool has = has_part(fd, part);

		*found = has && read_folder(baseline, fd, folder, part, folded, err) == 0;
		/* Else files are missing, as of a baseline that is exchanged while it is read. */
		const bool there = is_there(fd, folder);

		close(fd);
		if (*found || !has)
			return 0;
		if (there)
			break;
	}
	return err_note(err, "while reading the baseline '%s'", folder);
}

int
baseline_read(struct baseline *baseline, const char *folder, bool *found, struct err *err)
{
	bool folded;

	return store_read_part(baseline, folder, &store_timed, found, &folded, err);
}

int
baseline_read_counts(struct baseline *counts, const char *folder, bool *found, struct err *err)
{
	bool folded;

	return store_read_part(counts, folder, &store_counted, found, &folded, err);
}

void
baseline_release(struct baseline *baseline)
{
	profile_release(&baseline->profile);
	*baseline = (struct baseline){0};
}

char *
baseline_code_path(const char *folder)
{
	return file_join(folder, STORE_CODE_FILE);
}

int
baseline_read_code(struct buf *text, const char *folder, bool *found, struct err *err)
{
	char *path = baseline_code_path(folder);
	const int fd = open_folder(folder, err);
	int result = fd < 0 && err->kind != ERR_NONE ? -1 : 0;

	*found = fd >= 0 && faccessat(fd, STORE_CODE_FILE, F_OK, 0) == 0;
	if (*found)
		result = file_read_in(fd, STORE_CODE_FILE, path, text, CODE_FILE_MAX, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return result;
}
