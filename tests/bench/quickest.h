/*
 * What syscalls.c and alloc_pair.c share: something is done ARGV[1] times, through ARGV[2]
 * functions, and how long each time took is said in us: in the quickest part of them, as other load
 * slows the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PARTS 20

static double quickest_us = 1e9;

/* What is measured; not 0. */
static inline long once(void);

static double
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

__attribute__((noinline)) static long
call(long depth, long count)
{
	volatile long below = 0; /* its own frame */

	if (depth > 1) {
		below = call(depth - 1, count);
		return below;
	}
	const long each = count / PARTS;

	for (long part = 0; part < PARTS; part++) {
		double start = now_us();

		for (long i = 0; i < each; i++)
			below += once();
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
	if (call(strtol(argv[2], NULL, 10), strtol(argv[1], NULL, 10)) == 0)
		return 1;
	fprintf(stderr, "us %.4f\n", quickest_us);
	return 0;
}
