/*
 * A base that cannot be compared with: the workload or one of its files is new since, or the base
 * fails although the candidate works. The finding then says so (base_subject and base_problem of
 * struct measurement), and the candidate is measured without it, once, for its picture.
 */
#ifndef MEASUREMENT_BASE_FAILURE_H
#define MEASUREMENT_BASE_FAILURE_H

#include "base/err.h"
#include "measurement/measurement.h"

#include <stdbool.h>

/*
 * Whether the workload is new, so that the base does not have it. It is then measured without the
 * base.
 */
bool base_lacks_workload(struct measurement *m);
/*
 * After a run of the base without a result, of a benchmark that the candidate lists: it is new. It
 * is then measured without the base.
 */
void base_lacks_benchmark(struct measurement *m);
/* Puts the name of the base ahead of an error that is not the candidate's. Returns -1. */
int base_blame(struct measurement *m, struct err *err);
/*
 * Once both are built: looks for files that the candidate's command names and the base lacks. One
 * that is new leaves nothing to compare with; one that is in no commit is an error.
 */
int base_check_named_inputs(struct measurement *m, struct err *err);
/* Looks, as base_check_named_inputs(), for files that a watched run of the candidate opened. */
int base_check_opened_inputs(struct measurement *m, struct err *err);
/*
 * After a run of the base failed with `err`, in `where` ("warm-up run 1"; NULL: before any run).
 * Pairs that were taken before are judged, if there are enough. -1 where the failure is not the
 * program's.
 */
int base_set_aside(struct measurement *m, const char *where, struct err *err);

#endif
