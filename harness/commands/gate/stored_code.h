/*
 * The machine code of a program's functions, as it is stored beside a baseline. It tells a stored
 * gate which functions changed since, as a build of the commit would.
 */
#ifndef GATE_STORED_CODE_H
#define GATE_STORED_CODE_H

#include "base/err.h"
#include "builds/build_side.h"
#include "code/code_list.h"
#include "profile/profile.h"

#include <stdbool.h>

/*
 * Stores the code of the files that `profile`->code names beside a baseline. The files are in
 * `side` (NULL: here). Stores nothing where no file can be read.
 */
int stored_code_write(const char *folder, const struct build_side *side,
	const struct profile *profile, const char *program_hash, const char *commit,
	struct err *err);

/*
 * Reads the code stored in `folder`; to be released in any case. False: there is none that can be
 * used.
 */
bool stored_code_read(const char *folder, struct code_lists *lists);

/* Reads it, too; an error where code is stored and cannot be used. */
int stored_code_check(const char *folder, struct err *err);

/*
 * Whether a list is surely of the file that the runs of a baseline executed: it has the same digest
 * or, where no digest is stored, is of the same program.
 */
bool stored_code_is_of(const struct code_lists *lists, const struct code_list *list,
	const struct profile *before, const char *program_hash);

#endif
