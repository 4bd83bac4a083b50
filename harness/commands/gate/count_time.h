/*
 * How long it takes to count the instructions of a workload, before that is tried.
 */
#ifndef PIPELINE_COUNT_TIME_H
#define PIPELINE_COUNT_TIME_H

#include "baseline/store.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Where nothing was counted yet: a run that counts takes about so many times the CPU time of one
 * that does not. Measured of the shipped workloads: 2 (mostly system calls) to 34.
 */
#define COUNT_TIME_FACTOR 30

/*
 * Whether a gate of this workload by time may count instructions beside it: its policy permits it,
 * and there is a valgrind, which is not tried.
 */
bool count_time_is_asked(const struct workload *workload);

/* The mean time of an execution, by the CPU or by the clock; NAN: not known. */
double count_time_cpu_s(const struct profile *profile);
double count_time_wall_s(const struct profile *profile);

/*
 * How many times as much CPU time a counted execution took as a timed one of the same baseline.
 * NAN: not known.
 */
double count_time_factor(const struct profile *timed, const struct profile *counted);

/* The same of the latest baseline that has counts, of whatever class; else COUNT_TIME_FACTOR. */
double count_time_factor_of(const struct baseline_list *list, const struct workload *workload);

/*
 * The seconds that counting takes of an execution that takes as long as those of `timed`: by this
 * factor more CPU time, and no more waiting. NAN: not known.
 */
double count_time_of(double factor, const struct profile *timed);

/* The same by the latest baseline of a workload, of whatever class. NAN: there is none. */
double count_time_estimate(const struct baseline_list *list, const struct workload *workload);

#endif
