/*
 * The user's cache: ${XDG_CACHE_HOME:-$HOME/.cache}/profile_run, for builds of other commits.
 */
#ifndef BASE_CACHE_H
#define BASE_CACHE_H

#include "base/err.h"

/*
 * The folder `part` of the cache, created if needed, for this user alone; free() it. NULL if it
 * cannot be created, or if it or a folder above it in the cache belongs to another user or others
 * may write there: the files in it must be our own.
 */
char *cache_dir(const char *part, struct err *err);

#endif
