/*
 * What the shipped workloads share: options, random numbers from a fixed seed, and the self-check.
 *
 * A workload does the same work on every run and every machine, checks its own result, and exits 1
 * when that is wrong, so that a miscompiled or broken program is never measured.
 */
#ifndef WORKLOADS_SUPPORT_H
#define WORKLOADS_SUPPORT_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its own frame in every profile: not inlined, not cloned, not merged with an equal function. */
#define KEPT __attribute__((noipa))

/*
 * For functions that call nothing: gcc for x86 leaves the frame pointer out of them in spite of
 * -fno-omit-frame-pointer when they do not touch the stack, and a sample there lacks its caller.
 */
static inline __attribute__((always_inline)) void
keep_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

/* "NAME --rounds N": N, or `fallback` without arguments; anything else ends the program. */
static inline unsigned long
rounds_option(int argc, char **argv, unsigned long fallback)
{
	if (argc == 1)
		return fallback;
	char *end = NULL;
	unsigned long rounds = 0;

	if (argc == 3 && strcmp(argv[1], "--rounds") == 0)
		rounds = strtoul(argv[2], &end, 10);
	if (!end || *end || rounds == 0) {
		fprintf(stderr, "usage: %s [--rounds N]\n", argv[0]);
		exit(64);
	}
	return rounds;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static inline uint64_t
random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

/* One step of a linear congruential generator: a chain of dependent operations (4 cycles). */
#define LCG_FACTOR UINT64_C(6364136223846793005)
#define LCG_TERM UINT64_C(1442695040888963407)

static inline uint64_t
lcg_step(uint64_t state)
{
	return state * LCG_FACTOR + LCG_TERM;
}

/*
 * The state after `steps` steps in logarithmic time, by composing the affine map with itself: what
 * a busy loop's result is checked against. Brown, "Random number generation with arbitrary
 * strides", 1994.
 */
static inline uint64_t
lcg_jump(uint64_t state, uint64_t steps)
{
	uint64_t factor = LCG_FACTOR;
	uint64_t term = LCG_TERM;

	for (; steps > 0; steps >>= 1) {
		if (steps & 1)
			state = state * factor + term;
		term = (factor + 1) * term;
		factor *= factor;
	}
	return state;
}

/* Ends the program with what was expected and found, unless they agree. */
static inline void
expect_u64(const char *what, uint64_t found, uint64_t expected)
{
	if (found == expected)
		return;
	fprintf(stderr, "wrong result: %s is %" PRIu64 ", expected %" PRIu64 "\n", what, found,
		expected);
	exit(1);
}

/* Ends the program with `what` unless `holds`. */
static inline void
expect_true(const char *what, int holds)
{
	if (holds)
		return;
	fprintf(stderr, "wrong result: %s\n", what);
	exit(1);
}

#endif
