/*
 * The looks of a plan, and the part of alpha that each of them has.
 *
 * The error is spent over the looks (Lan and DeMets, "Discrete sequential boundaries for clinical
 * trials", Biometrika 70, 1983) by the function alpha t^2 (Kim and DeMets, "Design and analysis of
 * group sequential tests based on the type I error spending rate function", Biometrika 74, 1987):
 * after n of at most N pairs alpha (n / N)^2 is spent, a look has what is added to that since the
 * one before, and the last one all that is left. A look is the last where no further pairs can
 * come, whatever it shows: there are N, or time is up. N is max_runs, or fewer where the first look
 * finds that there is no time for so many. With alpha t, which spends more at first, noisy
 * functions failed falsely after the first pairs, as their spread is hardly known then.
 *
 * The parts are added up as they are (Bonferroni's inequality over the looks): the correlation of
 * the looks, from which a boundary could be computed that is lower by some percent, is not used.
 * That needs no assumption on how the tests of different looks depend on one another, and none of
 * normal distributions: p is multiplied by 1 / part, which makes it a p-value that is valid at
 * whatever look measuring ended, and Holm's correction applies to it as to any other.
 *
 * Simulated (tests/unit/judge/gate/staged_rates_test.c; 1,500 gates each, at most 30 pairs,
 * thresholds of 3 %; in parentheses two fixed stages of 10 pairs or more, at most 30 each):
 * unchanged programs failed in 0.0 % (0.0), with over-dispersion 2.5 in 0.1 % (0.0), where a third
 * of the functions varied by 15 % from run to run in 0.1 % (0.0); a function of 30 % that slowed by
 * 5 % was found in 99.9 % (99.0), with over-dispersion in 96.3 % (94.8). It took 11.5 pairs (12.6),
 * 24.0 (22.6), 28.9 (26.4), 25.4 (35.8) and 28.4 (42.2). Without a budget there are 18 pairs at
 * most: the third of noisy functions then fails falsely in 0.2 % of gates (3 of 1,500), and 5 % of
 * 30 % is found in 99 % (297 of 300). No run confirms what fails at a look, so that the policy's
 * `confirm` makes no difference to it.
 *
 * The looks grow by half: many small blocks would spend the error on looks that add little. As they
 * depend on the policy and the clock and on no result, the tests at each are valid.
 */
#include "gate/looks.h"

#include <math.h>

/* The first look is after three fifths of the runs, rounded up. */
#define FIRST_SHARE(runs) ((3 * (runs) + 4) / 5)
/* Two pairs have a spread, and nearly no degrees of freedom. */
#define LEAST_PAIRS 3
/* A last block of less than this part of the pairs before is added to the one before it. */
#define LEAST_LAST 0.25
/* Fewer more pairs are not worth a look. */
#define LEAST_BLOCK 3
/* The power of time in the spending function. */
#define RHO 2

unsigned
looks_first(unsigned runs, unsigned most)
{
	const unsigned first = FIRST_SHARE(runs);

	if (first >= most)
		return most;
	return first < LEAST_PAIRS && LEAST_PAIRS <= most ? LEAST_PAIRS : first;
}

unsigned
looks_next(unsigned pairs, unsigned most)
{
	const double next = ceil(pairs * 1.5);

	return next * (1 + LEAST_LAST) < most ? (unsigned)next : most;
}

void
looks_add(struct looks *looks, unsigned pairs, double more)
{
	const unsigned before = looks->count > 0 ? looks->pairs[looks->count - 1] : 0;

	if (pairs <= before)
		return;
	if (looks->count == 0)
		looks->most = (unsigned)fmin(looks->most, pairs + fmax(0, more));
	/* There is room for all of a plan; repeated runs may make a block incomplete. */
	if (looks->count < LOOKS_MAX)
		looks->count++;
	looks->pairs[looks->count - 1] = pairs;
	looks->last = pairs >= looks->most ||
		      more < fmin(LEAST_BLOCK, looks_next(pairs, looks->most) - pairs);
}

struct looks
looks_planned(unsigned runs, unsigned most)
{
	struct looks looks = {.most = most};

	for (unsigned pairs = looks_first(runs, most); pairs > 0 && !looks.last;
		pairs = looks_next(pairs, most))
		looks_add(&looks, pairs, INFINITY);
	return looks;
}

/* The part of alpha that is spent after look `i`, but for what is left at the last one. */
static double
spent(const struct looks *looks, size_t i)
{
	return pow(fmin(1, looks->pairs[i] / fmax(1, looks->most)), RHO);
}

double
looks_part_of(const struct looks *looks, size_t i)
{
	if (looks->count == 0)
		return 1;
	const bool last = looks->last && i + 1 == looks->count;

	return (last ? 1 : spent(looks, i)) - (i > 0 ? spent(looks, i - 1) : 0);
}

double
looks_part(const struct looks *looks)
{
	return looks->count > 0 ? looks_part_of(looks, looks->count - 1) : 1;
}

double
looks_rest(const struct looks *looks)
{
	return looks->count > 1 ? 1 - spent(looks, looks->count - 2) : 1;
}

bool
looks_are_early(const struct looks *looks)
{
	return looks->count > 0 && !looks->last && !looks->stopped;
}
