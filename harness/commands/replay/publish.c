#include "replay/publish.h"

#include "base/draft.h"
#include "base/file.h"
#include "base/file_links.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "output/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The longest time that another gate may take to choose its folder. */
#define CHOOSE_SECONDS 60
/* Reports are not to be committed. */
#define IGNORE_FILE ".gitignore"

/* Whether the draft of another report will get this name. */
static bool
is_taken(const char *reports_dir, const char *name)
{
	DIR *dir = opendir(reports_dir);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = draft_is_name(entry->d_name, name);
	if (dir)
		closedir(dir);
	return found;
}

/*
 * The first free path for `name`, to which a suffix may be added; to be freed. Drafts are checked
 * first: a draft that is put in place between the two checks is found by the second.
 */
static char *
choose_folder(const char *reports_dir, char *name, size_t size)
{
	size_t len = strlen(name);
	char *folder = file_join(reports_dir, name);

	for (unsigned n = 2; is_taken(reports_dir, name) || file_exists(folder); n++) {
		free(folder);
		snprintf(name + len, size - len, "-%u", n);
		folder = file_join(reports_dir, name);
	}
	return folder;
}

/* Whether the folder is missing or empty: a killed gate may have left it so. */
static bool
holds_nothing(const char *reports_dir)
{
	DIR *dir = opendir(reports_dir);
	struct dirent *entry;
	bool any = false;

	while (dir && !any && (entry = readdir(dir)))
		any = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		      !draft_is_name(entry->d_name, IGNORE_FILE);
	if (dir)
		closedir(dir);
	return !any;
}

int
publish_prepare(const char *reports_dir, struct err *err)
{
	bool is_new = holds_nothing(reports_dir);

	if (file_make_output_folder(reports_dir, err) < 0)
		return err_note(err, "choose another folder with '--reports DIR'");
	char *path = file_join(reports_dir, IGNORE_FILE);
	int result = is_new ? file_write(path, "*\n", 2, err) : 0;

	free(path);
	return result;
}

char *
publish_begin(const char *reports_dir, int64_t started, char **draft, struct err *err)
{
	time_t when = (time_t)started;
	struct tm utc;
	char name[64];

	if (publish_prepare(reports_dir, err) < 0)
		return NULL;
	gmtime_r(&when, &utc);
	strftime(name, sizeof(name), "%Y-%m-%dT%H-%M-%SZ", &utc);
	/* One gate at a time chooses: two that start in one second get their own folders. */
	const struct lock_wait wait = {.seconds = CHOOSE_SECONDS};
	struct err ignored = {0};
	int lock = lock_dir(reports_dir, NULL, &wait, &ignored);

	/* The names of drafts that killed gates have left are free again. */
	draft_sweep(reports_dir);
	char *folder = choose_folder(reports_dir, name, sizeof(name));

	if (file_dir_draft(folder, draft, err) < 0) {
		err_note(err, "choose another folder with '--reports DIR'");
		free(folder);
		folder = NULL;
	}
	if (lock >= 0)
		close(lock);
	return folder;
}

char *
publish_latest(const char *folder)
{
	const char *name = file_basename(folder);

	return mem_printf("%.*slatest", (int)(name - folder), folder);
}

/*
 * Points `latest` to the report. Where links cannot be made it is removed: it must not name an
 * older one.
 */
static void
point_latest(const char *folder)
{
	char *latest = publish_latest(folder);

	if (draft_link(file_basename(folder), latest) < 0) {
		log_warn("cannot point '%s' to the report: %s", latest, strerror(errno));
		unlink(latest);
	}
	free(latest);
}

int
publish_finish(char *draft, const char *folder, struct err *err)
{
	int result = file_dir_commit(draft, folder, err);

	if (result == 0)
		point_latest(folder);
	return result;
}

char *
publish_report(
	const struct report *report, const char *folder, const char *reports_dir, struct err *err)
{
	char *draft = NULL;
	char *path = folder ? mem_strdup(folder)
			    : publish_begin(reports_dir, report->started, &draft, err);
	int result = path ? 0 : -1;

	if (folder)
		result = file_dir_draft(path, &draft, err);
	if (result == 0) {
		struct report named = *report;

		named.folder = report->folder ? report->folder : path;
		result = output_write_all(&named, draft, err);
		if (result < 0)
			file_dir_abandon(draft);
		else
			result = folder ? file_dir_commit(draft, path, err)
					: publish_finish(draft, path, err);
	}
	if (result == 0)
		return path;
	free(path);
	return NULL;
}
