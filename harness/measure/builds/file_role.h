/*
 * What a file of a checkout is for, by its name: data of runs, source of a program, or a document.
 */
#ifndef BUILDS_FILE_ROLE_H
#define BUILDS_FILE_ROLE_H

#include "base/hash.h"

#include <stdbool.h>

/* Whether a run may read it: it is no source, document or setting. */
bool file_may_be_read(const char *path, bool tracked);
/* Whether a change of it, or a new one, makes another program of a commit. */
bool file_is_of_program(const char *path, bool tracked);

/*
 * The data that a commit has, by one hash: it tells that no file which a run may read differs, also
 * where the other commit is not in this clone.
 */

/*
 * The hash of the names and contents of the tracked files of `commit` that a run may read
 * (file_may_be_read()); baselines, which are committed after their runs, are left out. False,
 * and "", where git cannot tell.
 */
bool data_digest_of(const char *commit, char digest[HASH_TEXT_SIZE]);

#endif
