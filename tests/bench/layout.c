/*
 * Times the hot functions of layout_c.c or layout_cc.cc: one line each, its name and its CPU time
 * in units of a chain of multiplications, which no layout makes faster or slower. So the clock of
 * the CPU, which changes from one minute to the next, is no part of the number.
 */
#include "layout.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 8

static double
cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Every multiplication waits for the one before. */
static double
time_chain(void)
{
	volatile uint64_t seed = 3;
	uint64_t value = seed;
	double start = cpu_seconds();

	for (int i = 0; i < 50000; i++) {
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		value *= 6364136223846793005U;
		__asm__ volatile("" : "+r"(value));
	}
	seed = value;
	return cpu_seconds() - start;
}

/* So that the work has to be done. */
static volatile uint64_t sink;

/* The fastest of each: what disturbs makes things slower only. */
static double
time_hot(const struct layout_hot *hot, const unsigned char *data)
{
	double fastest = INFINITY;
	double chain = INFINITY;

	sink += hot->run(data, LAYOUT_BYTES, hot->rounds);
	for (int i = 0; i < ROUNDS; i++) {
		chain = fmin(chain, time_chain());
		double start = cpu_seconds();

		sink += hot->run(data, LAYOUT_BYTES, hot->rounds);
		fastest = fmin(fastest, cpu_seconds() - start);
	}
	return fastest / chain;
}

int
main(void)
{
	_Alignas(4096) static unsigned char data[LAYOUT_BYTES];
	uint32_t state = 12345;

	for (size_t i = 0; i < LAYOUT_BYTES; i++) {
		state = state * 1664525 + 1013904223;
		data[i] = (unsigned char)(state >> 24);
	}
	for (const struct layout_hot *hot = layout_hot; hot->name; hot++)
		printf("%s %.6f\n", hot->name, time_hot(hot, data));
	return 0;
}
