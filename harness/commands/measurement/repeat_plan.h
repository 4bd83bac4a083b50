/*
 * How many executions make a run: as many, one after the other, as take about a second of CPU time,
 * since a command of some milliseconds has too few samples by itself. A command that waits or is
 * preempted may take three times as long.
 */
#ifndef MEASUREMENT_REPEAT_PLAN_H
#define MEASUREMENT_REPEAT_PLAN_H

#include <stdbool.h>

struct repeat_plan {
	unsigned executions; /* of the next run */
	bool automatic;      /* else the user gave the number */
	bool to_be_tried; /* too little was executed so far to tell how long an execution takes */
	unsigned before;  /* as for repeat_plan_init() */
};

/*
 * `wanted` is the number that the user gave, 0: it is chosen. `before` is the number in the runs
 * that these will be compared with, 0: not known; it is chosen if it makes runs at least half and
 * at most twice as long as they would be otherwise.
 */
void repeat_plan_init(struct repeat_plan *plan, unsigned wanted, unsigned before);
/* After a run of plan->executions that took so much CPU time and wall time. */
void repeat_plan_decide(struct repeat_plan *plan, double cpu_s, double wall_s);

#endif
