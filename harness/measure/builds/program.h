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

/* The time that a build may take: builds have their own limit, whatever the budget is. */
double program_build_limit_s(const struct workload *workload);
/* Adds a note if a build that was begun at `start_s` ran for as long as it may. */
int program_note_build_limit(const struct workload *workload, double start_s, struct err *err);

/*
 * The time that setup or teardown may take from now on: up to `deadline_s`, of clock_seconds(), but
 * the workload's `timeout` in any case; an hour where there is no deadline (0).
 */
double program_limit_s(const struct workload *workload, double deadline_s);
/* Adds a note if a command that was begun at `start_s` ran for as long as it may. */
int program_note_limit(
	const struct workload *workload, double deadline_s, double start_s, struct err *err);

/*
 * Runs the workload's build or setup command, if it has one, in its time. To build without a
 * required program is an error. The output of the build goes to the file `output_path`, too (NULL:
 * none), if there is any.
 */
int program_build(const struct workload *workload, const char *output_path, struct err *err);
int program_set_up(const struct workload *workload, double deadline_s, struct err *err);
/* Its teardown. A failure is a warning and changes nothing that was measured. */
void program_tear_down(const struct workload *workload, double deadline_s);

#endif
