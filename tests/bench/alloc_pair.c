/*
 * Allocates and frees ARGV[1] times, through ARGV[2] functions, and says how long each pair took,
 * in us: in the quickest part of them, as other load slows the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PARTS 50

static double quickest_us = 1e9;
static void *volatile kept;

static double
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

__attribute__((noinline)) static long
allocate(long depth, long count)
{
	volatile long below = 0; /* a frame of its own */

	if (depth > 1) {
		below = allocate(depth - 1, count);
		return below;
	}
	const long each = count / PARTS;

	for (long part = 0; part < PARTS; part++) {
		double start = now_us();

		for (long i = 0; i < each; i++) {
			kept = malloc(64);
			below += kept != NULL;
			free(kept);
		}
		double us = (now_us() - start) / (double)each;

		quickest_us = us < quickest_us ? us : quickest_us;
	}
	return below;
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 64;
	if (allocate(strtol(argv[2], NULL, 10), strtol(argv[1], NULL, 10)) == 0)
		return 1;
	fprintf(stderr, "us %.4f\n", quickest_us);
	return 0;
}
