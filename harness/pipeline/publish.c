#include "pipeline/publish.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

char *
publish_begin(const char *reports_dir, int64_t started, char **draft, struct err *err)
{
	time_t when = (time_t)started;
	struct tm utc;
	char name[64];

	if (file_make_dirs(reports_dir, err) < 0) {
		err_note(err, "'--reports DIR' names another place");
		return NULL;
	}
	gmtime_r(&when, &utc);
	size_t len = strftime(name, sizeof(name), "%Y-%m-%dT%H-%M-%SZ", &utc);
	char *folder = file_join(reports_dir, name);

	for (unsigned n = 2; file_exists(folder); n++) {
		free(folder);
		snprintf(name + len, sizeof(name) - len, "-%u", n);
		folder = file_join(reports_dir, name);
	}
	if (file_dir_draft(folder, draft, err) < 0) {
		err_note(err, "'--reports DIR' names another place");
		free(folder);
		return NULL;
	}
	return folder;
}

/* A link that is replaced in one step. Where links cannot be made, the report stands without. */
static void
point_latest(const char *folder)
{
	const char *name = file_basename(folder);
	char *latest = mem_printf("%.*slatest", (int)(name - folder), folder);
	char *fresh = mem_printf("%.*s.latest.%ld", (int)(name - folder), folder, (long)getpid());

	if (symlink(name, fresh) < 0 || rename(fresh, latest) < 0) {
		log_warn("cannot point '%s' to the report: %s", latest, strerror(errno));
		unlink(fresh);
	}
	free(fresh);
	free(latest);
}

int
publish_finish(char *draft, const char *folder, struct err *err)
{
	if (file_dir_commit(draft, folder, err) < 0)
		return -1;
	point_latest(folder);
	return 0;
}
