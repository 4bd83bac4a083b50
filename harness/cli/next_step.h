/* The command to begin with, for a user who gave none. */
#ifndef CLI_NEXT_STEP_H
#define CLI_NEXT_STEP_H

#include "base/err.h"

/*
 * Adds a note to an error with the next command and what it does. It depends on whether there are
 * workloads, a configuration that can be read, commits and baselines. Nothing is measured.
 */
void next_step_note(struct err *err);

#endif
