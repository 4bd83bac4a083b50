/*
 * How the call stacks of a program are captured: frame pointers, copies of the stack to be unwound,
 * or none.
 *
 * `auto` tries: one run is captured with both, and where the frame pointers give the same stacks
 * they are used, since they cost next to nothing. Else stacks are copied, as much of them as that
 * run needed.
 */
#ifndef MEASUREMENT_STACK_PLAN_H
#define MEASUREMENT_STACK_PLAN_H

#include "capture/backend.h"
#include "ingest/stack_survey.h"

#include <stdbool.h>
#include <stdint.h>

struct stack_plan {
	bool callchain;
	uint32_t stack_bytes;  /* 0: none are copied */
	bool to_be_tried;      /* the above are for a trial run */
	const char *callgraph; /* the setting, borrowed; as for stack_plan_init() */
	const char *before;
	uint32_t wanted_bytes;
	char *why; /* owned: reason of the choice; NULL: the setting */
};

/*
 * `callgraph` is "auto", "fp", "dwarf" or "none"; `stack_bytes` 0: chosen automatically; `before`
 * is how the stacks were captured that these will be compared with ("fp", "dwarf"; NULL: not
 * known), and decides for "auto": different methods give different stacks.
 */
void stack_plan_init(
	struct stack_plan *plan, const char *callgraph, uint32_t stack_bytes, const char *before);
void stack_plan_release(struct stack_plan *plan);

/*
 * Decides without a trial: where every event is counted, whole stacks of all of them are more than
 * can be written while the program runs.
 */
void stack_plan_settle(struct stack_plan *plan);

/*
 * Half of the copies from now on, where a run lost some of them; false where they are as small as
 * is useful, or as the workload says.
 */
bool stack_plan_halve(struct stack_plan *plan);

/* After the trial run. */
void stack_plan_decide(struct stack_plan *plan, const struct stack_survey *survey);

/* Puts the plan into a request. */
void stack_plan_fill(const struct stack_plan *plan, struct capture_request *request);

#endif
