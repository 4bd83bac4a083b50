/*
 * A fresh sampling period for each run: the nominal one times 0.9 to 1.1, stratified over the runs,
 * in random order.
 *
 * A program whose phases keep step with the sampling clock is then sampled in all its phases: with
 * a fixed 1000 Hz a 1 ms-periodic 50/30/20 program gives 13/87/0, with this 50/30/20.
 */
#ifndef PIPELINE_PERIODS_H
#define PIPELINE_PERIODS_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>

struct periods {
	struct random random;
	double *factors; /* owned; a permutation of strata, refilled when used up */
	size_t nruns;
	size_t next;
};

/* `nruns` strata; seeded by the system. */
void periods_init(struct periods *periods, size_t nruns);
void periods_release(struct periods *periods);
/* The next factor, in 0.9 .. 1.1; over `nruns` calls each stratum once. */
double periods_next(struct periods *periods);
/* Chooses at random which of two goes first. */
bool periods_coin(struct periods *periods);

#endif
