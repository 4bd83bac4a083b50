/*
 * Change points of a run: the slices of its time at which other functions begin to do the work,
 * found in the samples of one capture (for phases.h).
 *
 * The time is cut into 10 to 100 slices, about ten samples each. A slice is a vector: the square
 * roots of the shares of its samples by function (the kernel's are its caller's; the 16 with most
 * self weight; all others; none where it has no samples), so that distances are Hellinger's. Change
 * points of this series are found by E-divisive (Matteson and James, JASA 109, 2014) with exponent
 * 2: a stretch [a, b) is divided where
 *
 *     q(t) = (t - a)(b - t) / (b - a) * |mean x[a..t) - mean x[t..b)|^2
 *
 * is largest, if that is rare among permutations of its slices, p <= 0.01 by 199 of them, and if
 * the shares of both sides differ by 15 % of the samples at least (total variation: half of the sum
 * of the differences).
 */
#ifndef COMPARE_PHASE_SEARCH_H
#define COMPARE_PHASE_SEARCH_H

#include "base/random.h"
#include "profile/profile.h"
#include "profile/sample_times.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Dimensions of a slice: functions of their own, then all others, then time without samples. */
#define PHASE_FUNCTIONS 16
#define PHASE_OTHERS PHASE_FUNCTIONS
#define PHASE_NOTHING (PHASE_FUNCTIONS + 1)
#define PHASE_DIMENSIONS (PHASE_FUNCTIONS + 2)
/* Stretches whose shares differ by less (total variation) are one phase. */
#define PHASE_LEAST_CHANGE 0.15

/* The slices and where phases begin. Profile and times are borrowed, the rest is owned. */
struct phase_search {
	const struct profile *profile;
	const struct sample_times *times;
	struct time_slices slices;
	frame_id functions[PHASE_FUNCTIONS];
	uint8_t *dimension; /* by frame */
	double (*shares)[PHASE_DIMENSIONS];
	double (*roots)[PHASE_DIMENSIONS];
	double *totals; /* by slice */
	size_t *order;  /* of slices, for permutations */
	struct random random;
	size_t *cuts; /* where phases begin, ascending */
	size_t ncuts;
};

/* Divides the time of the samples. False where they are too few; else to be released. */
bool phase_search_make(struct phase_search *search, const struct profile *profile,
	const struct sample_times *times);
void phase_search_release(struct phase_search *search);

/* The slice behind the last one of phase i. */
size_t phase_search_end(const struct phase_search *search, size_t i);

/*
 * The function that a sample is of. Work of the kernel is its caller's: page faults of the first
 * round of a loop are no other work than its later rounds.
 */
frame_id phase_function_of_sample(const struct profile *profile, const struct timed_sample *sample);

#endif
