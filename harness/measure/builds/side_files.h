/*
 * Checks that the runs of two builds used the files of their own build. The two sides of a
 * comparison are two builds only if neither runs what the other has, and no file that a build makes
 * is run by both: anything else is an error that names the file and how it got there.
 */
#ifndef BUILDS_SIDE_FILES_H
#define BUILDS_SIDE_FILES_H

#include "base/err.h"
#include "builds/build_product.h"
#include "builds/build_side.h"
#include "builds/tree_text.h"
#include "process/run_files.h"
#include "spec/workload.h"

/* The runs of both sides; all borrowed. */
struct side_runs {
	const struct build_side *base;
	const struct workload *here;       /* as the candidate is run */
	const struct workload *there;      /* as the base is */
	const struct moved_paths *moved;   /* from `here` to `there` */
	const struct build_times *times;   /* of all builds so far */
	const struct run_files *candidate; /* used by the candidate */
	/* Used by the base; NULL: it is not run, as both builds are the same program. */
	const struct run_files *other;
};

/* 0 if each side ran its own files. Files of `inputs`, and tools outside both builds, are shared.
 */
int side_files_check(const struct side_runs *runs, struct err *err);
/* The same where only some of the files are known, such as the code that was mapped. */
int side_files_check_known(const struct side_runs *runs, struct err *err);

#endif
