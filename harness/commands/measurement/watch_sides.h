/*
 * That both sides of a paired gate are two builds: a run of each is watched for the files that it
 * uses, before those that count.
 */
#ifndef MEASUREMENT_WATCH_SIDES_H
#define MEASUREMENT_WATCH_SIDES_H

#include "measurement/measurement.h"

/* Whether the sides are watched: not the working tree beside itself, nor a file's second metric
 * with the same base. */
bool watch_sides_wanted(const struct measurement *m);

/*
 * Runs a side once, which is built, and notes its files; it warms up as well. That of a base that
 * is the same program is not needed. A program that fails is no error here: so will its next run.
 */
int watch_side(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	struct err *err);

/* It is an error if a file of `inputs` was changed since m->inputs were taken. */
int watch_sides_check_inputs(const struct measurement *m, struct err *err);
/* After the first run of a single build, which is not watched: the installed code that it used. */
void watch_sides_take_installed(struct measurement *m, const struct profile *run);
/* It is an error if code that the candidate's watched run used, or its first, is no longer as it
 * was. */
int watch_sides_check_code(struct measurement *m, struct err *err);
/* After the base's build: it is an error if that changed a file of the candidate's run. */
int watch_sides_check_build(const struct measurement *m, struct err *err);

/* Whether each side ran its own files (builds/build_side.h). */
int watch_sides_check(
	const struct measure_shared *shared, const struct measurement *m, struct err *err);

/*
 * Where the files go that a run of the side which counts maps as code. NULL: they are not checked,
 * as the sides are not two builds.
 */
struct run_files *watch_sides_mapped(struct measurement *m, enum measure_side side);

/*
 * After a run of each side that counts: whether the files that no run before it used are its own.
 * `ones` are their profiles, by side: of runs that the kernel does not record they name the code.
 */
int watch_sides_check_runs(const struct measure_shared *shared, struct measurement *m,
	const struct profile ones[MEASURE_SIDES], struct err *err);

/*
 * Whether counted runs of a side, with the workload's environment only, use the same code as timed
 * ones; capture_check_counted_files() says more. For runs of callgrind.
 */
int watch_counted_side(const struct measurement *m, enum measure_side side, struct err *err);

/* Sets m->files_note: which paths lead to the base's tree in its runs, or that it is not known. */
void watch_sides_note(struct measurement *m);

#endif
