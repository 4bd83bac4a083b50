/*
 * Works in step with the clock: of each millisecond of CLOCK_MONOTONIC, function a has the first
 * 50 %, b the next 30 % and c the last 20 %. A sampling period that is a multiple of a millisecond
 * always finds the same of them.
 *
 * usage: phase_lock MS [FILE]
 *
 * Runs for MS milliseconds. Appends to FILE what part of its CPU time each function really had, in
 * percent: the sum of what lies between two looks at the clock; of a pause, in which other
 * processes may have run, only what the kernel charged for it.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_NS UINT64_C(1000000)
/* Between two looks at the clock: more than that was a pause. */
#define PAUSE_NS 10000

struct busy {
	uint64_t now;
	uint64_t charged; /* CPU time up to the end of the last pause */
	uint64_t since;   /* and what has been spent after it */
	uint64_t spent[3];
};

static inline __attribute__((always_inline)) uint64_t
clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline __attribute__((always_inline)) void
look(struct busy *busy, int part)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t spent = now - busy->now;

	busy->now = now;
	if (spent < PAUSE_NS) {
		busy->since += spent;
		busy->spent[part] += spent;
		return;
	}
	uint64_t charged = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (charged > busy->charged + busy->since)
		busy->spent[part] += charged - busy->charged - busy->since;
	busy->charged = charged;
	busy->since = 0;
}

/* Until the clock stands outside of `from` to `to` of its millisecond. */
static inline __attribute__((always_inline)) void
spin(struct busy *busy, int part, uint64_t from, uint64_t to)
{
	do {
		look(busy, part);
	} while (busy->now % PERIOD_NS >= from && busy->now % PERIOD_NS < to);
}

static __attribute__((noinline)) void
a(struct busy *busy)
{
	spin(busy, 0, 0, 500000);
}

static __attribute__((noinline)) void
b(struct busy *busy)
{
	spin(busy, 1, 500000, 800000);
}

static __attribute__((noinline)) void
c(struct busy *busy)
{
	spin(busy, 2, 800000, PERIOD_NS);
}

int
main(int argc, char **argv)
{
	uint64_t length = argc > 1 ? strtoull(argv[1], NULL, 10) * PERIOD_NS : 0;
	struct busy busy = {
		.now = clock_ns(CLOCK_MONOTONIC), .charged = clock_ns(CLOCK_THREAD_CPUTIME_ID)};
	uint64_t end = busy.now + length;

	if (argc < 2 || argc > 3 || length == 0)
		return 64;
	while (busy.now < end) {
		uint64_t phase = busy.now % PERIOD_NS;

		if (phase < 500000)
			a(&busy);
		else if (phase < 800000)
			b(&busy);
		else
			c(&busy);
	}
	FILE *file = argc == 3 ? fopen(argv[2], "a") : NULL;
	double all = (double)(busy.spent[0] + busy.spent[1] + busy.spent[2]);

	if (file)
		fprintf(file, "%.3f %.3f %.3f\n", 100 * (double)busy.spent[0] / all,
			100 * (double)busy.spent[1] / all, 100 * (double)busy.spent[2] / all);
	return file && fclose(file) != 0;
}
