#include "gate/count_time.h"

#include "unit.h"

#include <math.h>

void suite_gate_count_time(void);

#define SECOND_NS 1000000000

/* A profile of one run of so many executions, which take so many seconds each. */
static void
set_run(struct profile *profile, unsigned executions, unsigned cpu_s, unsigned wall_s)
{
	profile_init(profile);
	const size_t at = profile_add_run(profile);
	struct run *run = &profile->runs[at];

	run->executions = executions;
	run->cpu_ns = (uint64_t)executions * cpu_s * SECOND_NS;
	run->wall_ns = (uint64_t)executions * wall_s * SECOND_NS;
}

static void
counting_multiplies_cpu_time_and_not_waiting(void)
{
	struct profile timed;
	struct profile counted;

	set_run(&timed, 4, 2, 5);
	set_run(&counted, 1, 50, 80);
	const double factor = count_time_factor(&timed, &counted);

	UNIT_NEAR(factor, 25, 1e-9);
	UNIT_NEAR(count_time_of(factor, &timed), 25 * 2 + 3, 1e-9);
	profile_release(&timed);
	/* Two threads at a time: under valgrind they take turns. */
	set_run(&timed, 1, 4, 2);
	UNIT_NEAR(count_time_of(10, &timed), 40, 1e-9);
	profile_release(&timed);
	profile_release(&counted);
}

static void
without_runs_no_time_is_known(void)
{
	struct profile timed;
	struct profile none;

	set_run(&timed, 1, 2, 2);
	profile_init(&none);
	CU_ASSERT(isnan(count_time_factor(&timed, &none)));
	CU_ASSERT(isnan(count_time_factor(&none, &timed)));
	CU_ASSERT(isnan(count_time_of(30, &none)));
	profile_release(&none);
	profile_release(&timed);
}

void
suite_gate_count_time(void)
{
	static const struct unit_case cases[] = {
		{"counting_multiplies_cpu_time_and_not_waiting",
			counting_multiplies_cpu_time_and_not_waiting},
		{"without_runs_no_time_is_known", without_runs_no_time_is_known},
		{NULL, NULL},
	};

	unit_suite("gate/count_time", cases);
}
