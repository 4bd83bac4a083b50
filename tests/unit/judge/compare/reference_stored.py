#!/usr/bin/python3
"""Prints the reference values of stored mode: tests/unit/judge/compare/model_reference_test.c holds them.

Debian: python3-scipy. Computed from the definitions in harness/judge/compare/model.h with numpy, by array
and session; tails and quantiles are scipy's, which are good to nine digits here.

    /usr/bin/python3 tests/unit/judge/compare/reference_stored.py
"""

import numpy as np
from scipy.stats import norm, t

ALPHA = 0.05
MIN_SHARE = 0.001
BASE = np.array([6000, 3000, 2000, 1500, 1200, 1000, 800, 600, 500, 3, 3, 3, 0], dtype=float)
NEW = len(BASE) - 1

# As in the C test: name, sessions of both sides, runs of a session, how far the functions move
# between sessions (permille), factor on the noise of runs, samples of the first function, growth of
# the second, the machine's speed after, whether the spread is taken from most functions.
CASES = [
    ("days", (3, 2), (3, 3), 0, 4, 6000, 1.3, 1.08, False),
    ("learned", (6, 1), (2, 3), 4, 3, 6000, 1.3, 1.08, False),
    ("own_spread", (5, 2), (1, 4), 12, 2, 6000, 1.1, 0.9, True),
    ("moved", (2, 1), (3, 1), 25, 1, 6000, 1.0, 1.08, True),
    ("single", (3, 2), (1, 1), 3, 1, 6000, 1.075, 1.0, False),
    ("dominated", (3, 2), (3, 4), 2, 5, 150000, 1.5, 1.02, False),
]


class Side:
    """One side's runs: samples[run][function], cost[run], session[run]."""

    def __init__(self, case, side):
        _, sessions, runs, moves, noise_factor, first, growth, speed, _ = case
        self.samples, self.cost, self.session = [], [], []
        function = np.arange(len(BASE))
        for s in range(sessions[side]):
            for r in range(runs[side]):
                base = BASE.copy()
                base[0] = first
                if side:
                    base[1] *= growth
                    base[NEW] = 90
                moved = (s * 13 + function * 7 + side * 5 + s * function) % 9 - 4
                base *= 1 + 0.001 * moves * moved
                noise = r * 7 + function * 5 + side * 3 + s * 11
                noise = noise * (r + 2 * function + 1 + s) % 11 - 5
                noise = noise_factor * noise * (1 + function % 3) * (2 + function % 2)
                row = base + np.where(base > 50, noise, 0)
                drift = 1 + 0.002 * ((side * 13 + r * r * 5 + s * 7) % 17)
                self.samples.append(row)
                self.cost.append(2e5 * row.sum() * drift * (speed if side else 1))
                self.session.append(s)
        self.samples = np.array(self.samples)
        self.cost = np.array(self.cost)
        self.session = np.array(self.session)
        self.total = self.samples.sum(axis=1)
        self.nsessions = sessions[side]
        self.nruns = len(self.cost)


def by_session(side, numerator, denominator):
    """Sums of each session, and the residuals' variance of its numerator."""
    for s in range(side.nsessions):
        n, d = numerator[side.session == s], denominator[side.session == s]
        residual = n - n.sum() / d.sum() * d
        count = len(n)
        variance = (residual**2).sum() * count / (count - 1) if count > 1 else 0
        yield n.sum(), d.sum(), variance, count


def ratio(sides, numerators, denominators):
    """ln of the ratio of both sides, V_e and d."""
    logs, variances, dfs, sizes = [], [], [], []
    for side, numerator, denominator in zip(sides, numerators, denominators):
        parts = np.array(list(by_session(side, numerator, denominator)))
        logs.append(np.log(parts[:, 0].sum() / parts[:, 1].sum()))
        variances.append(parts[:, 2].sum() / parts[:, 0].sum() ** 2)
        dfs.append((parts[:, 3] - 1).sum())
        sizes.append(parts[:, 1].sum())
    known = [side for side in (0, 1) if dfs[side] > 0]
    share = np.array([1 / size for size in sizes])
    variance, df = 0, 0
    if known:
        # A side whose variance is not known gets that of the other, by its size.
        variance = sum(variances[k] for k in known) * share.sum() / share[known].sum()
        df = share[known].sum() ** 2 / sum(share[k] ** 2 / dfs[k] for k in known)
    return logs[1] - logs[0], variance, df, variances, dfs


