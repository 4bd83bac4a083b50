/*
 * Folders that others may have put symbolic links into: a pull request into the repository's
 * baselines, another user into a shared folder. Such a link must not lead reading, writing or
 * removing to a place outside of the folder. So folders and files are checked through the
 * descriptor by which they are used afterwards.
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

/* The same with `make`, without keeping the folder open. */
int file_make_folder(const char *path, unsigned levels, struct err *err);

/*
 * Appends the contents of the file `name` in the folder, at most `limit_bytes`. An error where it
 * is a symbolic link or no ordinary file; `path` names the file in messages.
 */
int file_read_in(int folder_fd, const char *name, const char *path, struct buf *out,
	size_t limit_bytes, struct err *err);

/*
 * Checks the symbolic links among the parts of `path` that exist: they must be this user's or
 * root's. Of those on a relative path the log says where they lead.
 */
int file_check_links(const char *path, struct err *err);

/*
 * Makes a folder for output, and those above it, as needed. An error where
 * file_check_links() finds one.
 */
int file_make_output_folder(const char *path, struct err *err);

#endif
