/*
 * The size of a workload's program, in place of a run: what the program files of one build weigh in
 * the sections that hold code and data, by function.
 */
#ifndef MEASUREMENT_PROGRAM_SIZE_H
#define MEASUREMENT_PROGRAM_SIZE_H

#include "measurement/measurement.h"

/* Whether a workload is measured so: nothing of it is run. */
bool program_size_wanted(const struct measurement *m);

/* measurement_choose() of such a workload: its event, and one reading in place of runs. */
int program_size_choose(struct measurement *m, struct err *err);

/*
 * Reads the program files of a side that are its own, and of those below the working tree the
 * libraries that are loaded with them, into `one`, which is made here: stacks of file, section,
 * namespace, template and symbol. A command that names none is an error.
 */
int program_size_read(
	const struct measurement *m, enum measure_side side, struct profile *one, struct err *err);

#endif
