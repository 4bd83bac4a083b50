/*
 * The user's cache: ${XDG_CACHE_HOME:-$HOME/.cache}/profile_run.
 */
#ifndef BASE_CACHE_DIR_H
#define BASE_CACHE_DIR_H

#include "base/err.h"

/*
 * The folder `part` of the cache, created if needed, its last component for this user alone; free()
 * it. NULL if it cannot be created, belongs to another user, or others may write to it: the files
 * in it must be our own.
 */
char *cache_dir(const char *part, struct err *err);

#endif
