/*
 * Paths below one folder, in texts that hold them (a variable of the environment, a command), as
 * paths below another: "-L/here/lib:/usr/lib" becomes "-L/there/lib:/usr/lib". So that another
 * build does not run what the working tree has.
 */
#ifndef BUILDS_TREE_TEXT_H
#define BUILDS_TREE_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "process/run_files.h"

#include <stdbool.h>
#include <stddef.h>

struct tree_text;

/*
 * From the folder `here` to `there`, which may be below it; both absolute, without links. A path
 * below `here` is recognised by its text, through links as well.
 */
struct tree_text *tree_text_new(const char *here, const char *there);
/* NULL is fine. */
void tree_text_free(struct tree_text *texts);

/* Whether `path` is the folder or below it; both absolute, without links. */
bool path_is_below(const char *path, const char *folder);

/* The two folders; borrowed. */
const char *tree_text_here(const struct tree_text *texts);
const char *tree_text_there(const struct tree_text *texts);

/* A path that was replaced. Strings are an arena's. */
struct moved_path {
	const char *in;    /* which variable ("LD_LIBRARY_PATH") or key ("run") holds it */
	const char *here;  /* as it was */
	const char *there; /* as it is now */
};

/* In the order of the texts. All zeros: none. The array is to be freed. */
struct moved_paths {
	struct moved_path *paths;
	size_t count;
	size_t capacity;
};

/*
 * The text with its paths replaced, NULL where it has none; the arena's. What was replaced is added
 * to `moved` (NULL: to nothing), with `in`.
 */
const char *tree_text_move(const struct tree_text *texts, const char *text, const char *in,
	struct moved_paths *moved, struct arena *arena);

/*
 * How a run came to use a file: by which link, rpath, first line of a script, or text in another
 * file that it used.
 */

/*
 * Appends a clause, such as "by the rpath of 'bench'", of a file among those of the run. It is
 * below the folder `in`, whose name is looked for as well, and should have been below `own`, which
 * may be below the other; both are absolute, without links. False, and nothing appended, where it
 * is not known: a program can make a path in any way.
 */
bool file_origin_put(const struct run_files *files, const struct run_file *file, const char *in,
	const char *own, struct buf *out);

/* Whether a file, of some MB at most, has this path in it, as one that ends there or goes on below.
 */
bool file_origin_mentions(const char *path, const char *text);

#endif
