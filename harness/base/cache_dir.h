/*
 * The user's cache: ${XDG_CACHE_HOME:-$HOME/.cache}/profile_run.
 */
#ifndef BASE_CACHE_DIR_H
#define BASE_CACHE_DIR_H

#include "base/err.h"

/*
 * The folder `part` of the cache, made if need be, the last of it for this user alone; free() it.
 * NULL where it cannot be made, where it is another user's or where others may write to it: what is
 * found there must be ours.
 */
char *cache_dir(const char *part, struct err *err);

#endif
