#include "ingest/sample_weights.h"

#include "base/mem.h"
#include "base/unit.h"
#include "ingest/event_totals.h"
#include "ingest/ingest_internal.h"

#include <stdlib.h>

void
sample_weights_init(struct sample_weights *weights, enum sample_weight wanted, bool clock)
{
	*weights = (struct sample_weights){
		.wanted = wanted,
		.clock = clock,
		.by_period =
			wanted == SAMPLE_WEIGHS_PERIOD || (wanted == SAMPLE_WEIGHS_AUTO && !clock),
	};
}

/* Periods of a damaged file may add up to anything. */
static uint64_t
sum_up(uint64_t sum, uint64_t period)
{
	return period > UINT64_MAX - sum ? UINT64_MAX : sum + period;
}

double
sample_weights_take(struct sample_weights *weights, uint64_t period, double *scale)
{
	const bool known = period != SAMPLE_PERIOD_NONE;

	*scale = 1;
	weights->absent += !known;
	if (!known)
		period = 1;
	if (weights->count++ == 0)
		weights->first = period;
	weights->varies |= period != weights->first;
	weights->sum = sum_up(weights->sum, period);
	weights->squares += (double)period * (double)period;
	if (weights->varies && !weights->by_period && weights->wanted == SAMPLE_WEIGHS_AUTO) {
		weights->by_period = true;
		*scale = (double)weights->first;
	}
	return weights->by_period ? (double)period : 1;
}

void
sample_weights_describe(const struct sample_weights *weights, const char *event,
	struct profile *profile, struct run *run)
{
	run->samples = weights->count;
	/* Without any period the weights are numbers of samples. */
	if (!weights->by_period || weights->absent == weights->count)
		return;
	if (weights->varies)
		run->effective_samples =
			(double)weights->sum * (double)weights->sum / weights->squares;
	describe_set(profile, &profile->weight, WEIGHT_PERIOD);
	if (weights->clock) {
		describe_set(profile, &profile->unit, UNIT_NS);
		return;
	}
	char *unit = event_name_quantity(event);

	run->cost_total = (double)weights->sum;
	describe_set(profile, &profile->unit, unit);
	describe_set(profile, &profile->cost_unit, unit);
	free(unit);
}
