#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static long long budget_ns = 60000000;
static long long deadline_ns;
static volatile unsigned long sink;

static long long
cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long
children_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

KEEP void
start_budget(void)
{
	deadline_ns = cpu_ns() + budget_ns;
}

/* Reading this clock is a system call, slow on some machines: every fourth time is enough. */
KEEP bool
enough(void)
{
	static _Thread_local unsigned calls;

	return ++calls % 4 == 0 && cpu_ns() >= deadline_ns;
}

KEEP void
burn(unsigned long rounds)
{
	unsigned long value = sink;

	for (unsigned long i = 0; i < rounds; i++)
		value = value * 6364136223846793005UL + i;
	FRAME();
	sink = value;
}

KEEP void
spend(void)
{
	while (!enough())
		burn(200000);
	STAY();
}

KEEP static long long
begin_phase(const struct phase *phase)
{
	long long start = cpu_ns() + children_ns();

	prctl(PR_SET_NAME, phase->name);
	start_budget();
	return start;
}

KEEP static void
end_phase(const struct phase *phase, long long start)
{
	long long spent = cpu_ns() + children_ns() - start;

	prctl(PR_SET_NAME, "between");
	printf("%s\t%lld\t%d\t%s\n", phase->name, spent, (int)phase->needs, phase->stacks);
}

/* usage: PROGRAM [MILLISECONDS]: CPU time of each phase. */
int
main(int argc, char **argv)
{
	if (argc > 1)
		budget_ns = strtoll(argv[1], NULL, 10) * 1000000LL;
	/* A stack whose program is named otherwise than its phases is from between them. */
	for (const struct phase *phase = truth_phases; phase->name; phase++) {
		long long start = begin_phase(phase);

		phase->run();
		end_phase(phase, start);
	}
	return 0;
}
