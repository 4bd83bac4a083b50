/*
 * Synthetic runs: profiles whose truth is known, from a seed.
 *
 * A function takes `share` of a run of one second times the run's speed; what is sampled of it has
 * the variance of a Poisson draw times the over-dispersion.
 */
#ifndef COMPARE_SYNTHETIC_H
#define COMPARE_SYNTHETIC_H

#include "base/random.h"
#include "profile/profile.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct rng {
	uint64_t state;
};

static inline uint64_t
rng_next(struct rng *rng)
{
	struct random random = {.state = rng->state};
	uint64_t next = random_next(&random);

	rng->state = random.state;
	return next;
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
	double waits[SYNTHETIC_MAX]; /* for memory: 0 never, 1 nearly always */
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
	double run_noise;     /* SD of its ln speed from run to run; 0: the program's */
	double session_noise; /* SD of each function's ln cost in this session */
	const double *factor; /* on each function's cost; NULL: none */
	double load;          /* on the machine: 0 none, 1 heavy; see synthetic_slowdown() */
	uint32_t session;
};

/* "f00" and so on. */
static inline const char *
synthetic_name(size_t function, char name[8])
{
	snprintf(name, 8, "f%02u", (unsigned)(function % 100));
	return name;
}

/*
 * The factor of load on the cost of a function in one session: under heavy load 4 % of any, up to
 * 15 % of one that waits for memory, each more or less by 30 % (SD of the logarithm). Measured:
 * beside two loops that copy memory, functions of the shipped workloads changed by 6 % (SD, of
 * which half is sampling noise), of those with 5 % of their program the two that grew most by 12
 * and 16 %.
 */
static inline double
synthetic_slowdown(double load, double waits, struct rng *rng)
{
	return load > 0 ? exp(load * (0.04 + 0.10 * waits) * exp(0.3 * rng_normal(rng))) : 1;
}

/* The program's functions anew: a quarter of them wait for memory, the others hardly. */
static inline void
synthetic_draw_waits(struct synthetic *s, struct rng *rng)
{
	for (size_t i = 0; i < s->nfunctions; i++) {
		const bool waits = rng_uniform(rng) < 0.25;

		s->waits[i] = (waits ? 0.5 : 0) + (waits ? 0.5 : 0.2) * rng_uniform(rng);
	}
}

/* The seconds that each function takes, machine's speed and noise of the session included. */
static inline void
synthetic_seconds(const struct synthetic *s, const struct synthetic_side *side, struct rng *rng,
	double seconds[SYNTHETIC_MAX])
{
	for (size_t i = 0; i < s->nfunctions; i++)
		seconds[i] = s->share[i] * (side->speed > 0 ? side->speed : 1) *
			     (side->factor ? side->factor[i] : 1) *
			     synthetic_slowdown(side->load, s->waits[i], rng) *
			     exp(side->session_noise * rng_normal(rng));
}

/* Adds an empty run; its functions' nodes are nodes[nfunctions]. */
static inline size_t
synthetic_add_run(struct profile *profile, const struct synthetic *s, node_id nodes[SYNTHETIC_MAX])
{
	size_t column = profile_add_run(profile);

	for (size_t i = 0; i < s->nfunctions; i++) {
		char name[8];
		frame_id frame = profile_frame(profile, synthetic_name(i, name), 3, FRAME_USER);
		node_id root = ctree_child(
			&profile->tree, CTREE_ROOT, profile_frame(profile, "main", 4, FRAME_USER));

		nodes[i] = ctree_child(&profile->tree, root, frame);
	}
	ctree_reserve(&profile->tree, column);
	return column;
}

/* Measures a run anew, in place: `drift` is the machine's ln speed in it. */
static inline void
synthetic_draw(struct profile *profile, size_t column, const struct synthetic *s,
	const node_id nodes[SYNTHETIC_MAX], const double *seconds, double drift, struct rng *rng)
{
	double speed = exp(drift);
	double total = 0;

	for (size_t i = 0; i < s->nfunctions; i++) {
		double cost = seconds[i] * speed *
			      (s->noise[i] > 0 ? exp(s->noise[i] * rng_normal(rng)) : 1);
		double mean = cost * s->hz;
		double samples = round(mean + sqrt(s->overdispersion * mean) * rng_normal(rng));

		total += cost;
		ctree_set(&profile->tree, column, nodes[i], samples > 0 ? samples : 0);
	}
	profile->runs[column].measured = true;
	profile->runs[column].cost_total = total * 1e9;
	profile->runs[column].cpu_ns = (uint64_t)(total * 1e9);
	profile->runs[column].expected_samples = total * s->hz;
	profile->runs[column].samples = (uint64_t)(total * s->hz);
}

