#include "measurement/run_order.h"

#include "base/mem.h"
#include "base/random.h"

#include <stdlib.h>
#include <sys/random.h>

/* Factors of the period are in 1 - 0.1 .. 1 + 0.1. */
#define PERIOD_SPREAD 0.1

/* Draws a factor from each stratum, in random order. */
static void
refill(struct run_order *order)
{
	for (size_t i = 0; i < order->nruns; i++) {
		double position = ((double)i + random_unit(&order->random)) / (double)order->nruns;

		order->period_factors[i] = 1 - PERIOD_SPREAD + 2 * PERIOD_SPREAD * position;
	}
	for (size_t left = order->nruns; left > 1; left--) {
		size_t i = random_next(&order->random) % left;
		double kept = order->period_factors[left - 1];

		order->period_factors[left - 1] = order->period_factors[i];
		order->period_factors[i] = kept;
	}
	order->next_period = 0;
}

void
run_order_init(struct run_order *order, size_t nruns)
{
	*order = (struct run_order){.nruns = nruns > 0 ? nruns : 1};
	if (getrandom(&order->random, sizeof(order->random), 0) < 0)
		order->random.state = (uintptr_t)order;
	order->period_factors = mem_zalloc(order->nruns, sizeof(*order->period_factors));
	refill(order);
}

void
run_order_release(struct run_order *order)
{
	free(order->period_factors);
	*order = (struct run_order){0};
}

double
run_order_next_period(struct run_order *order)
{
	if (order->next_period == order->nruns)
		refill(order);
	return order->period_factors[order->next_period++];
}

bool
run_order_draw_base_first(struct run_order *order)
{
	return random_next(&order->random) >> 63;
}
