/*
 * The steady clock, for durations, and the clock of our own CPU time.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Seconds on CLOCK_MONOTONIC. */
double clock_seconds(void);
/* The same in nanoseconds. */
uint64_t clock_ns(void);
/* CPU time of this process, all threads, in nanoseconds. */
uint64_t clock_own_cpu_ns(void);

#endif
