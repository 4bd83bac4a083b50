/*
 * The commands of a workload that build and prepare its program, and the other programs that it
 * requires.
 */
#ifndef BUILDS_PROGRAM_H
#define BUILDS_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"
#include "spec/workload.h"

#include <stdbool.h>

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

#endif
