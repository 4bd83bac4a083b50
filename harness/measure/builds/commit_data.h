/*
 * The files of a commit that a run of a workload may read, and those that make its program: which
 * of them differ in the working tree, and one digest of all the data.
 */
#ifndef BUILDS_COMMIT_DATA_H
#define BUILDS_COMMIT_DATA_H

#include "base/sha256.h"

#include <stdbool.h>

/*
 * Finds a file of the working tree that differs from `commit` or is not in it, and that a run may
 * read: one that is no source, document or setting. 1 and its path, free() it; 0: there is none;
 * -1: not known.
 */
int commit_data_find_changed(const char *commit, char **path);

/*
 * Finds a file that makes the working tree another program than `commit`: a change of a tracked
 * file that is no document, or a new source or file that a run may read. Results as above.
 */
int commit_find_uncommitted(const char *commit, char **path);

/* Whether the working tree is exactly that commit, except for profile_run's own output. */
bool commit_is_checked_out(const char *commit);

/*
 * The hash of the names and contents of the tracked files of `commit` that a run may read; by it,
 * data can be compared with that of a commit that is not in this clone. Baselines, which are
 * committed after their runs, are left out. False, and "", where git cannot tell.
 */
bool commit_data_digest(const char *commit, char digest[SHA256_TEXT_SIZE]);

#endif
