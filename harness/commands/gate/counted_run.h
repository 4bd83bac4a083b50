/*
 * One run of a workload of CPU time under the backend of the metric `instructions`, ten to a
 * hundred times as slow: its counts decide or explain what time does not, and can be compared with
 * those of other machines.
 */
#ifndef GATE_COUNTED_RUN_H
#define GATE_COUNTED_RUN_H

#include "base/err.h"
#include "measurement/measurement.h"

/*
 * Counts one execution of a side, which is set up, into `counted`, made here on success: functions
 * without stacks, which would take longer, by the names that samples have. The capture is made at
 * `path` and removed. A run that uses more CPU time than `limit_s` is an error; 0: the limit is
 * that of the workload's timeout (CAPTURE_COUNTED_TIMEOUT).
 */
int counted_run(const struct measurement *m, enum measure_side side, const char *path,
	double limit_s, struct profile *counted, struct err *err);

#endif
