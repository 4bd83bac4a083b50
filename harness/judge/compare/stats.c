#include "compare/stats.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

/* From here on Student's t is taken as normal. */
#define DF_NORMAL 1e6

static const double log_sqrt_pi = 0.57236494292470008707;

/* ln(Gamma(a + 1/2) / Gamma(a)): DLMF 5.11.13 where lgamma() would cancel. */
static double
log_gamma_half_step(double a)
{
	double inverse = 1 / a;
	double square = inverse * inverse;

	if (a < 15)
		return lgamma(a + 0.5) - lgamma(a);
	return 0.5 * log(a) -
	       inverse *
		       (1.0 / 8 -
			       square * (1.0 / 192 -
						square * (1.0 / 640 -
								 square * (17.0 / 14336 -
										  square * 31.0 /
											  18432))));
}

/* The continued fraction of I_x(a, b), DLMF 8.17.22, for x < (a + 1) / (a + b + 2). */
static double
beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1;
	double d = 1 - (a + b) * x / (a + 1);

	d = 1 / (fabs(d) < tiny ? tiny : d);
	double value = d;

	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		value *= d * c;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		value *= d * c;
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return value;
}

double
stats_t_survival(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	if (t < 0)
		return 1 - stats_t_survival(-t, df);
	if (isinf(t))
		return 0;
	if (df > DF_NORMAL)
		return 0.5 * erfc(t * M_SQRT1_2);

	double a = df / 2;
	double square = t * t / df; /* (1 - x) / x */
	double x = 1 / (1 + square);
	double y = square / (1 + square);
	/* ln(x^a y^(1/2) / B(a, 1/2)), with ln y = ln(square) + ln x. */
	double front = exp(-(a + 0.5) * log1p(square) + 0.5 * log(square) + log_gamma_half_step(a) -
			   log_sqrt_pi);

	if (square == 0)
		return 0.5;
	if (x < (a + 1) / (a + 2.5))
		return 0.5 * front * beta_fraction(x, a, 0.5) / a;
	return 0.5 - front * beta_fraction(y, 0.5, a);
}

double
stats_f_survival(double f, double df1, double df2)
{
	if (isnan(f) || !(df1 > 0) || !(df2 > 0))
		return NAN;
	f = fmax(f, 0);
	if (isinf(f))
		return 0;
	double a = df2 / 2;
	double b = df1 / 2;
	double x = df2 / (df2 + df1 * f);
	double y = df1 * f / (df2 + df1 * f);
	double front = exp(a * log(x) + b * log(y) + lgamma(a + b) - lgamma(a) - lgamma(b));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

static double
t_density(double t, double df)
{
	if (df > DF_NORMAL)
		return exp(-t * t / 2) * M_SQRT1_2 * M_2_SQRTPI / 2;
	double a = df / 2;

	return exp(log_gamma_half_step(a) - log_sqrt_pi - 0.5 * log(df) -
		   (a + 0.5) * log1p(t * t / df));
}

/*
 * A t near the quantile, for p < 1/2: the normal one by Abramowitz and Stegun, Handbook of
 * Mathematical Functions (1964), 26.2.23, made a t by Wallace, "Bounds on normal approximations to
 * Student's and the chi-square distributions", Annals of Mathematical Statistics 30 (1959).
 */
static double
near_quantile(double p, double df)
{
	double r = sqrt(-2 * log(p));
	double z = r - (2.515517 + r * (0.802853 + r * 0.010328)) /
			       (1 + r * (1.432788 + r * (0.189269 + r * 0.001308)));

	if (df > DF_NORMAL)
		return z;
	double scale = (8 * df + 3) / (8 * df + 1);

	return sqrt(df * expm1(fmin(700, z * z * scale * scale / df)));
}

double
stats_t_quantile(double p, double df)
{
	if (!(df > 0) || !(p > 0 && p < 1))
		return NAN;
	if (p > 0.5)
		return -stats_t_quantile(1 - p, df);
	if (p == 0.5)
		return 0;

	double low = 0;
	double high = INFINITY;
	double t = fmin(fmax(near_quantile(p, df), 1e-6), 1e150);

	for (int i = 0; i < 1000; i++) {
		double survival = stats_t_survival(t, df);

		if (survival > p)
			low = t;
		else
			high = t;
		/* Halley's step for ln(survival), whose slope is -hazard. */
		double hazard = t_density(t, df) / survival;
		double newton = (log(survival) - log(p)) / hazard;
		double fall = df > DF_NORMAL ? t : (df + 1) * t / (df + t * t);
		double next = t + newton / (1 + newton * (hazard - fall) / 2);

		if (fabs(next - t) <= 1e-5 * t && next > 0)
			return next;
		if (!(next > low && next < high))
			next = isinf(high) ? 2 * t : (low + high) / 2;
		t = next;
	}
	return t;
}

static int
by_value(const void *left, const void *right)
{
	return sort_order(*(const double *)left, *(const double *)right);
}

double
stats_sum(double *values, size_t count)
{
	double sum = 0;

	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), by_value);
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

static int
by_weighted_value(const void *left, const void *right)
{
	const struct stats_weighted *a = left;
	const struct stats_weighted *b = right;
	int order = sort_order(a->value, b->value);

	return order != 0 ? order : sort_order(a->weight, b->weight);
}

double
stats_weighted_median(struct stats_weighted *items, size_t count)
{
	double total = 0;
	double below = 0;

	if (count == 0)
		return NAN;
	qsort(items, count, sizeof(*items), by_weighted_value);
	for (size_t i = 0; i < count; i++)
		total += items[i].weight;
	if (!(total > 0))
		return NAN;
	for (size_t i = 0; i < count; i++) {
		below += items[i].weight;
		if (below > total / 2)
			return items[i].value;
		if (below == total / 2 && i + 1 < count)
			return (items[i].value + items[i + 1].value) / 2;
	}
	return items[count - 1].value;
}

double
stats_median(double *values, size_t count)
{
	if (count == 0)
		return NAN;
	qsort(values, count, sizeof(*values), by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct ranked {
	double p;
	size_t index;
};

static int
by_p(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;
	int order = sort_order(a->p, b->p);

	return order != 0 ? order : sort_order((double)a->index, (double)b->index);
}

void
stats_holm(const double *p, double *adjusted, size_t count, size_t elsewhere)
{
	struct ranked *ranked = mem_zalloc(count, sizeof(*ranked));
	size_t ntests = 0;
	double largest = 0;

	for (size_t i = 0; i < count; i++) {
		adjusted[i] = NAN;
		if (!isnan(p[i]))
			ranked[ntests++] = (struct ranked){.p = p[i], .index = i};
	}
	qsort(ranked, ntests, sizeof(*ranked), by_p);
	for (size_t i = 0; i < ntests; i++) {
		largest = fmax(largest, (double)(ntests + elsewhere - i) * ranked[i].p);
		adjusted[ranked[i].index] = fmin(1, largest);
	}
	free(ranked);
}

double
stats_satterthwaite(double variance_a, double df_a, double variance_b, double df_b)
{
	double sum = variance_a + variance_b;
	double denominator = (isinf(df_a) ? 0 : variance_a * variance_a / df_a) +
			     (isinf(df_b) ? 0 : variance_b * variance_b / df_b);

	return denominator > 0 ? sum * sum / denominator : INFINITY;
}
