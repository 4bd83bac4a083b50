/*
 * The statistics that judging needs, and no more: Student's t, F, Holm's correction, moments and a
 * weighted median. Pure functions; tests/unit/compare checks them against scipy.
 */
#ifndef COMPARE_STATS_H
#define COMPARE_STATS_H

#include <stddef.h>

/*
 * P(T > t) of Student's t with `df` > 0 degrees of freedom, not necessarily whole; INFINITY is the
 * normal distribution, and so is any df above 1e6 (the tail is then off by less than t^4 / (4 df)
 * of itself). The relative error is below 1e-12 for df up to 1e4, far out in the tail too, and
 * below 1e-10 beyond. NAN for NAN.
 *
 * P = I_x(df/2, 1/2) / 2 with x = df / (df + t^2) for t > 0: NIST DLMF 8.17.1 and 8.17.22 (the
 * continued fraction), evaluated by Lentz' method (Thompson and Barnett 1986).
 */
double stats_t_survival(double t, double df);

/*
 * The t with P(T > t) = p, for 0 < p < 1; df as above. Halley's method on the logarithm of the
 * survival function, kept inside a bracket.
 */
double stats_t_quantile(double p, double df);

/*
 * P(F > f) of Snedecor's F with df1 and df2 > 0 degrees of freedom: I_x(df2/2, df1/2) with
 * x = df2 / (df2 + df1 f). The relative error is below 1e-10 for df up to 1e4. NAN for NAN.
 */
double stats_f_survival(double f, double df1, double df2);

/* The sum of values[count], sorted first, so that it does not depend on their order. */
double stats_sum(double *values, size_t count);

/*
 * The value below which half of the weight lies: values and weights are sorted in place. Weights
 * are >= 0; NAN without any. Where exactly half lies below, the middle of the two neighbours.
 */
struct stats_weighted {
	double value;
	double weight;
};

double stats_weighted_median(struct stats_weighted *items, size_t count);
/* The same with equal weights; sorts the values. */
double stats_median(double *values, size_t count);

/*
 * Holm's step-down correction: adjusted[i] for p[i], in the caller's order; at most 1. A NAN stays
 * NAN and does not count. `elsewhere` more tests of the family are taken to have p = 1. Source:
 * Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6 (1979).
 */
void stats_holm(const double *p, double *adjusted, size_t count, size_t elsewhere);

/*
 * The degrees of freedom of a sum of two independent variance estimates. Source: Satterthwaite, "An
 * approximate distribution of estimates of variance components", Biometrics Bulletin 2 (1946). A
 * variance that is known has df INFINITY.
 */
double stats_satterthwaite(double variance_a, double df_a, double variance_b, double df_b);

#endif
