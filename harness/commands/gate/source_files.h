/*
 * The source files of a program, as debug information names them: their paths in the repository,
 * their changed lines and their texts. Files of Go with changed lines have their functions, too:
 * debug information of Go has no line of a declaration.
 */
#ifndef GATE_SOURCE_FILES_H
#define GATE_SOURCE_FILES_H

#include "base/arena.h"
#include "base/buf.h"
#include "builds/diff_hunks.h"
#include "builds/git.h"
#include "builds/source_scan.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* A source file that debug information names. */
struct source {
	const char *path; /* in the repository; NULL: it is not there */
	bool changed;     /* it has changed lines */
	bool tried;       /* reading it was tried */
	struct buf text;  /* if it was read */
};

/* A file of Go that has changed lines. */
struct go_file {
	const char *path; /* borrowed from the lines */
	struct go_functions functions;
};

struct source_files {
	struct changed_lines lines; /* since the commit of the side before */
	char head[GIT_COMMIT_SIZE];
	char *top; /* folder of the working tree */

	struct strtab names;    /* as debug information has them */
	struct source *sources; /* owned; by name */
	size_t nsources;
	size_t capacity;

	struct go_file *go_files; /* owned */
	size_t ngo_files;
	size_t go_capacity;
	struct arena arena; /* of the paths, and of names in Go files */
};

/*
 * Reads the lines that changed from commit `base` to the working tree, where `head` is checked out.
 * False, with nothing to release, where git does not have these commits or finds no difference.
 */
bool source_files_init(struct source_files *files, const char *base, const char *head);
void source_files_release(struct source_files *files);

/* Finds the files that the frames of a profile name, unless that was done before. */
void source_files_find(struct source_files *files, const struct profile *profile);
/* Finds the files whose names were added to files->names from `first` on. */
void source_files_find_added(struct source_files *files, size_t first);
/* The file that a frame names; NULL: it was not found. */
struct source *source_files_of(
	struct source_files *files, const struct profile *profile, const struct frame *frame);
/* The text of a file in the repository; empty where it cannot be read. Borrowed. */
const struct buf *source_files_text(const struct source_files *files, struct source *source);
/* Reads a file of the repository into `text`; empty where it cannot be read. */
void source_files_read(const struct source_files *files, const char *path, struct buf *text);
/* Whether the name is that of a Go file. */
bool source_is_go(const char *path, size_t len);

#endif
