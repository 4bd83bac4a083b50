/*
 * The files that running a workload's command may execute.
 */
#ifndef BUILDS_PROGRAM_FILES_H
#define BUILDS_PROGRAM_FILES_H

#include "base/hash.h"
#include "spec/workload.h"

#include <stdbool.h>
#include <stddef.h>

/* A path as the workload's command has it, from where that runs; free() it. */
char *program_path(const struct workload *workload, const char *path);

/*
 * The file that a word of the command names: as it stands, or (the program itself) along PATH. NULL
 * where it names no plain file. free() it.
 */
char *program_file(const struct workload *workload, size_t word);

/*
 * How the names of files end that an interpreter loads by itself: {".py", NULL}. It is called as
 * `word`, which may be a script that starts another version, or is the file at `path`, or the one
 * that the script there names. NULL where it is no interpreter that is known.
 */
const char *const *program_script_endings(const char *word, const char *path);

/*
 * One hash of the files below `root` whose names end so, with the names. Hidden folders are left
 * out. False where there are too many, or one cannot be read.
 */
bool program_hash_scripts(const char *root, const char *const *endings, char hash[HASH_TEXT_SIZE]);

/*
 * Whether the programs and shared libraries below `one` that are below `other`, too, are the same
 * as far as they are loaded, and no shared library is missing there: it may be one that is loaded
 * if it is there. False also where that is not known.
 */
bool program_folders_agree(const char *one, const char *other);

#endif
