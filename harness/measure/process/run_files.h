/*
 * The files that the processes of a run executed, mapped as code, read and wrote: what a watched
 * run (file_watch.h) was seen to use.
 */
#ifndef PROCESS_RUN_FILES_H
#define PROCESS_RUN_FILES_H

#include "base/arena.h"
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

/* How a file was used: any of these together. */
enum run_file_use {
	RUN_FILE_EXECUTED = 1, /* by execve(2), as a program, a script or a script's interpreter */
	RUN_FILE_MAPPED = 2,   /* with PROT_EXEC: a shared library, a program's loader excepted */
	RUN_FILE_READ = 4,     /* opened for reading, or for both */
	RUN_FILE_WRITTEN = 8,  /* opened for writing, or for both, or made */
};

/* A plain file that was there when it was used. */
struct run_file {
	const char *path; /* absolute, without links */
	const char *name; /* as it was first named, made absolute, its links not followed */
	const char *by;   /* the program whose process used it first; of a script's interpreter the
			     script; "" if not known */
	unsigned uses;    /* of enum run_file_use */
};

/* All zeros: nothing is known. Strings are the arena's. */
struct run_files {
	struct run_file *files; /* in the order of their first use */
	size_t count;
	size_t capacity;
	struct map by_path;
	bool known;    /* the run was watched from its start to its end */
	char why[128]; /* it is not: "seccomp(2): Operation not permitted"; "" where it is */
	struct arena arena;
};

void run_files_release(struct run_files *files);

/* Adds a use of the file; the other strings are taken where it is new. */
void run_files_add(struct run_files *files, const struct run_file *file);
/* The file of this path, without links; NULL if it was not used. */
const struct run_file *run_files_find(const struct run_files *files, const char *path);

#endif
