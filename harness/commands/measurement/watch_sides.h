/*
 * Checks that both sides of a paired gate are two builds: one run of each is watched for the files
 * that it uses, before the runs that are measured.
 */
#ifndef MEASUREMENT_WATCH_SIDES_H
#define MEASUREMENT_WATCH_SIDES_H

#include "measurement/measurement.h"

/*
 * Whether the sides are watched. Not where the working tree is measured beside itself, nor for
 * further metrics of a workload file with the same base.
 */
bool watch_sides_wanted(const struct measurement *m);

/*
 * Runs a side once, which is built, and notes the files that it uses; this run warms up as well. A
 * base that is the same program is not run. A program that fails is no error here: its next run
 * will fail, too.
 */
int watch_side(struct measure_shared *shared, struct measurement *m, enum measure_side side,
	struct err *err);

/* It is an error if a file of `inputs` was changed since m->inputs were taken. */
int watch_sides_check_inputs(const struct measurement *m, struct err *err);
/*
 * After the first run without a base, which is not watched: notes the installed code that it used.
 */
void watch_sides_take_installed(struct measurement *m, const struct profile *run);
/* It is an error if code that the candidate's watched or first run used has changed since. */
int watch_sides_check_code(struct measurement *m, struct err *err);
/* After the base's build: it is an error if it changed a file that the candidate's run used. */
int watch_sides_check_build(const struct measurement *m, struct err *err);

/* It is an error if a side ran files of the other one (builds/build_side.h). */
int watch_sides_check(
	const struct measure_shared *shared, const struct measurement *m, struct err *err);

/*
 * Where a measured run of the side is to note the files that it maps as code. NULL: these are not
 * checked, since the sides are not two builds.
 */
struct run_files *watch_sides_mapped(struct measurement *m, enum measure_side side);

/*
 * After a measured run of each side: an error if a file that no run before used is the other
 * side's. `ones` are the profiles of these runs, by side. They name the code of counted runs, whose
 * mappings the kernel does not record.
 */
int watch_sides_check_runs(const struct measure_shared *shared, struct measurement *m,
	const struct profile ones[MEASURE_SIDES], struct err *err);

/*
 * It is an error if counted runs of a side, which have the workload's environment only, use other
 * code than timed runs; see capture_check_counted_files(). For runs of callgrind.
 */
int watch_counted_side(const struct measurement *m, enum measure_side side, struct err *err);

/*
 * Sets m->files_note: which paths lead to the base's tree in its runs, or that these are not known.
 */
void watch_sides_note(struct measurement *m);

#endif
