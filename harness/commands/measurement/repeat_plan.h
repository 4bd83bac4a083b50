/*
 * How many executions make a run: as many, one after the other, as take about a second of CPU time,
 * since a command of some milliseconds has too few samples by itself. A command that waits or is
 * preempted may take three times as long.
 */
#ifndef PIPELINE_REPEAT_PLAN_H
#define PIPELINE_REPEAT_PLAN_H

#include <stdbool.h>

struct repeat_plan {
	unsigned executions; /* of the next run */
	bool automatic;
	bool to_be_tried; /* too little was executed so far to tell how long it takes */
	unsigned before;
};

/*
 * `wanted` by the user, 0: chosen automatically; `before` is the number in the runs that these will
 * be compared with, 0 if not known: it is used if it makes runs half to twice as long.
 */
void repeat_plan_init(struct repeat_plan *plan, unsigned wanted, unsigned before);

/* After a run as planned, which took so much CPU time and wall time. */
void repeat_plan_decide(struct repeat_plan *plan, double cpu_s, double wall_s);

#endif
