/*
 * The command that is of use next in this folder: for who calls profile_run without one.
 */
#ifndef CLI_NEXT_STEP_H
#define CLI_NEXT_STEP_H

#include "base/err.h"

/*
 * Adds a note with that command and what it does, by whether there are workloads, a configuration
 * that can be read, commits and baselines. Nothing is measured.
 */
void next_step_note(struct err *err);

#endif
