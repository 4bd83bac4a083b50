/*
 * Folders that others may have put symbolic links into, and the user's cache (cache_dir()).
 *
 * A pull request can put links into the repository's baselines, another user into a shared folder.
 * Nothing that is written, read or removed there is to be elsewhere. Folders and files are looked
 * at by the descriptor that they are then used by.
 */
#ifndef BASE_FILE_LINKS_H
#define BASE_FILE_LINKS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the folder `path`, whose last `levels` parts may not be symbolic links; those before them
 * are followed. With `make` it and those above it are made as needed. -1 on error, with errno
 * ENOENT if there is none.
 */
int file_open_folder(const char *path, unsigned levels, bool make, struct err *err);

/* Only makes it so. */
int file_make_folder(const char *path, unsigned levels, struct err *err);

/*
 * Appends the contents of `name` in the folder, an ordinary file and no symbolic link; `path` names
 * it in messages.
 */
int file_read_in(int folder_fd, const char *name, const char *path, struct buf *out,
	size_t limit_bytes, struct err *err);

/* Makes a folder for output, and those above it, as needed, if its links are so. */
int file_make_output_folder(const char *path, struct err *err);

/*
 * The user's cache: ${XDG_CACHE_HOME:-$HOME/.cache}/profile_run.
 */

/*
 * The folder `part` of the cache, created if needed, for this user alone; free() it. NULL if it
 * cannot be created, or if it or a folder above it in the cache belongs to another user or others
 * may write there: the files in it must be our own.
 */
char *cache_dir(const char *part, struct err *err);

#endif
