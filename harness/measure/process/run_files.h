/*
 * The files that the processes of a run executed, mapped as code, read and wrote.
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
	const char
		*name; /* the path by which it was first named, made absolute, links not followed */
	const char *by; /* the program whose process used it first; for the interpreter of a
			   script, the script; "" if not known */
	unsigned uses;  /* of enum run_file_use */
};

/* All zeros: nothing is known. Strings are the arena's. */
struct run_files {
	struct run_file *files; /* in the order of their first use */
	size_t count;
	size_t capacity;
	struct map by_path;
	bool known;    /* the run was watched from its start to its end */
	char why[128]; /* why it is not known: "seccomp(2): Operation not permitted"; else "" */
	struct arena arena;
};

void run_files_release(struct run_files *files);

/* Adds a use of the file; its name and `by` are taken only if the file is new. */
void run_files_add(struct run_files *files, const struct run_file *file);
/* The file of this path, without links; NULL if it was not used. */
const struct run_file *run_files_find(const struct run_files *files, const char *path);

#endif
