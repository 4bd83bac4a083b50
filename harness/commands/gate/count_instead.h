/*
 * Whether instructions may be counted for a workload of CPU time: beside its time, or in its place.
 */
#ifndef GATE_COUNT_INSTEAD_H
#define GATE_COUNT_INSTEAD_H

#include "gate/count_time.h"
#include "spec/workload.h"

#include <stdbool.h>

/*
 * Whether a workload is of CPU time, its policy permits to decide by instructions, and its
 * instructions are not judged anyway, as another workload of the same file.
 */
bool count_instead_may(const struct workload *workload);
/*
 * The same, and there is a valgrind, which is not tried: whether a gate of this workload by time
 * may count instructions beside it.
 */
bool count_beside_may(const struct workload *workload);
/*
 * Where this machine refuses to sample CPU time, and instructions can be counted: changes the
 * workloads of CPU time whose `decide` permits it into workloads of instructions, and logs that. A
 * workload whose file measures instructions, too, is removed from the list.
 */
void count_instead(struct workload_list *list);

#endif
