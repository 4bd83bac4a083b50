/*
 * The command that builds a program, found by the files of its build system.
 */
#ifndef BUILDS_BUILD_SYSTEM_H
#define BUILDS_BUILD_SYSTEM_H

#include "base/arena.h"

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
