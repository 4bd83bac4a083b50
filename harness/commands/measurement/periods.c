#include "measurement/periods.h"

#include "base/mem.h"

#include <stdlib.h>
#include <sys/random.h>

#define SPREAD 0.1

static void
refill(struct periods *periods)
{
	for (size_t i = 0; i < periods->nruns; i++) {
		double place = ((double)i + random_unit(&periods->random)) / (double)periods->nruns;

		periods->factors[i] = 1 - SPREAD + 2 * SPREAD * place;
	}
	for (size_t left = periods->nruns; left > 1; left--) {
		size_t i = random_next(&periods->random) % left;
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
		periods->random.state = (uintptr_t)periods;
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
	return random_next(&periods->random) >> 63;
}
