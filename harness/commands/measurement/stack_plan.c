#include "measurement/stack_plan.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* With fewer stacks, the trial run does not decide. */
#define STACKS_MIN 50
/*
 * Size of copies after a trial run with too few samples: enough for all but compilers and
 * recursion.
 */
#define BYTES_UNTRIED 16384
/* Size of copies without a trial run, for events that are counted one by one: enough for most. */
#define BYTES_COUNTED 8192
/* Smaller copies would hold next to no callers. */
#define BYTES_LEAST 1024

static bool
is_text(const char *text, const char *wanted)
{
	return text && strcmp(text, wanted) == 0;
}

void
stack_plan_init(
	struct stack_plan *plan, const char *callgraph, uint32_t stack_bytes, const char *before)
{
	bool automatic = is_text(callgraph, "auto");

	*plan = (struct stack_plan){
		.callchain = !is_text(callgraph, "none"),
		.callgraph = callgraph,
		.before = before,
		.wanted_bytes = stack_bytes,
	};
	if (automatic && is_text(before, "fp")) {
		plan->why = mem_strdup("the same as in the baseline");
	} else if (automatic || is_text(callgraph, "dwarf")) {
		plan->to_be_tried = automatic || stack_bytes == 0;
		plan->stack_bytes = plan->to_be_tried ? CAPTURE_STACK_MAX : stack_bytes;
	}
}

void
stack_plan_release(struct stack_plan *plan)
{
	free(plan->why);
	plan->why = NULL;
}

void
stack_plan_settle(struct stack_plan *plan)
{
	if (!plan->to_be_tried)
		return;
	plan->to_be_tried = false;
	plan->stack_bytes = plan->wanted_bytes > 0 ? plan->wanted_bytes : BYTES_COUNTED;
}

bool
stack_plan_halve(struct stack_plan *plan)
{
	if (plan->wanted_bytes > 0 || plan->stack_bytes < 2 * BYTES_LEAST)
		return false;
	plan->stack_bytes /= 2;
	return true;
}

void
stack_plan_decide(struct stack_plan *plan, const struct stack_survey *survey)
{
	bool enough = survey->stacks >= STACKS_MIN;
	bool copies = is_text(plan->callgraph, "dwarf") || is_text(plan->before, "dwarf") ||
		      !enough || !stack_survey_trusts_frame_pointers(survey);
	struct buf why = {0};

	plan->to_be_tried = false;
	if (!copies)
		plan->stack_bytes = 0;
	else if (plan->wanted_bytes > 0)
		plan->stack_bytes = plan->wanted_bytes;
	else
		plan->stack_bytes = enough ? stack_survey_bytes(survey) : BYTES_UNTRIED;
	if (enough)
		stack_survey_explain(survey, &why);
	else
		buf_puts(&why, "too few samples to compare");
	if (plan->stack_bytes > 0)
		buf_printf(&why, "; copying %u KiB of each stack",
			(unsigned)((plan->stack_bytes + 1023) / 1024));
	free(plan->why);
	plan->why = mem_strdup(buf_text(&why));
	buf_release(&why);
}

void
stack_plan_fill(const struct stack_plan *plan, struct capture_request *request)
{
	request->callchain = plan->callchain;
	request->stack_bytes = plan->stack_bytes;
	/* Both the call chain and a copy of a stack are needed only to compare them. */
	request->kernel_chain_only = plan->stack_bytes > 0 && !plan->to_be_tried;
}
