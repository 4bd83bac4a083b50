/*
 * The programs that a workload requires, and its commands that make and prepare its own.
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

/*
 * Runs the workload's build or setup command, if it has one. To build without a required program is
 * an error.
 */
int program_build(const struct workload *workload, struct err *err);
int program_set_up(const struct workload *workload, struct err *err);
/* Its teardown. A failure is a warning and changes nothing that was measured. */
void program_tear_down(const struct workload *workload);

#endif
