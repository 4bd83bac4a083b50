#!/usr/bin/python3
"""Prints the reference values that stats_test.c holds (Debian: python3-scipy, python3-mpmath).

Tails are scipy's. Quantiles are roots of mpmath's regularised incomplete beta function with 40
digits: those of scipy 1.10 are good to nine only.

    /usr/bin/python3 tests/unit/compare/reference.py
"""

from mpmath import betainc, erfc, findroot, log, mp, mpf, sqrt
from scipy.stats import norm, t

T_VALUES = [0.0, 1e-3, 0.5, 1.3, 2.0, 3.5, 6.0, 12.0, 40.0]
DF_VALUES = [1, 2.5, 4, 9, 18, 29.5, 31, 78, 400, 1e4]
P_VALUES = [0.4, 0.05, 0.025, 0.05 / 150, 1e-9]


def tail(x, df):
    if df is None:
        return erfc(x / sqrt(2)) / 2
    return betainc(mpf(df) / 2, mpf(1) / 2, 0, df / (df + x * x), regularized=True) / 2


def isf(p, df):
    start = norm.isf(p) if df is None else t.isf(p, df)
    return float(findroot(lambda x: log(tail(x, df)) - log(mpf(p)), mpf(start)))


def main():
    mp.dps = 40
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
    print("};")


if __name__ == "__main__":
    main()
