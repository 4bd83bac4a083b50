/*
 * Whether the instructions of a workload may be counted, in place of its time or beside it, and how
 * long that takes, before it is tried.
 */
#ifndef GATE_COUNT_TIME_H
#define GATE_COUNT_TIME_H

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

/*
 * Whether a workload is of CPU time, its policy permits to decide by instructions, and they are not
 * judged anyway, as another workload of the same file.
 */
bool count_instead_may(const struct workload *workload);

/*
 * Where CPU time cannot be sampled at all, as the machine refuses it, and instructions can be
 * counted, makes counted ones of the workloads of CPU time whose `decide` permits it, and says so.
 * One whose file measures instructions, too, is left out.
 */
void count_instead(struct workload_list *list);

#endif
