#include "measurement/repeat_plan.h"

#include "spec/units.h"

#include <math.h>

/* The time that a run is to take. */
#define RUN_CPU_S 1.0
#define RUN_WALL_S 3.0

void
repeat_plan_init(struct repeat_plan *plan, unsigned wanted, unsigned before)
{
	*plan = (struct repeat_plan){
		.executions = wanted > 0 ? wanted : 1,
		.automatic = wanted == 0,
		.to_be_tried = wanted == 0,
		.before = before,
	};
}

void
repeat_plan_decide(struct repeat_plan *plan, double cpu_s, double wall_s)
{
	unsigned tried = plan->executions;

	if (!plan->automatic)
		return;
	/* Rounded down: a command that takes more than half of that time is executed once. */
	double runs = fmin(RUN_CPU_S / cpu_s, RUN_WALL_S / wall_s);
	double found = fmin(fmax(floor(runs * tried), 1), REPEAT_MAX);
	bool as_before = plan->before >= found / 2 && plan->before <= found * 2;

	plan->executions = as_before ? plan->before : (unsigned)found;
	/* The first execution is the slowest, as it reads from the disk. */
	plan->to_be_tried = plan->executions > 2 * tried;
}
