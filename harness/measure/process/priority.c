/* Scheduling priorities: setpriority(2) and sched(7). */
#include "process/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

#define NICE_NORMAL 0
#define NICE_RAISED (-20)

bool
priority_raise(void)
{
	errno = 0;
	return getpriority(PRIO_PROCESS, 0) == NICE_NORMAL && errno == 0 &&
	       setpriority(PRIO_PROCESS, 0, NICE_RAISED) == 0;
}

void
priority_restore(void)
{
	setpriority(PRIO_PROCESS, 0, NICE_NORMAL);
}

bool
priority_may_rise(void)
{
	const bool may = priority_raise();

	if (may)
		priority_restore();
	return may;
}

static bool
set_policy(int policy, int priority)
{
	const struct sched_param parameters = {.sched_priority = priority};

	return sched_setscheduler(0, policy, &parameters) == 0;
}

bool
priority_run_ahead(void)
{
	return sched_getscheduler(0) == SCHED_OTHER &&
	       set_policy(SCHED_FIFO | SCHED_RESET_ON_FORK, 1);
}

void
priority_run_normally(void)
{
	set_policy(SCHED_OTHER, 0);
}
