/*
 * Gates of CPU time on machines that refuse to sample it: instructions are counted in its place.
 */
#ifndef PIPELINE_COUNT_INSTEAD_H
#define PIPELINE_COUNT_INSTEAD_H

#include "spec/workload.h"

#include <stdbool.h>

/*
 * Whether a workload is of CPU time, its policy permits to decide by instructions, and they are not
 * judged anyway, as another workload of the same file.
 */
bool count_instead_may(const struct workload *workload);

/*
 * Where CPU time cannot be sampled at all and instructions can be counted, makes counted ones of
 * the workloads of CPU time whose `decide` permits it, and says so. One whose file measures
 * instructions, too, is left out.
 */
void count_instead(struct workload_list *list);

#endif
