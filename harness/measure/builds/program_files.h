/*
 * The files that running a workload's command may execute.
 */
#ifndef BUILDS_PROGRAM_FILES_H
#define BUILDS_PROGRAM_FILES_H

#include "base/hash.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* A path in the workload's command, resolved from its working directory; free() it. */
char *program_path(const struct workload *workload, const char *path);

/* The part of an absolute path that is below the current folder; else all of it. */
const char *program_path_from_here(const char *path);

/*
 * The file that a word of the command names: as it stands, or (the program itself) along PATH. NULL
 * where it names no plain file. free() it.
 */
char *program_file(const struct workload *workload, size_t word);

/*
 * The endings of files that an interpreter loads by itself: {".py", NULL}. It is called as `word`,
 * which may be a script that starts another version, or is the file at `path`, or the one that the
 * script there names. NULL if it is no known interpreter.
 */
const char *const *program_script_endings(const char *word, const char *path);

/*
 * One hash of the names and contents of the files below `root` with these endings. Hidden folders
 * are left out. False if there are too many, or one cannot be read.
 */
bool program_hash_scripts(const char *root, const char *const *endings, char hash[HASH_TEXT_SIZE]);

/*
 * Whether the programs and shared libraries below `one` that are also below `other` are the same in
 * their loaded parts, and no shared library is missing there, since it may be one that is loaded if
 * present. False also where that is not known.
 */
bool program_folders_agree(const char *one, const char *other);

/*
 * A walk over the files below a folder, by name, but for what git keeps.
 */

struct file_walk {
	size_t root_len; /* of the folder: what follows in a path begins with '/' */
	size_t entries;
	bool hidden; /* hidden files and folders are seen, too */
	bool links;  /* symbolic links are */
	bool broken; /* not all of it was seen; the visitor may set it, too, which ends the walk */
	/* For a plain file below the root, or a link. */
	void (*visit)(struct file_walk *walk, const char *path, void *context);
	void *context;
};

/* Whether all was seen. Symbolic links are left out. */
bool file_walk(const char *root, bool hidden,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context);

/* The same with all that is hidden, and with links. */
bool file_walk_all(const char *root,
	void (*visit)(struct file_walk *walk, const char *path, void *context), void *context);

#endif
