#!/usr/bin/python3
"""Prints the reference values of the tests of stats, run_spread and the models.

Debian: python3-scipy, python3-mpmath. Tails are scipy's. Quantiles are roots of mpmath's
regularised incomplete beta function with 40 digits: those of scipy 1.10 are good to nine only.
The paired model's values are computed here from its definition, and with scipy's tests where
there is one.

    /usr/bin/python3 tests/unit/judge/compare/reference.py
"""

from mpmath import betainc, erfc, findroot, log, mp, mpf, sqrt
from numpy import array, expm1, log1p, minimum
from numpy import log as ln
from scipy.stats import f, norm, t, ttest_1samp, ttest_ind, ttest_rel

T_VALUES = [0.0, 1e-3, 0.5, 1.3, 2.0, 3.5, 6.0, 12.0, 40.0]
F_VALUES = [0.1, 1, 4.0, 12.5, 80.0]
F_DF_VALUES = [(1, 1), (3, 4), (8, 8), (18, 8), (8, 44.5), (100, 200)]
DF_VALUES = [1, 2.5, 4, 9, 18, 29.5, 31, 78, 400, 1e4]
P_VALUES = [0.4, 0.05, 0.025, 0.05 / 150, 1e-9]

RUNS_BEFORE = [1.00, 1.04, 0.97, 1.02, 0.96, 1.05, 0.99]
RUNS_AFTER = [1.1, 1.6, 0.8, 1.3, 0.7, 1.5]
PAIRS = 6
FUNCTIONS = 9
WORTH = 0.00125


def tail(x, df):
    if df is None:
        return erfc(x / sqrt(2)) / 2
    return betainc(mpf(df) / 2, mpf(1) / 2, 0, df / (df + x * x), regularized=True) / 2


def tail_f(x, df1, df2):
    return betainc(mpf(df2) / 2, mpf(df1) / 2, 0, df2 / (df2 + df1 * x), regularized=True)


def isf(p, df):
    start = norm.isf(p) if df is None else t.isf(p, df)
    return float(findroot(lambda x: log(tail(x, df)) - log(mpf(p)), mpf(start)))


def print_stats():
    print("static const double survival[][3] = {")
    for df in DF_VALUES:
        for x in T_VALUES:
            value = t.sf(x, df)
            if value > 1e-290:
                print("\t{%.17g, %.17g, %.17g}," % (x, df, value))
    for x in T_VALUES[:-1]:
        print("\t{%.17g, INFINITY, %.17g}," % (x, norm.sf(x)))
    print("};\n\nstatic const double quantile[][3] = {")
    for df in DF_VALUES:
        for p in P_VALUES:
            print("\t{%.17g, %.17g, %.17g}," % (p, df, isf(p, df)))
    for p in P_VALUES:
        print("\t{%.17g, INFINITY, %.17g}," % (p, isf(p, None)))
    print("};\n\nstatic const double survival_f[][4] = {")
    for df1, df2 in F_DF_VALUES:
        for x in F_VALUES:
            x = mpf(x)
            print("\t{%.17g, %.17g, %.17g, %.17g}," % (x, df1, df2, tail_f(x, df1, df2)))
    print("};")


def print_run_spread(before, after):
    """The costs of run_spread_test.c: a side's variance about its mean, its farthest run left out."""
    variances = []
    for costs in (ln(array(before)), ln(array(after))):
        squares = (costs - costs.mean()) ** 2 * len(costs) / (len(costs) - 1)
        variances.append((squares.sum() - squares.max()) / (len(costs) - 1))
    ratio = variances[1] / max(0.02**2, variances[0])
    p = f.sf(ratio, len(after) - 2, len(before) - 2)
    print("\nstatic const double expected_ratio = %.17g, expected_p = %.17g;" % (ratio, p))