def between_sessions(side, numerator, denominator):
    """Variance of the sessions' ln ratios, without what the runs within them explain."""
    parts = np.array(list(by_session(side, numerator, denominator)))
    return np.log(parts[:, 0] / parts[:, 1]).var(ddof=1) - (parts[:, 2] / parts[:, 0] ** 2).mean()


def satterthwaite(a, df_a, b, df_b):
    return (a + b) ** 2 / (a**2 / df_a + b**2 / df_b)


def chi2_part(df, z):
    return (1 - 2 / (9 * df) + z * (2 / (9 * df)) ** 0.5) ** 3


def weighted_median(values, weights):
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    return values[order][np.searchsorted(reached, 0.5)]


def find_rest(sides, apart, spread):
    """Functions of the stable rest, the small ones as one; the machine's speed."""
    small = np.all([side.samples.sum(axis=0) < 50 for side in sides], axis=0)
    large = np.all([side.samples.sum(axis=0) >= 50 for side in sides], axis=0)
    groups = [np.arange(len(BASE)) == f for f in np.flatnonzero(large)]
    if all(side.samples[:, small].sum() >= 50 for side in sides):
        groups.append(small)
    change, variance, sums = [], [], []
    for group in groups:
        own = [side.samples[:, group].sum(axis=1) for side in sides]
        change_of, variance_of, *_ = ratio(sides, own, [side.total for side in sides])
        sums.append([x.sum() for x in own])
        change.append(change_of)
        variance.append(max(variance_of, sum(1 / x.sum() for x in own)))
    change, variance, sums = np.array(change), np.array(variance), np.array(sums)
    log_cost = np.log(sides[1].cost.mean() / sides[0].cost.mean())
    weights = np.minimum(sums[:, 0] / sides[0].total.sum(), 0.2)
    weights[abs(change + log_cost) > np.log(4)] = 0
    centre = weighted_median(np.append(change, -log_cost), np.append(weights, weights.sum() / 4))
    totals = [side.total.sum() for side in sides]
    for _ in range(4):
        kept = abs(change - centre) <= 2.5 * (variance + spread**2 * apart) ** 0.5
        centre = np.log(sums[kept, 1].sum() / sums[kept, 0].sum()) - np.log(totals[1] / totals[0])
    rest = np.any([group for group, keep in zip(groups, kept) if keep], axis=0)
    return rest, np.exp(centre + log_cost)


def estimate(sides, f, rest, cost_variance):
    """L, V_e, d, b, V_m, whether relative, and the variance between sessions."""
    own = [side.samples[:, f] for side in sides]
    others = rest.copy()
    others[f] = False
    reference = [side.samples[:, others].sum(axis=1) for side in sides]
    binomial = sum(1 / x.sum() for x in own)
    relative = all(x.sum() >= max(50, 0.1 * side.total.sum()) for x, side in zip(reference, sides))
    if relative:
        floor = binomial + sum(1 / x.sum() for x in reference)
        log_change, variance, df, *_ = ratio(sides, own, reference)
        between = None
        if sides[0].nsessions > 4:
            between = between_sessions(sides[0], own[0], reference[0])
        return log_change, variance, df, floor, floor, True, between
    floor = binomial - sum(1 / side.total.sum() for side in sides)
    cost = [x / side.total * side.cost for x, side in zip(own, sides)]
    log_change, variance, df, *_ = ratio(sides, cost, [np.ones(side.nruns) for side in sides])
    return log_change, variance, df, floor, floor + cost_variance, False, None


def holm(p):
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, stepped)
    return adjusted


def shrink(estimates):
    """V and its degrees of freedom, of each."""
    variance, df, floor, expected = (np.array([e[k] for e in estimates]) for k in (1, 2, 3, 4))
    if df[0] == 0:
        return floor, np.full(len(floor), np.inf)
    q = variance / expected
    d = df.mean()
    excess = (q.var(ddof=1) / q.mean() ** 2 - 2 / d) / (1 + 2 / d)
    prior = min(60, 2 / excess) if excess > 0 else 60
    if len(q) < 8:
        prior = 0
    shrunk = expected * (prior * q.mean() + df * q) / (prior + df)
    return np.maximum(floor, shrunk), prior + df


