#include "pipeline/periods.h"

#include "base/mem.h"

#include <stdlib.h>
#include <sys/random.h>

#define SPREAD 0.1

/* splitmix64 (Steele, Lea and Flood 2014): good enough to shuffle a handful of periods. */
static uint64_t
random_next(struct periods *periods)
{
	uint64_t z = periods->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double
random_unit(struct periods *periods)
{
	return (double)(random_next(periods) >> 11) * 0x1p-53;
}

static void
refill(struct periods *periods)
{
	for (size_t i = 0; i < periods->nruns; i++) {
		double place = ((double)i + random_unit(periods)) / (double)periods->nruns;

		periods->factors[i] = 1 - SPREAD + 2 * SPREAD * place;
	}
	for (size_t left = periods->nruns; left > 1; left--) {
		size_t i = random_next(periods) % left;
		double kept = periods->factors[left - 1];

		periods->factors[left - 1] = periods->factors[i];
		periods->factors[i] = kept;
	}
	periods->next = 0;
}

void
periods_init(struct periods *periods, size_t nruns)
{
	*periods = (struct periods){.nruns = nruns > 0 ? nruns : 1};
	if (getrandom(&periods->random, sizeof(periods->random), 0) < 0)
		periods->random = (uintptr_t)periods;
	periods->factors = mem_zalloc(periods->nruns, sizeof(*periods->factors));
	refill(periods);
}

void
periods_release(struct periods *periods)
{
	free(periods->factors);
	*periods = (struct periods){0};
}

double
periods_next(struct periods *periods)
{
	if (periods->next == periods->nruns)
		refill(periods);
	return periods->factors[periods->next++];
}

bool
periods_coin(struct periods *periods)
{
	return random_next(periods) >> 63;
}
