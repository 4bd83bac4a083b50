/*
 * What is drawn at random for each run: its sampling period and, of an interleaved pair, the build
 * that runs first.
 *
 * Periods are the nominal one times 0.9 to 1.1, stratified over the runs. A program whose work is
 * periodic with the sampling clock is then sampled everywhere in its period: at a fixed 1000 Hz a 1
 * ms-periodic 50/30/20 program gives 13/87/0, with these periods 50/30/20.
 */
#ifndef MEASUREMENT_RUN_ORDER_H
#define MEASUREMENT_RUN_ORDER_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>

struct run_order {
	struct random random;
	double *period_factors; /* owned: one of each stratum, in random order; drawn anew when used
				   up */
	size_t nruns;
	size_t next_period;
};

/* `nruns`: the number of strata. The system gives the seed. */
void run_order_init(struct run_order *order, size_t nruns);
void run_order_release(struct run_order *order);
/* The next factor of the sampling period, in 0.9 .. 1.1; over `nruns` calls each stratum once. */
double run_order_next_period(struct run_order *order);
/* Whether the base runs first in the next pair, else the candidate. */
bool run_order_draw_base_first(struct run_order *order);

#endif
