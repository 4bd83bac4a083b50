/*
 * The steady clock, for durations, the clock of our own CPU time, and times of the kernel in
 * nanoseconds.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static inline uint64_t
clock_read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Nanoseconds on CLOCK_MONOTONIC. */
static inline uint64_t
clock_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* The same in seconds. */
static inline double
clock_seconds(void)
{
	return (double)clock_ns() * 1e-9;
}

/* CPU time of this process, all threads, in nanoseconds. */
static inline uint64_t
clock_own_cpu_ns(void)
{
	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* A time in microseconds, such as those of struct rusage, in nanoseconds. */
static inline uint64_t
clock_timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

/* User and system time together, in nanoseconds. */
static inline uint64_t
clock_usage_ns(const struct rusage *usage)
{
	return clock_timeval_ns(&usage->ru_utime) + clock_timeval_ns(&usage->ru_stime);
}

#endif
