/*
 * The files that running a workload's command may execute.
 */
#ifndef BUILDS_PROGRAM_FILES_H
#define BUILDS_PROGRAM_FILES_H

#include "spec/workload.h"

#include <stddef.h>

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

#endif
