/*
 * How the call stacks of a program are captured: by frame pointers, by copies of the stack that are
 * unwound later, or not at all.
 *
 * `auto` takes a trial run with both. Where the frame pointers give the same stacks, they are used,
 * since they cost next to nothing. Else stacks are copied, as many bytes as the trial run needed.
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
	bool to_be_tried;      /* a trial run is still to be taken, with the two members above */
	const char *callgraph; /* as for stack_plan_init(), as are the next two; borrowed */
	const char *before;
	uint32_t wanted_bytes;
	char *why; /* reason of the choice; owned; NULL: the user chose */
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
 * Halves the copies, after a run that lost some of them. False: they are as small as is useful, or
 * as the workload says.
 */
bool stack_plan_halve(struct stack_plan *plan);

/* Decides after the trial run. */
void stack_plan_decide(struct stack_plan *plan, const struct stack_survey *survey);

/* Puts the plan into a request. */
void stack_plan_fill(const struct stack_plan *plan, struct capture_request *request);

#endif
