/*
 * Twenty levels of calls, each a separate function: a stack that is cut anywhere shows.
 *
 * level_01 calls level_02 and so on. Every level works a little after its call has returned, which
 * also keeps the compiler from turning the call into a jump; the last one works the most, so that
 * nine of ten samples hold all twenty levels.
 */
#include "support.h"

#define LEVELS 20
#define STEPS_OF_A_LEVEL 60
#define STEPS_OF_THE_LAST 10000

static inline __attribute__((always_inline)) uint64_t
work(uint64_t state, unsigned steps)
{
	keep_frame();
	for (unsigned i = 0; i < steps; i++)
		state = lcg_step(state);
	return state;
}

static KEPT uint64_t
level_20(uint64_t state)
{
	return work(state, STEPS_OF_THE_LAST);
}

#define LEVEL(name, next)                                   \
	static KEPT uint64_t name(uint64_t state)           \
	{                                                   \
		return work(next(state), STEPS_OF_A_LEVEL); \
	}

LEVEL(level_19, level_20)
LEVEL(level_18, level_19)
LEVEL(level_17, level_18)
LEVEL(level_16, level_17)
LEVEL(level_15, level_16)
LEVEL(level_14, level_15)
LEVEL(level_13, level_14)
LEVEL(level_12, level_13)
LEVEL(level_11, level_12)
LEVEL(level_10, level_11)
LEVEL(level_09, level_10)
LEVEL(level_08, level_09)
LEVEL(level_07, level_08)
LEVEL(level_06, level_07)
LEVEL(level_05, level_06)
LEVEL(level_04, level_05)
LEVEL(level_03, level_04)
LEVEL(level_02, level_03)
LEVEL(level_01, level_02)

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 80000);
	uint64_t state = 20;

	for (unsigned long i = 0; i < rounds; i++)
		state = level_01(state);
	uint64_t steps = STEPS_OF_THE_LAST + (LEVELS - 1) * STEPS_OF_A_LEVEL;

	expect_u64("state", state, lcg_jump(20, steps * rounds));
	return 0;
}
