/*
 * How long it takes to count the instructions of a workload, before that is tried.
 */
#ifndef PIPELINE_COUNT_TIME_H
#define PIPELINE_COUNT_TIME_H

#include "baseline/store.h"
#include "spec/workload.h"

#include <stdbool.h>

/* A run that counts instructions takes about so many times as long as one that does not. */
#define COUNT_TIME_FACTOR 30

/*
 * Whether a gate of this workload by time may count instructions beside it: its policy permits it,
 * and there is a valgrind, which is not tried.
 */
bool count_time_is_asked(const struct workload *workload);

/* The mean wall time of an execution of a profile's runs; NAN: not known. */
double count_time_of(const struct profile *profile);

/*
 * Of one build: as long as counting took whose result is stored beside the latest baseline that has
 * counts, of whatever class of machines, else COUNT_TIME_FACTOR times as long as an execution of
 * the latest baseline took. NAN: there is none.
 */
double count_time_estimate(const struct baseline_list *list, const struct workload *workload);

#endif
