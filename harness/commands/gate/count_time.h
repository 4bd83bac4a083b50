/*
 * Counting the instructions of a workload of CPU time, before it is tried: whether it may be done
 * beside the time or in its place, and how long it will take.
 */
#ifndef GATE_COUNT_TIME_H
#define GATE_COUNT_TIME_H

#include "baseline/store.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Whether a workload is of CPU time, its policy permits to decide by instructions, and its
 * instructions are not judged anyway, as another workload of the same file.
 */
bool count_instead_may(const struct workload *workload);

/*
 * Whether a gate of this workload by time may count instructions beside it: count_instead_may()
 * holds, and valgrind is installed. Valgrind is not run.
 */
bool count_beside_may(const struct workload *workload);

/*
 * Where this machine refuses to sample CPU time, and instructions can be counted: changes the
 * workloads of CPU time whose `decide` permits it into workloads of instructions, and logs that. A
 * workload whose file measures instructions, too, is removed from the list.
 */
void count_instead(struct workload_list *list);

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
 * count_time_factor() of the latest baseline of a workload that has counts, of whatever class of
 * machines; else COUNT_TIME_FACTOR.
 */
double count_time_factor_of(const struct baseline_list *list, const struct workload *workload);

/*
 * The seconds that counting takes for an execution as long as those of `timed`: so many times the
 * CPU time, and no more waiting. NAN: not known.
 */
double count_time_of(double factor, const struct profile *timed);

/*
 * count_time_of() the latest baseline of a workload, of whatever class of machines. NAN: there is
 * none.
 */
double count_time_estimate(const struct baseline_list *list, const struct workload *workload);

#endif
