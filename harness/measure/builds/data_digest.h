/*
 * The data that a commit has, by one hash: it tells that no file which a run may read differs, also
 * where the other commit is not in this clone.
 */
#ifndef BUILDS_DATA_DIGEST_H
#define BUILDS_DATA_DIGEST_H

#include "base/hash.h"

#include <stdbool.h>

/*
 * The hash of the names and contents of the tracked files of `commit` that a run may read
 * (file_may_be_read()); baselines, which are committed after their runs, are left out. False,
 * and "", where git cannot tell.
 */
bool data_digest_of(const char *commit, char digest[HASH_TEXT_SIZE]);

#endif
