/*
 * How a run came to use a file: by which link, rpath, first line of a script, or text in another
 * file that it used.
 */
#ifndef BUILDS_FILE_ORIGIN_H
#define BUILDS_FILE_ORIGIN_H

#include "base/buf.h"
#include "process/run_files.h"

#include <stdbool.h>

/*
 * Appends a clause, such as "by the rpath of 'bench'", that says how the run came to use `file`,
 * which is among its `files`. The file is below the folder `in`, whose name is looked for as well,
 * and should have been below `own`, which may be below `in`; both are absolute, without links.
 * False, and nothing appended, where it is not known: a program can make a path in any way.
 */
bool file_origin_put(const struct run_files *files, const struct run_file *file, const char *in,
	const char *own, struct buf *out);

/*
 * Whether the file at `path`, of some MB at most, contains the path `text`: one that ends there or
 * goes on below it.
 */
bool file_origin_mentions(const char *path, const char *text);

#endif