def paired_data(scatter):
    """Samples [side][run][function] and costs [side][run], as model_paired_test.c makes them."""
    samples = []
    for side in range(2):
        runs = []
        for run in range(PAIRS):
            row = []
            for f in range(FUNCTIONS):
                base = 5000 // (f + 1) + 40 * f
                noise = (run * 7 + f * 5 + side * 3) * (run + 2 * f + 1) % 11 - 5
                grown = base * 3 // 100 if side == 1 and f % 4 == 0 else 0
                row.append(base + grown + noise * (1 + scatter * (f % 3)) * (2 + f % 2))
            runs.append(row)
        samples.append(runs)
    costs = [[1e9 + 1e6 * ((side * 13 + run * run * 5) % 17) + 4e6 * side for run in range(PAIRS)]
             for side in range(2)]
    return array(samples, dtype=float), array(costs)


def print_paired(name, scatter):
    samples, costs = paired_data(scatter)
    totals = samples.sum(axis=2)
    cost = samples / totals[:, :, None] * costs[:, :, None]
    mean = cost.mean(axis=1)
    change = ln(mean[1] / mean[0])
    difference = cost[1] / mean[1] - cost[0] / mean[0]
    # The variance of a mean is what scipy's t test against 1 divides by.
    test = ttest_1samp(difference, 1, axis=0)
    variance = (-1 / test.statistic) ** 2
    counts = samples.sum(axis=1)
    floor = (1 / counts - 1 / totals.sum(axis=1)[:, None]).sum(axis=0)
    whole = ln(costs[1]) - ln(costs[0])
    expected = floor + whole.var(ddof=1) / PAIRS
    q = variance / expected
    df = PAIRS - 1
    excess = (q.var(ddof=1) / q.mean() ** 2 - 2 / df) / (1 + 2 / df)
    prior = min(60, 2 / excess) if excess > 0 else 60
    prior = prior if prior >= 4 else 0
    shrunk = (prior * q.mean() * expected + df * variance) / (prior + df)
    error = shrunk.clip(min=floor) ** 0.5
    share = counts[0] / totals[0].sum()
    margin = log1p(WORTH / share)
    p = minimum(1, 2 * t.sf((abs(change) - margin) / error, df + prior))
    reach = array([isf(0.025, df + prior)]) * error + margin
    print("\nstatic const struct expected %s[] = {" % name)
    for row in zip(expm1(change), error, expm1(change - reach), p):
        print("\t{%.17g, %.17g, %.17g, %.17g, %.17g}," % (row[0], row[1], df + prior, row[2], row[3]))
    paired = ttest_rel(ln(costs[1]), ln(costs[0]))
    error = whole.std(ddof=1) / PAIRS**0.5
    low = expm1(whole.mean() - isf(0.025, df) * error)
    print("\t{%.17g, %.17g, %.17g, %.17g, %.17g}," % (
        expm1(whole.mean()), error, df, low, paired.pvalue))
    print("};")


def print_welch(name, before, after, of_means):
    """Growth of a mean, error of its logarithm, Welch's degrees of freedom, p."""
    sides = [array(side, dtype=float) for side in (before, after)]
    parts = [(side / side.mean()).var(ddof=1) / (side.size if of_means else 1) for side in sides]
    df = sum(parts) ** 2 / sum(part**2 / (side.size - 1) for part, side in zip(parts, sides))
    change = ln(sides[1].mean() / sides[0].mean())
    error = sum(parts) ** 0.5
    if of_means:
        # What scipy takes for the same two samples.
        scaled = [side / side.mean() for side in sides]
        test = ttest_ind(scaled[1] + change, scaled[0], equal_var=False)
        p = test.pvalue
    else:
        p = 2 * t.sf(abs(change) / error, df)
    print("\nstatic const struct expected %s = {" % name)
    print("\t%.17g, %.17g, %.17g, %.17g};" % (expm1(change), error, df, p))


def main():
    mp.dps = 40
    print_stats()
    print_paired("alike", 0)
    print_paired("mixed", 1)
    print_paired("scattered", 4)
    print_welch("stored_whole", [1000e6, 1013e6, 991e6, 1004e6], [1010e6, 1041e6, 1019e6], True)
    print_welch("counted", [49000012, 48999985, 49000031], [49000077, 49000022, 49000049], False)
    print_run_spread(RUNS_BEFORE, RUNS_AFTER)


if __name__ == "__main__":
    main()
