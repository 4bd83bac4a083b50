/*
 * Whether a workload is new, as the commit that it is to be compared with has none like it, or has
 * another name there.
 */
#ifndef BUILDS_NEW_WORKLOAD_H
#define BUILDS_NEW_WORKLOAD_H

#include "builds/build_side.h"

#include <stdbool.h>

/*
 * Whether the workload is new: its file is under version control here, and the commit of this build
 * has neither that file nor another one of this name or with this command. False where that is not
 * known.
 */
bool build_side_lacks_workload(const struct build_side *side, const struct workload *workload);

/* Paths as seen from here; owned. */
struct workload_rename {
	char *before; /* the workload's file in the commit */
	char *after;  /* the file in the working tree; the same path where only `name` changed */
};

/*
 * The file that has a workload of this name in `commit`, and what that file is now. False where the
 * commit has none, it is not here (a shallow clone), or git does not take any file for the same;
 * nothing needs releasing then.
 */
bool workload_rename_find(struct workload_rename *rename, const char *name, const char *commit);
void workload_rename_release(struct workload_rename *rename);

/*
 * Whether a workload of the working tree has this name, in any folder, tracked by git or not: 1, 0,
 * -1 where that is not known.
 */
int workload_name_is_used(const char *name);

#endif