def spreads(sides, estimates, variance, apart, of_functions):
    """S and its degrees of freedom, of each function."""
    n = len(estimates)
    assumed = 0.02**2 * apart
    relative = [e[5] for e in estimates]
    own = np.array([0 if e[6] is None else e[6] for e in estimates])
    if sides[0].nsessions > 4:
        df = sides[0].nsessions - 1
        common = max(np.median(own) / chi2_part(df, 0), 0.0025**2)
        return apart * (8 * common + df * np.maximum(0, own)) / (8 + df), np.full(n, 8.0 + df)
    if of_functions:
        squares = np.array([e[0] ** 2 for e in estimates])
        df = 0.367 * n
        median = norm.isf(0.25) ** 2
        if np.median(squares / (variance + assumed)) > median * chi2_part(df, 2.576):
            # Bisection, for the median of L^2 / (V + S) falls with S.
            low, high = 0, 1
            for _ in range(200):
                middle = (low + high) / 2
                if np.median(squares / (variance + middle)) > median:
                    low = middle
                else:
                    high = middle
            return np.full(n, low), np.full(n, df)
    return np.where(relative, assumed, 0.05**2 * apart), np.full(n, np.inf)


def number(x):
    return "NAN" if np.isnan(x) else "INFINITY" if np.isinf(x) else "%.12g" % x


def print_case(case):
    sides = [Side(case, 0), Side(case, 1)]
    apart = sum(1 / side.nsessions for side in sides)
    rest, speed = find_rest(sides, apart, 0.02)
    ones = [np.ones(side.nruns) for side in sides]
    whole, whole_variance, whole_df, parts, dfs = ratio(sides, [side.cost for side in sides], ones)
    shares = [side.samples.sum(axis=0) / side.total.sum() for side in sides]
    scale = sides[1].cost.mean() / (sides[0].cost.mean() * speed)
    tested = np.flatnonzero(np.maximum(shares[0], shares[1] * scale) >= MIN_SHARE)
    tested = tested[tested != NEW]
    estimates = [estimate(sides, f, rest, sum(parts)) for f in tested]
    variance, df = shrink(estimates)
    between, between_df = spreads(sides, estimates, variance, apart, case[8])
    log_change = np.array([e[0] for e in estimates] + [whole])
    # The whole: Welch's degrees of freedom, and the machine's spread.
    machine, machine_df = 0.05**2, np.inf
    if sides[0].nsessions > 4:
        machine = max(between_sessions(sides[0], sides[0].cost, ones[0]), 0.0025**2)
        machine_df = sides[0].nsessions - 1
    known = [side for side in (0, 1) if dfs[side] > 0]
    if not known:
        whole_df = np.inf
    if len(known) == 2:
        whole_df = satterthwaite(parts[0], dfs[0], parts[1], dfs[1])
    variance = np.append(variance, whole_variance)
    df = np.append(df, whole_df)
    between = np.append(between, machine * apart)
    between_df = np.append(between_df, machine_df)
    error = (variance + between) ** 0.5
    with np.errstate(divide="ignore"):
        df = satterthwaite(variance, df, between, between_df)
    p = np.minimum(1, 2 * t.sf(abs(log_change) / error, df))
    adjusted = holm(p)
    level = np.where(adjusted < 1, ALPHA * p / adjusted, ALPHA / len(p))
    low = np.expm1(log_change - t.isf(level / 2, df) * error)
    dispersion = [e[1] / e[3] if e[2] > 0 else np.nan for e in estimates] + [np.nan]
    detectable = np.expm1((t.isf(ALPHA / len(p) / 2, df) + t.isf(0.05, df)) * error)
    print("\nstatic const struct expected %s[] = {" % case[0])
    for i, f in enumerate([*tested, -1]):
        row = (np.expm1(log_change[i]), error[i], df[i], between[i] ** 0.5, adjusted[i], low[i],
               detectable[i], dispersion[i])
        print("\t{%d, %s}," % (f, ", ".join(number(x) for x in row)))
    print("};")
    reference = sides[0].samples[:, rest].sum() / sides[0].total.sum()
    members = "".join(str(int(x)) for x in rest)
    print("/* %s: speed %.12g, stable %.12g, in the rest %s */" % (
        case[0], speed, reference, members))


def main():
    for case in CASES:
        print_case(case)


if __name__ == "__main__":
    main()
