/*
 * The search for phases.h: time slices as vectors, and where the series of them is divided.
 */
#ifndef COMPARE_PHASES_SEARCH_H
#define COMPARE_PHASES_SEARCH_H

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
/* Stretches that differ by less, as phase_search_difference() has it, are one. */
#define PHASE_LEAST_CHANGE 0.15

/* One search. Profile and times are borrowed, the rest is owned. */
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

/*
 * Divides the time of the samples. False where they are too few; else to be released.
 */
bool phase_search_run(struct phase_search *search, const struct profile *profile,
	const struct sample_times *times);
void phase_search_release(struct phase_search *search);

/*
 * The function that a sample is of. Work of the kernel is its caller's: page faults of the first
 * round of a loop are no other work than its later rounds.
 */
frame_id phase_search_function(const struct profile *profile, const struct timed_sample *sample);

/* Behind the last slice of phase i. */
size_t phase_search_end(const struct phase_search *search, size_t i);

/* The part of the samples that are in other functions in one of two stretches of slices. */
double phase_search_difference(
	const struct phase_search *search, size_t a, size_t a_end, size_t b, size_t b_end);

#endif
