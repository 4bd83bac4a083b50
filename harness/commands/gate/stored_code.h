/*
 * The machine code of a program's functions, as it is stored beside a baseline: a stored gate knows
 * by it which functions changed since, as one with a build of the commit does.
 */
#ifndef GATE_STORED_CODE_H
#define GATE_STORED_CODE_H

#include "base/err.h"
#include "builds/build_side.h"
#include "code/inventory.h"
#include "profile/profile.h"

#include <stdbool.h>

/*
 * Stores that of the files which `profile`->code names, which are in `side` (NULL: here), beside a
 * baseline. Nothing where there is none that can be read.
 */
int stored_code_write(const char *folder, const struct build_side *side,
	const struct profile *profile, const char *program_hash, const char *commit,
	struct err *err);

/* Reads what is stored in `folder`; to be released in any case. False: nothing of use. */
bool stored_code_read(const char *folder, struct code_lists *lists);

/* Reads the same; an error where it is there and cannot be used. */
int stored_code_check(const char *folder, struct err *err);

/*
 * Whether the list is surely of the file that the runs of a baseline executed: of the same digest
 * or, where that is not stored, of the same program.
 */
bool stored_code_is_of(const struct code_lists *lists, const struct code_list *list,
	const struct profile *before, const char *program_hash);

#endif
