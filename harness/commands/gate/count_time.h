/* How long it takes to count the instructions of a workload, estimated before it is tried. */
#ifndef GATE_COUNT_TIME_H
#define GATE_COUNT_TIME_H

#include "baseline/store.h"
#include "spec/workload.h"

/*
 * Where nothing was counted yet, a counted run is taken to use so many times the CPU time of a
 * timed one. Measured for the shipped workloads: 2 (mostly system calls) to 34.
 */
#define COUNT_TIME_FACTOR 30

/* The mean CPU time of an execution in seconds; NAN: not known. */
double count_time_cpu_s(const struct profile *profile);

/*
 * How many times as much CPU time a counted execution took as a timed one of the same baseline.
 * NAN: not known.
 */
double count_time_factor(const struct profile *timed, const struct profile *counted);

/*
 * The same for the latest baseline of a workload that has counts, of whatever class of machines;
 * else COUNT_TIME_FACTOR.
 */
double count_time_factor_of(const struct baseline_list *list, const struct workload *workload);

/*
 * The seconds that counting takes for an execution as long as those of `timed`: so many times the
 * CPU time, and no more waiting. NAN: not known.
 */
double count_time_of(double factor, const struct profile *timed);

/* The same for the latest baseline of a workload, of whatever class. NAN: there is none. */
double count_time_estimate(const struct baseline_list *list, const struct workload *workload);

#endif
