/*
 * Gates of CPU time on machines that refuse to sample it: instructions are counted in its place.
 */
#ifndef PIPELINE_COUNT_INSTEAD_H
#define PIPELINE_COUNT_INSTEAD_H

#include "spec/workload.h"

/*
 * Where CPU time cannot be sampled at all and instructions can be counted, makes counted ones of
 * the workloads of CPU time whose `decide` permits it, and says so. One whose file measures
 * instructions, too, is left out.
 */
void count_instead(struct workload_list *list);

#endif
