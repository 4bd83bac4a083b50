/*
 * A walk over the files below a folder, in the order of their names, without the folder ".git".
 */
#ifndef BUILDS_FILE_WALK_H
#define BUILDS_FILE_WALK_H

#include <stdbool.h>
#include <stddef.h>

struct file_walk {
	size_t root_len; /* of the folder's path: the rest of a path begins with '/' */
	size_t entries;  /* seen so far */
	bool hidden;     /* hidden files and folders are visited, too */
	bool links;      /* symbolic links are visited, too */
	bool broken;     /* not all was seen; the visitor may set it, too, which ends the walk */
	/* Called for each plain file below the folder, and for links. */
	void (*visit)(struct file_walk *walk, const char *path, void *context);
	void *context;
};

/* Visits the files; returns whether all were seen. Symbolic links are left out. */
bool file_walk(const char *root, bool hidden,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context);

/* The same with hidden files and folders, and with links. */
bool file_walk_all(const char *root,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context);

#endif