/* Other processes take half of the program's CPU under heavy load. */
static inline void
synthetic_disturb(struct run *run, double load)
{
	const double lost = fmin(0.9, 0.5 * load);

	run->program_cpus = 1;
	run->wall_ns = (uint64_t)((double)run->cpu_ns / (1 - lost));
	run->others_ns = (uint64_t)((double)run->wall_ns * lost);
}

/* Adds `count` runs of a stage, whose functions take these seconds in this session. */
static inline void
synthetic_add_runs(struct profile *profile, const struct synthetic *s,
	const struct synthetic_side *side, const double *seconds, size_t count, uint32_t stage,
	struct rng *rng)
{
	node_id nodes[SYNTHETIC_MAX] = {0};

	for (size_t run = 0; run < count; run++) {
		size_t column = synthetic_add_run(profile, s, nodes);
		double noise = side->run_noise > 0 ? side->run_noise : s->run_noise;
		double drift = (noise + 0.03 * side->load) * rng_normal(rng);

		synthetic_draw(profile, column, s, nodes, seconds, drift, rng);
		profile->runs[column].session = side->session;
		profile->runs[column].stage = stage;
		synthetic_disturb(&profile->runs[column], side->load);
	}
}

/* Adds the side's runs to `profile`, which must have been initialised. */
static inline void
synthetic_add(struct profile *profile, const struct synthetic *s, const struct synthetic_side *side,
	struct rng *rng)
{
	double seconds[SYNTHETIC_MAX] = {0};

	synthetic_seconds(s, side, rng, seconds);
	synthetic_add_runs(profile, s, side, seconds, side->nruns, 0, rng);
}

/*
 * Base and head taken alternately on one machine, in pairs of random order. The machine's ln speed
 * drifts from run to run, whichever side it is: an AR(1) process of SD `run_noise`.
 */
struct synthetic_pairs {
	struct profile sides[2];
	size_t npairs; /* numbered from 1 */
	size_t first;  /* column of the first pair in both sides */
	uint32_t stage;
	double autocorrelation; /* of neighbouring runs */
	node_id nodes[2][SYNTHETIC_MAX];
};

/* Adds the columns of `npairs` more pairs to both sides, without weights. */
static inline void
synthetic_add_pairs(
	struct synthetic_pairs *pairs, const struct synthetic *s, size_t npairs, uint32_t stage)
{
	pairs->first = pairs->sides[0].nruns;
	pairs->npairs = npairs;
	pairs->stage = stage;
	for (int side = 0; side < 2; side++) {
		for (size_t j = 0; j < npairs; j++) {
			size_t column =
				synthetic_add_run(&pairs->sides[side], s, pairs->nodes[side]);

			pairs->sides[side].runs[column].pair = (uint32_t)(pairs->first + j) + 1;
			pairs->sides[side].runs[column].stage = stage;
		}
	}
}

/* Measures the pairs added last; factor[function] is on the costs of the second side, or NULL. */
static inline void
synthetic_draw_pairs(struct synthetic_pairs *pairs, const struct synthetic *s, const double *factor,
	struct rng *rng)
{
	const struct synthetic_side sides[2] = {{.factor = NULL}, {.factor = factor}};
	double seconds[2][SYNTHETIC_MAX] = {{0}};
	double rho = pairs->autocorrelation;
	double drift = rng_normal(rng);

	for (int side = 0; side < 2; side++)
		synthetic_seconds(s, &sides[side], rng, seconds[side]);
	for (size_t j = 0; j < pairs->npairs; j++) {
		int first = (int)(rng_next(rng) & 1);

		for (int turn = 0; turn < 2; turn++) {
			int side = first ^ turn;

			synthetic_draw(&pairs->sides[side], pairs->first + j, s, pairs->nodes[side],
				seconds[side], s->run_noise * drift, rng);
			drift = rho * drift + sqrt(1 - rho * rho) * rng_normal(rng);
		}
	}
}

#endif
