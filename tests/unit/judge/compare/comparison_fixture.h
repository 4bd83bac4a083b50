/*
 * Runs of given weights, and what a comparison says of a function.
 */
#ifndef COMPARE_COMPARISON_FIXTURE_H
#define COMPARE_COMPARISON_FIXTURE_H

#include "compare/comparison.h"
#include "compare/synthetic.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const struct comparison_options plain_options = {.alpha = 0.05, .min_share = 0.01};

/* Adds a run whose functions f00, f01, ... have these weights. */
static inline void
add_run(struct profile *profile, const double *weights, size_t n, double cost)
{
	size_t column = profile_add_run(profile);

	for (size_t i = 0; i < n; i++) {
		char name[8];
		frame_id frame = profile_frame(profile, synthetic_name(i, name), 3, FRAME_USER);

		ctree_add(&profile->tree, column, ctree_child(&profile->tree, CTREE_ROOT, frame),
			weights[i]);
	}
	profile->runs[column].cost_total = cost;
}

static inline struct effect *
effect_of(struct comparison *comparison, const char *name)
{
	return &comparison
			->self[profile_frame(&comparison->profile, name, strlen(name), FRAME_USER)];
}

static inline bool
same_bits(double a, double b)
{
	uint64_t bits[2];

	memcpy(&bits[0], &a, sizeof(a));
	memcpy(&bits[1], &b, sizeof(b));
	return bits[0] == bits[1];
}

static inline bool
same_effect(const struct effect *a, const struct effect *b)
{
	return a->tested == b->tested && same_bits(a->change, b->change) &&
	       same_bits(a->low, b->low) && same_bits(a->high, b->high) &&
	       same_bits(a->p_adjusted, b->p_adjusted) && same_bits(a->detectable, b->detectable) &&
	       same_bits(a->before_cost, b->before_cost) && same_bits(a->after_cost, b->after_cost);
}

#endif
