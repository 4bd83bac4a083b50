/* What changes a priority runs as a separate process: it may not be possible to change it back. */
#include "process/priority.h"

#include "in_process.h"
#include "unit.h"

#include <sched.h>
#include <sys/resource.h>

void suite_process_priority(void);

static int
nice_above_lowest(void)
{
	return getpriority(PRIO_PROCESS, 0) + 20;
}

/* The nice value of a process that is started now. */
static int
nice_of_child(void)
{
	return in_process(nice_above_lowest) - 20;
}

/* Each returns the number of its first claim that does not hold; 0: all do. */

static int
raise_and_restore(void)
{
	if (nice_of_child() != 0)
		return 1;
	if (!priority_raise() || nice_of_child() != -20)
		return 2;
	/* It is not the normal one. */
	if (priority_raise() || nice_of_child() != -20)
		return 3;
	priority_restore();
	return nice_of_child() == 0 && priority_may_rise() && nice_of_child() == 0 ? 0 : 4;
}

static int
raise_after_nice(void)
{
	if (setpriority(PRIO_PROCESS, 0, 5) != 0)
		return 1;
	return priority_may_rise() || priority_raise() || nice_of_child() != 5 ? 2 : 0;
}

static int
own_policy(void)
{
	return sched_getscheduler(0);
}

static int
run_ahead_and_normally(void)
{
	if (!priority_run_ahead() || (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO)
		return 1;
	if (in_process(own_policy) != SCHED_OTHER)
		return 2;
	if (priority_run_ahead())
		return 3;
	priority_run_normally();
	return sched_getscheduler(0) == SCHED_OTHER ? 0 : 4;
}

static int
run_ahead_of_batch(void)
{
	const struct sched_param none = {.sched_priority = 0};

	if (sched_setscheduler(0, SCHED_BATCH, &none) != 0)
		return 1;
	return priority_run_ahead() || sched_getscheduler(0) != SCHED_BATCH ? 2 : 0;
}

static void
what_is_started_inherits_the_priority(void)
{
	if (!priority_may_rise())
		unit_skip("raising the priority is not permitted");
	else
		CU_ASSERT_EQUAL(in_process(raise_and_restore), 0);
}

static void
a_priority_that_was_set_stays(void)
{
	CU_ASSERT_EQUAL(in_process(raise_after_nice), 0);
}

static void
what_is_started_has_no_real_time_priority(void)
{
	if (!priority_run_ahead()) {
		unit_skip("real-time priority is not permitted");
		return;
	}
	priority_run_normally();
	CU_ASSERT_EQUAL(in_process(run_ahead_and_normally), 0);
}

static void
a_policy_that_was_set_stays(void)
{
	CU_ASSERT_EQUAL(in_process(run_ahead_of_batch), 0);
}

static const struct unit_case cases[] = {
	{"what_is_started_inherits_the_priority", what_is_started_inherits_the_priority},
	{"a_priority_that_was_set_stays", a_priority_that_was_set_stays},
	{"what_is_started_has_no_real_time_priority", what_is_started_has_no_real_time_priority},
	{"a_policy_that_was_set_stays", a_policy_that_was_set_stays},
	{NULL, NULL},
};

void
suite_process_priority(void)
{
	unit_suite("process/priority", cases);
}
