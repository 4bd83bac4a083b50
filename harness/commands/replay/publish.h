/*
 * Publishing a report: its folder is made beside its place, moved there when it is whole, and
 * pointed to by the link `latest`.
 */
#ifndef REPLAY_PUBLISH_H
#define REPLAY_PUBLISH_H

#include "base/err.h"
#include "output/report.h"

#include <stdint.h>

/* Makes a folder of reports, unless it is there. A new one is ignored by git. */
int publish_prepare(const char *reports_dir, struct err *err);
/*
 * Chooses REPORTS/YYYY-MM-DDTHH-MM-SSZ (with -2, -3, ... if it is taken) and makes a draft folder
 * for it; a gate that runs at the same time gets another. Drafts that killed gates have left are
 * removed. Returns its future path, to free(); NULL on error. Called before anything is measured,
 * it finds a folder that cannot be written to.
 */
char *publish_begin(const char *reports_dir, int64_t started, char **draft, struct err *err);
/*
 * Writes a finished report: at `folder` or, if that is NULL, as publish_begin() and
 * publish_finish() would, by the report's own time. A report without the name of a folder gets this
 * folder's. Returns the path, to free(); NULL on error.
 */
char *publish_report(
	const struct report *report, const char *folder, const char *reports_dir, struct err *err);

/* Moves the draft to its place and points `latest` to it; `draft` is freed. */
int publish_finish(char *draft, const char *folder, struct err *err);

/* The link beside a report that points to the newest one: "reports/latest"; to free(). */
char *publish_latest(const char *folder);

#endif
