/*
 * The program of a workload: the commands that build and prepare it, the programs that it requires,
 * and the files that running it may execute.
 */
#ifndef BUILDS_PROGRAM_H
#define BUILDS_PROGRAM_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether programs that the workload requires are missing; then appends which, and the packages to
 * install: "wrk is not installed: apt-get install wrk".
 */
bool program_lacks(const struct workload *workload, struct buf *reason);

/* The time that a build may take: builds have their own limit, whatever the budget is. */
double program_build_limit_s(const struct workload *workload);
/* Adds a note if a build that was begun at `start_s` ran for as long as it may. */
int program_note_build_limit(const struct workload *workload, double start_s, struct err *err);

/*
 * Runs the workload's build or setup command, if it has one, within its time limit. A missing
 * required program is an error of the build. If the build prints something, that goes to the file
 * `output_path`, too (NULL: none). `deadline_s` is the end of the budget, of clock_seconds(); 0:
 * none.
 */
int program_build(const struct workload *workload, const char *output_path, struct err *err);
int program_set_up(const struct workload *workload, double deadline_s, struct err *err);
/* Runs the workload's teardown. A failure is a warning and changes nothing that was measured. */
void program_tear_down(const struct workload *workload, double deadline_s);

/*
 * The files that running a workload's command may execute.
 */

/* A path in the workload's command, resolved from its working directory; free() it. */
char *program_path(const struct workload *workload, const char *path);

/*
 * The file that a word of the command names: as it stands, or (the program itself) along PATH. NULL
 * where it names no plain file. free() it.
 */
char *program_file(const struct workload *workload, size_t word);

/*
 * The endings of files that an interpreter loads by itself: {".py", NULL}. The interpreter is known
 * by its name in the command, `word`, or by that of the file at `path`, or, if that is a script, by
 * the one that its first line names. NULL if none is a known interpreter.
 */
const char *const *program_script_endings(const char *word, const char *path);

/*
 * A walk over the files below a folder, in the order of their names, without the folder ".git".
 */

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

/*
 * A build that left its program as it was although sources or flags changed: its rules do not name
 * all that the program is made of.
 */

/*
 * Names files of the working tree that differ from `commit`, and that the build of the workload's
 * program, which is the same as that of the commit, has not used: they are newer than the program,
 * or they are sources of it whose code changed. "Makefile, a.c and 3 more"; free() it. NULL: there
 * are none, or that is not known.
 */
char *stale_build_files(const struct workload *workload, const char *commit);

/*
 * The command that builds a program, found by the files of its build system.
 */

struct build_system {
	const char *name;    /* "CMake"; NULL: none was found */
	const char *command; /* for a shell, from the current folder; NULL: it is not known */
	const char *advice;  /* a sentence for who edits the command; may be NULL */
};

/*
 * Finds the build system of `program`, named as a command in the folder `prefix` names it
 * ("bench/"; NULL: the current one), in that folder or the current one. Nothing is run. The command
 * gives two builds of the same source the same code: Go does not record the commit and the folder.
 */
void build_system_find(
	struct build_system *found, const char *program, const char *prefix, struct arena *arena);

#endif
