/*
 * The paths below one folder in texts (a variable of the environment, a command), replaced by those
 * below another folder: "-L/here/lib:/usr/lib" becomes "-L/there/lib:/usr/lib", so that another
 * build does not run files of the working tree.
 */
#ifndef BUILDS_TREE_TEXT_H
#define BUILDS_TREE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether `path` is the folder or below it; both absolute, without links. */
bool path_is_below(const char *path, const char *folder);

/* The part of an absolute path that is below the current folder; else all of it. */
const char *path_from_here(const char *path);

struct tree_text;

/*
 * From the folder `here` to `there`, which may be below it; both absolute, without links. A path
 * below `here` is recognised by its text, through links as well.
 */
struct tree_text *tree_text_new(const char *here, const char *there);
/* NULL is fine. */
void tree_text_free(struct tree_text *texts);

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

#endif
