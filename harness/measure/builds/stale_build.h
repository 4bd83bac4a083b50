/*
 * A build that left its program as it was although sources or flags changed: its rules do not name
 * all that the program is made of.
 */
#ifndef BUILDS_STALE_BUILD_H
#define BUILDS_STALE_BUILD_H

#include "spec/workload.h"

/*
 * Names files of the working tree that differ from `commit`, and that the build of the workload's
 * program, which is the same as that of the commit, has not used: they are newer than the program,
 * or they are sources of it whose code changed. "Makefile, a.c and 3 more"; free() it. NULL: there
 * are none, or that is not known.
 */
char *stale_build_files(const struct workload *workload, const char *commit);

#endif
