/*
 * A walk over the files below a folder, by name; links are left out, and so is what git keeps.
 */
#ifndef BUILDS_FILE_WALK_H
#define BUILDS_FILE_WALK_H

#include <stdbool.h>
#include <stddef.h>

struct file_walk {
	size_t root_len; /* of the folder: what follows in a path begins with '/' */
	size_t entries;
	bool hidden; /* hidden files and folders are seen, too */
	bool broken; /* not all of it was seen; the visitor may set it, too, which ends the walk */
	/* For a plain file below the root. */
	void (*visit)(struct file_walk *walk, const char *path, void *context);
	void *context;
};

/* Whether all was seen. */
bool file_walk(const char *root, bool hidden,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context);

#endif
