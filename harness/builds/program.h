/*
 * The commands of a workload that make and prepare its program.
 */
#ifndef BUILDS_PROGRAM_H
#define BUILDS_PROGRAM_H

#include "base/err.h"
#include "spec/workload.h"

/* Runs the workload's build or setup command, if it has one. */
int program_build(const struct workload *workload, struct err *err);
int program_set_up(const struct workload *workload, struct err *err);
/* Its teardown. A failure is a warning and changes nothing that was measured. */
void program_tear_down(const struct workload *workload);

#endif
