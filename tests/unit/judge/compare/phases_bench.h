/* Profiles and times of samples a millisecond apart, in which phases are found. */
#ifndef TESTS_UNIT_COMPARE_PHASES_BENCH_H
#define TESTS_UNIT_COMPARE_PHASES_BENCH_H

#include "compare/phases.h"

#include "base/random.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE_NS UINT64_C(1000000)
#define FUNCTIONS 4

/* Samples a millisecond apart, each of one of four functions. */
struct bench {
	struct profile profile;
	struct sample_times times;
	struct phases phases;
	node_id nodes[FUNCTIONS];
	struct random random;
};

static inline void
begin(struct bench *bench, uint64_t seed)
{
	static const char *const names[FUNCTIONS] = {"load", "parse", "print", "save"};

	*bench = (struct bench){.random = {random_mix(seed)}};
	profile_init(&bench->profile);
	profile_add_run(&bench->profile);
	sample_times_init(&bench->times);
	for (size_t i = 0; i < FUNCTIONS; i++)
		bench->nodes[i] = ctree_child(&bench->profile.tree, CTREE_ROOT,
			profile_frame(&bench->profile, names[i], strlen(names[i]), FRAME_USER));
}

/* `count` samples, of function i with a probability of shares[i]. */
static inline void
add(struct bench *bench, size_t count, const double shares[FUNCTIONS])
{
	const uint64_t last = bench->times.end_ns;

	for (size_t i = 1; i <= count; i++) {
		double drawn = random_unit(&bench->random);
		size_t function = 0;

		while (function + 1 < FUNCTIONS && drawn >= shares[function])
			drawn -= shares[function++];
		const struct timed_sample sample = {
			.begin_ns = last + (i - 1) * SAMPLE_NS,
			.end_ns = last + i * SAMPLE_NS,
			.weight = 1,
			.node = bench->nodes[function],
			.thread = sample_times_thread(&bench->times, 1, 1),
		};

		sample_times_add(&bench->times, &sample);
	}
}

/*
 * `count` samples, one a millisecond, whose functions are the digits of `pattern` again and again:
 * a slice has ten of them.
 */
static inline void
repeat(struct bench *bench, size_t count, const char *pattern)
{
	size_t first = bench->times.nsamples;

	for (size_t i = 0; i < count; i++) {
		const uint64_t begin_ns = (first + i) * SAMPLE_NS;
		const struct timed_sample sample = {
			.begin_ns = begin_ns,
			.end_ns = begin_ns + SAMPLE_NS / 2,
			.weight = 1,
			.node = bench->nodes[pattern[i % strlen(pattern)] - '0'],
			.thread = sample_times_thread(&bench->times, 1, 1),
		};

		sample_times_add(&bench->times, &sample);
	}
}

static inline void
find(struct bench *bench)
{
	phases_find(&bench->phases, &bench->profile, &bench->times);
}

static inline void
end(struct bench *bench)
{
	phases_release(&bench->phases);
	sample_times_release(&bench->times);
	profile_release(&bench->profile);
}

#endif
