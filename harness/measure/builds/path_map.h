/*
 * A map from paths of one build to those of another: read from a file that the user writes for the
 * paths in a workload's `run`, or made of two folders.
 */
#ifndef BUILDS_PATH_MAP_H
#define BUILDS_PATH_MAP_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
