/*
 * A base that cannot be measured: the candidate is measured without it, or the workload is an
 * error.
 */
#ifndef PIPELINE_BASE_PROBLEM_H
#define PIPELINE_BASE_PROBLEM_H

#include "measurement/measurement.h"

#include <stdbool.h>

/*
 * Whether the workload is new, so that the base has nothing to compare with: then the candidate
 * alone is measured, once.
 */
bool base_leaves_out_new(struct measurement *m);

/* Begins the error with the base's name. Returns -1. */
int base_blame(struct measurement *m, struct err *err);

/*
 * Once both are built: a file that the candidate's command names and the base lacks. An error if it
 * is in no commit; one that is new leaves nothing to compare with.
 */
int base_check_inputs(struct measurement *m, struct err *err);
/* The same for files in no commit that a watched run of the candidate opened. */
int base_check_used(struct measurement *m, struct err *err);

/*
 * A run of the base failed with `err`, in `where` ("warm-up run 1"): the finding says so, and the
 * candidate goes on alone; pairs that are enough are still judged. -1 where the failure is not the
 * program's.
 */
int base_set_aside(struct measurement *m, const char *where, struct err *err);

#endif
