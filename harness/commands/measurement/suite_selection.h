/*
 * Which benchmarks of a suite are measured: those that the change between the two builds can reach.
 * One run of each shows the functions that it executes, and the machine code of both builds what
 * changed.
 */
#ifndef MEASUREMENT_SUITE_SELECTION_H
#define MEASUREMENT_SUITE_SELECTION_H

#include "base/err.h"
#include "measurement/measurement.h"

/* The programs that were compared so far, for all benchmarks of a gate. */
struct suite_selection;

/*
 * Once both sides are built and known to be two programs: sets m->unreached if the benchmark cannot
 * reach the change, and m->reached to the part of its functions that changed. What cannot be known
 * is measured. -1 only after an interruption.
 */
int suite_select(struct suite_selection **selection, struct measurement *m, struct err *err);
/* NULL is fine. */
void suite_selection_free(struct suite_selection *selection);

#endif
