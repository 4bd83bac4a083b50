/*
 * How many executions make a run: so many, one after the other, as take about a second of CPU time,
 * for a command of some milliseconds has too few samples by itself. A command that waits, or that
 * others keep waiting, may take three times as long.
 */
#ifndef PIPELINE_REPEAT_PLAN_H
#define PIPELINE_REPEAT_PLAN_H

#include <stdbool.h>

struct repeat_plan {
	unsigned executions; /* of the next run */
	bool automatic;
	bool to_be_tried; /* too little was executed yet to tell how long it takes */
	unsigned before;
};

/*
 * `wanted` of the user, 0 where it is to be found out; `before` is the number of what these runs
 * will be compared with, 0 if not known: where it makes runs of half as long to twice as long it is
 * taken.
 */
void repeat_plan_init(struct repeat_plan *plan, unsigned wanted, unsigned before);

/* After a run as planned, which took so much CPU time and wall time. */
void repeat_plan_decide(struct repeat_plan *plan, double cpu_s, double wall_s);

#endif
