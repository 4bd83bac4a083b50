/*
 * Chooses the commit of a line to try next, to find the first slow one: a pure function of the
 * states found so far.
 *
 * A line is states[0..n-1], from the one known to be fast (0) to the one known to be slow (n - 1),
 * both tried. Every commit before a fast one is taken for fast, and every one behind a slow one for
 * slow, so only those between the last fast and the first slow one are of interest.
 */
#ifndef HISTORY_BISECT_SEARCH_H
#define HISTORY_BISECT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum bisect_state {
	BISECT_UNTRIED,
	BISECT_FAST,
	BISECT_SLOW,
	BISECT_SKIPPED,   /* it does not build, or does not run */
	BISECT_UNDECIDED, /* even with the most runs */
};

/* "fast", "slow", "skipped", "undecided"; "not tried". */
const char *bisect_state_name(enum bisect_state state);

/* The first slow commit is one of fast + 1 .. slow. */
struct bisect_range {
	size_t fast;
	size_t slow;
};

struct bisect_range bisect_range_of(const enum bisect_state *states, size_t n);

/*
 * The commit to try next goes to *next; false if no commit is left to try. It is the one nearest to
 * the middle of the range, the earlier of two; but the more commits of the range gave no result,
 * the farther it is from each of these: 1, 2, 4, 8 commits, as far as possible. So a long series of
 * commits that do not build is left after a few tries.
 */
bool bisect_next(const enum bisect_state *states, size_t n, size_t *next);

/* Approximate number of commits still to be tried, if none is skipped. */
unsigned bisect_steps_left(const enum bisect_state *states, size_t n);

#endif
