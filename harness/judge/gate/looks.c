#include "gate/looks.h"

#include <math.h>

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
	const unsigned first = (3 * runs + 4) / 5;

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

double
looks_unselected(double estimate, double error, double boundary)
{
	const double above = (estimate - boundary) / error;

	if (!(error > 0) || !isfinite(above))
		return estimate;
	const double density = exp(-above * above / 2) / sqrt(2 * M_PI);
	const double selected = erfc(-above / M_SQRT2) / 2;

	return selected > 0 ? estimate - error * density / selected : estimate;
}
