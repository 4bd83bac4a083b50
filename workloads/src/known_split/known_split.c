/*
 * Three functions that take exactly 50, 30 and 20 % of the CPU time: the truth is known.
 *
 * All three run the same chain of dependent operations, 5 : 3 : 2 steps in every slice, so that the
 * machine's speed, its cache and the layout of the code cancel. Slices have random lengths of about
 * 15 microseconds: no sampling period can fall into step with them.
 *
 * SLOWDOWN_PERCENT, set when it is built, makes thirty_percent() do that much more: a regression on
 * purpose, to see the gate fail.
 */
#include "support.h"

#ifndef SLOWDOWN_PERCENT
#define SLOWDOWN_PERCENT 0
#endif

enum { FIFTY, THIRTY, TWENTY, PARTS };

struct part {
	uint64_t state;
	uint64_t steps; /* done so far */
};

static inline __attribute__((always_inline)) void
advance(struct part *part, uint64_t steps)
{
	uint64_t state = part->state;

	keep_frame();
	for (uint64_t i = 0; i < steps; i++)
		state = lcg_step(state);
	part->state = state;
	part->steps += steps;
}

static KEPT void
fifty_percent(struct part *part, uint64_t unit)
{
	advance(part, 5 * unit);
}

static KEPT void
thirty_percent(struct part *part, uint64_t unit)
{
	advance(part, 3 * unit * (100 + SLOWDOWN_PERCENT) / 100);
}

static KEPT void
twenty_percent(struct part *part, uint64_t unit)
{
	advance(part, 2 * unit);
}

static KEPT void
run_slices(struct part *parts, unsigned long rounds)
{
	uint64_t random = 50302;

	for (unsigned long i = 0; i < rounds; i++) {
		/* A multiple of 100, so that a slow-down by whole percents is exact. */
		uint64_t unit = 100 * (4 + random_next(&random) % 16);

		fifty_percent(&parts[FIFTY], unit);
		thirty_percent(&parts[THIRTY], unit);
		twenty_percent(&parts[TWENTY], unit);
	}
}

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 80000);
	struct part parts[PARTS] = {{.state = 1}, {.state = 2}, {.state = 3}};

	run_slices(parts, rounds);
	for (int i = 0; i < PARTS; i++)
		expect_u64("state", parts[i].state, lcg_jump((uint64_t)i + 1, parts[i].steps));
	expect_u64("5 : 2", parts[FIFTY].steps * 2, parts[TWENTY].steps * 5);
	expect_u64("3 : 2", parts[THIRTY].steps * 200,
		parts[TWENTY].steps * 3 * (100 + SLOWDOWN_PERCENT));
	return 0;
}
