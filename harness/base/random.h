/*
 * Pseudorandom numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014). The same seed gives the same numbers. Not for secrets.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state; /* any seed */
};

/* The generator's finalizer: every bit of the result depends on every bit of `z`. */
static inline uint64_t
random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t
random_next(struct random *random)
{
	return random_mix(random->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* In [0, 1), of 53 bits. */
static inline double
random_unit(struct random *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

#endif
