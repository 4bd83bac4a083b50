/*
 * Whether the costs of the runs after spread far beyond those of the runs before: something
 * disturbed them, load or another cause, and a difference between the sides may be due to that.
 *
 * S is the variance of the ln cost of a whole run about the mean of its session, of one side, the
 * run that deviates most left out: one bad run makes no spread. R = S_after / S_before, where
 * S_before is at least the square of COMPARISON_SESSION_SPREAD: a smaller spread is no disturbance.
 * R is computed without the one function that makes it largest: one function that has become
 * erratic is no disturbance, a spread of all the others is. R is compared with F of as many degrees
 * of freedom as there are runs, less sessions, less one.
 *
 * Simulated (tests/unit/judge/compare/rates_test.c): of 20,000 gates of 10 + 10 undisturbed runs,
 * lag-1 correlation 0.5, none was called disturbed with noise of 1.8 %, and 0.01 % with noise of 5
 * %; with noise of 1.8 % before and of 15 % after 87 % were.
 */
#ifndef COMPARE_RUN_SPREAD_H
#define COMPARE_RUN_SPREAD_H

#include "compare/comparison.h"

#include <stdbool.h>

struct run_spread {
	double before; /* SD of the ln cost of whole runs; NAN: not known */
	double after;
	double ratio; /* R; NAN: not known */
	double p;     /* one-sided */
	bool is_far;  /* R is 4 or more, and p is 0.001 or less */
};

/* For a comparison with five or more runs a side, in sessions of two or more; else not known. */
struct run_spread run_spread(const struct comparison *comparison);

#endif
