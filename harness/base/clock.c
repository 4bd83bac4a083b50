#include "base/clock.h"

#include <time.h>

static uint64_t
read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

double
clock_seconds(void)
{
	return (double)clock_ns() * 1e-9;
}

uint64_t
clock_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t
clock_own_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}
