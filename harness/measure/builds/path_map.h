/*
 * Replacing paths of one build by those of another: by a map for the words of a workload's `run`,
 * which the user writes or which is made of two folders, and within texts of any kind.
 */
#ifndef BUILDS_PATH_MAP_H
#define BUILDS_PATH_MAP_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Larger files are not searched for a path. */
#define SEARCHED_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct path_map;

/*
 * Reads a YAML mapping of `path as in run: other path`. A key that ends with '/' stands for all
 * paths that begin with it, and so does its value then. Located errors; NULL then.
 */
struct path_map *path_map_read(const char *path, struct err *err);
/* Maps the folder `from` and everything below it to `to`. */
struct path_map *path_map_of_folders(const char *from, const char *to);
/* NULL is fine. */
void path_map_free(struct path_map *map);

/* The file that it was read from; borrowed. NULL: from none. */
const char *path_map_source(const struct path_map *map);

/*
 * The replacement of `word`, NULL if there is none: the entry that is the word, else the longest
 * folder that it begins with. The result is borrowed from the map or lives in `arena`.
 */
const char *path_map_find(const struct path_map *map, const char *word, struct arena *arena);

/*
 * The paths below one folder in texts (a variable of the environment, a command), replaced by those
 * below another folder: "-L/here/lib:/usr/lib" becomes "-L/there/lib:/usr/lib", so that another
 * build does not run files of the working tree.
 */

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

#endif
