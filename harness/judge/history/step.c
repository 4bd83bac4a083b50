#include "history/step.h"

#include "base/mem.h"
#include "history/noise.h"

#include <math.h>
#include <stdlib.h>

/* The probability beyond each end of a 95 % interval. */
#define TAIL 0.025

/* Sums of squares and products of the values v, a straight line x and a step h, all centred. */
struct products {
	double n;
	double mean; /* of the values */
	double vv, xv, hv;
	double xx, hh, hx;
};

static struct products
products_of(const double *values, size_t n, size_t at)
{
	const double nights = (double)n;
	const double before = (double)at;
	const double after = nights - before;
	const double middle = (nights - 1) / 2;
	struct products products = {
		.n = nights,
		.xx = nights * (nights * nights - 1) / 12,
		.hh = before * after / nights,
		.hx = before * after / 2,
	};

	for (size_t i = 0; i < n; i++)
		products.mean += values[i] / nights;
	for (size_t i = 0; i < n; i++) {
		const double value = values[i] - products.mean;

		products.vv += value * value;
		products.xv += ((double)i - middle) * value;
		products.hv += i >= at ? value : 0;
	}
	return products;
}

struct step
step_of(const double *values, size_t from, size_t at, size_t to)
{
	const struct products sums = products_of(values + from, to - from, at - from);
	const double m = (double)(at - from);
	const double k = (double)(to - at);
	/* Residual squares of a step, of a line, and of both. */
	const double step = fmax(sums.vv - sums.hv * sums.hv / sums.hh, 0);
	const double line = fmax(sums.vv - sums.xv * sums.xv / sums.xx, 0);
	const double left = sums.hh - sums.hx * sums.hx / sums.xx;
	const double size = (sums.hv - sums.hx * sums.xv / sums.xx) / left;
	const double both = fmax(line - size * size * left, 0);
	const double sd = fmax(sqrt(step / (sums.n - 2)), NOISE_LEAST_SD);
	const double both_sd = fmax(sqrt(both / (sums.n - 3)), NOISE_LEAST_SD);

	return (struct step){
		.from = from,
		.at = at,
		.to = to,
		.before = sums.mean - sums.hv / m,
		.after = sums.mean + sums.hv / k,
		.sd = sd,
		.beside_line = fabs(size) * sqrt(left) / both_sd,
		.line_gain = (step - line) / (sd * sd),
	};
}

double
step_error(const struct step *step, double rho)
{
	const double m = (double)(step->at - step->from);
	const double k = (double)(step->to - step->at);

	return step->sd * sqrt((1 / m + 1 / k) * noise_inflation(rho));
}

double
step_df(const struct step *step, double rho)
{
	return fmax((double)(step->to - step->from - 2) / noise_inflation(rho), 1);
}

/* The squares that a step at each place explains, by place from step->from; the largest. */
static double
explain(const double *values, const struct step *step, double *explained)
{
	const size_t n = step->to - step->from;
	double all = 0;
	double head = 0;
	double most = 0;

	for (size_t i = 0; i < n; i++)
		all += values[step->from + i] - step->before;
	for (size_t at = 1; at < n; at++) {
		const double m = (double)at;
		const double k = (double)(n - at);

		head += values[step->from + at - 1] - step->before;
		const double apart = (all - head) / k - head / m;

		explained[at] = m * k / (m + k) * apart * apart;
		most = fmax(most, explained[at]);
	}
	return most;
}

void
step_place_interval(const double *values, const struct step *step, double rho, size_t least,
	size_t *low, size_t *high)
{
	const size_t n = step->to - step->from;
	const double variance = step->sd * step->sd * noise_inflation(rho);
	double *weights = mem_zalloc(n, sizeof(*weights));
	const double most = explain(values, step, weights);
	double all = 0;
	double below = 0;

	for (size_t at = least; at + least <= n; at++) {
		weights[at] = exp((weights[at] - most) / (2 * variance));
		all += weights[at];
	}
	*low = step->at;
	*high = step->at;
	for (size_t at = least; at + least <= n; at++) {
		const double up_to = below + weights[at];

		if (below <= TAIL * all && up_to > TAIL * all)
			*low = step->from + at;
		if (below < (1 - TAIL) * all && up_to >= (1 - TAIL) * all)
			*high = step->from + at;
		below = up_to;
	}
	free(weights);
}
