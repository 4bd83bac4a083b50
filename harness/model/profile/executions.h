/*
 * The number of executions of the program in each run of a profile, and the basis of costs: one
 * run, or one of the executions that make a run.
 */
#ifndef PROFILE_EXECUTIONS_H
#define PROFILE_EXECUTIONS_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

/* The executions of a run; 1 where it is not known. */
double executions_of_run(const struct run *run);

/* The basis of costs: "execution" if a run has several, else "run". */
const char *executions_basis(const struct profile *profile);

/* Whether any run has several executions. */
bool executions_several(const struct profile *profile);

/*
 * Appends how many executions the runs first .. first + count - 1 have:
 * " of 60 executions each", " of 40 to 60 executions"; nothing where it is one.
 */
void executions_put(const struct profile *profile, size_t first, size_t count, struct buf *out);
/*
 * Appends the runs first .. first + count - 1: "10 runs", "10 runs of 60 executions each", "20 runs
 * of 40 to 60 executions".
 */
void executions_put_runs(
	const struct profile *profile, size_t first, size_t count, struct buf *out);

#endif
