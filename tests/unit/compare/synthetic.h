/*
 * Synthetic runs: profiles whose truth is known, from a seed.
 *
 * A function takes `share` of a run of one second times the run's speed; what is sampled of it has
 * the variance of a Poisson draw times the over-dispersion.
 */
#ifndef COMPARE_SYNTHETIC_H
#define COMPARE_SYNTHETIC_H

#include "profile/profile.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct rng {
	uint64_t state;
};

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static inline uint64_t
rng_next(struct rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline double
rng_uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static inline double
rng_normal(struct rng *rng)
{
	double radius = sqrt(-2 * log(rng_uniform(rng)));

	return radius * cos(2 * M_PI * rng_uniform(rng));
}

#define SYNTHETIC_MAX 64

struct synthetic {
	size_t nfunctions;
	double share[SYNTHETIC_MAX];
	double noise[SYNTHETIC_MAX]; /* SD of a function's ln cost from run to run */
	double hz;
	double overdispersion;
	double run_noise; /* SD of the machine's ln speed from run to run */
};

/* `n` functions of 50 or so: one has 30 %, the others fall off as in real programs. */
static inline struct synthetic
synthetic_program(size_t nfunctions)
{
	struct synthetic s = {
		.nfunctions = nfunctions, .hz = 4999, .overdispersion = 1, .run_noise = 0.018};
	double sum = 0;

	for (size_t i = 1; i < nfunctions; i++) {
		s.share[i] = pow(0.88, (double)i);
		sum += s.share[i];
	}
	s.share[0] = nfunctions > 1 ? 0.3 : 1;
	for (size_t i = 1; i < nfunctions; i++)
		s.share[i] *= 0.7 / sum;
	return s;
}

/* One side of a comparison. */
struct synthetic_side {
	size_t nruns;
	double speed;         /* of the machine: factor on all costs */
	double session_noise; /* SD of each function's ln cost in this session */
	const double *factor; /* on each function's cost; NULL: none */
	uint32_t occasion;
};

/* "f00" and so on. */
static inline const char *
synthetic_name(size_t function, char name[8])
{
	snprintf(name, 8, "f%02u", (unsigned)(function % 100));
	return name;
}

static inline void
synthetic_run(struct profile *profile, const struct synthetic *s, const double *seconds,
	uint32_t occasion, struct rng *rng)
{
	size_t column = profile_add_run(profile);
	double drift = exp(s->run_noise * rng_normal(rng));
	double total = 0;

	for (size_t i = 0; i < s->nfunctions; i++) {
		char name[8];
		double cost = seconds[i] * drift *
			      (s->noise[i] > 0 ? exp(s->noise[i] * rng_normal(rng)) : 1);
		double mean = cost * s->hz;
		double samples = round(mean + sqrt(s->overdispersion * mean) * rng_normal(rng));
		frame_id frame = profile_frame(profile, synthetic_name(i, name), 3, FRAME_USER);
		node_id root = ctree_child(
			&profile->tree, CTREE_ROOT, profile_frame(profile, "main", 4, FRAME_USER));

		total += cost;
		ctree_add(&profile->tree, column, ctree_child(&profile->tree, root, frame),
			samples > 0 ? samples : 0);
	}
	profile->runs[column].measured = true;
	profile->runs[column].occasion = occasion;
	profile->runs[column].cost_total = total * 1e9;
	profile->runs[column].cpu_ns = (uint64_t)(total * 1e9);
	profile->runs[column].expected_samples = total * s->hz;
	profile->runs[column].samples = (uint64_t)(total * s->hz);
}

/* Adds the side's runs to `profile`, which must have been initialised. */
static inline void
synthetic_add(struct profile *profile, const struct synthetic *s, const struct synthetic_side *side,
	struct rng *rng)
{
	double seconds[SYNTHETIC_MAX] = {0};

	for (size_t i = 0; i < s->nfunctions; i++)
		seconds[i] = s->share[i] * (side->speed > 0 ? side->speed : 1) *
			     (side->factor ? side->factor[i] : 1) *
			     exp(side->session_noise * rng_normal(rng));
	for (size_t run = 0; run < side->nruns; run++)
		synthetic_run(profile, s, seconds, side->occasion, rng);
}

#endif
