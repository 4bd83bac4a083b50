/*
 * A step between two levels of a series: how large it is, how certain, and whether a straight line
 * would do as well.
 */
#ifndef HISTORY_STEP_H
#define HISTORY_STEP_H

#include <stddef.h>

/* The stretch values[from..to) with a step at `at`. */
struct step {
	size_t from, at, to;
	double before, after; /* means */
	double sd;            /* within both levels, pooled */
	double beside_line;   /* z of the step in a regression on a step and a straight line */
	double line_gain;     /* how much less a straight line leaves of the squares, in sd^2 */
};

struct step step_of(const double *values, size_t from, size_t at, size_t to);

/* Standard error of after - before, where neighbouring nights correlate by rho. */
double step_error(const struct step *step, double rho);
/* Degrees of freedom of it. */
double step_df(const struct step *step, double rho);

/*
 * The 95 % interval of the place, by its posterior over all that leave `least` values on both
 * sides.
 */
void step_place_interval(const double *values, const struct step *step, double rho, size_t least,
	size_t *low, size_t *high);

#endif
