#!/usr/bin/python3
"""Prints the reference values of the tests of noise, step and change_points.

Plain Python, from the definitions: regressions by normal equations, Student's t by integration.

    tests/unit/judge/history/reference.py
"""

from math import atan, cos, exp, expm1, lgamma, log, pi, sqrt, tan
from statistics import fmean, median

# Costs of nights, and where they are divided.
NIGHTS = [
    ([100, 104, 108, 111, 109, 140, 103, 100, 98, 99, 103, 106,
      110, 113, 115, 112, 109, 107, 105, 108, 111, 113], 12),
    ([99, 103, 100, 105, 98, 104, 97, 102, 101, 98, 106, 112,
      114, 111, 117, 109, 118, 113, 110, 119, 115, 111], 11),
]
# Annual flow of the Nile, 1871 to 1970; the change is after 1898.
NILE = [
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180,
    799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833,
    701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845,
    864, 862, 698, 845, 744, 796, 1040, 759, 781, 865, 845, 944, 984, 897, 822, 1010, 771, 676,
    649, 846, 812, 742, 801, 1040, 860, 874, 848, 890, 744, 749, 838, 1050, 918, 986, 797, 923,
    975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740]
NILE_AT = 28
QUARTILE = 0.6744897501960817
LEAST = 5


def t_survival(x, df):
    """Simpson's rule over u in t = tan(u)."""
    scale = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * pi)
    low, high, steps = atan(x), pi / 2 - 1e-12, 20000
    width = (high - low) / steps

    def density(u):
        return scale * (1 + tan(u) ** 2 / df) ** (-(df + 1) / 2) / cos(u) ** 2
    total = density(low) + density(high)
    total += 4 * sum(density(low + i * width) for i in range(1, steps, 2))
    total += 2 * sum(density(low + i * width) for i in range(2, steps, 2))
    return total * width / 3


def t_quantile(p, df):
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        if t_survival(middle, df) > p:
            low = middle
        else:
            high = middle
    return low


def solve(matrix, right):
    """Gauss' elimination."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def regress(columns, values):
    """Coefficients, residual squares, and the inverse's diagonal."""
    matrix = [[sum(a * b for a, b in zip(x, y)) for y in columns] for x in columns]
    right = [sum(a * b for a, b in zip(x, values)) for x in columns]
    coefficients = solve(matrix, right)
    fitted = [sum(c * x[i] for c, x in zip(coefficients, columns)) for i in range(len(values))]
    squares = sum((a - b) ** 2 for a, b in zip(values, fitted))
    n = len(columns)
    inverse = [solve(matrix, [float(i == k) for i in range(n)])[k] for k in range(n)]
    return coefficients, squares, inverse


def step(values, at):
    """Both means, sd, z beside a line, what a line gains."""
    n = len(values)
    one, line = [1.0] * n, [float(i) for i in range(n)]
    jump = [float(i >= at) for i in range(n)]
    (before, apart), of_step, _ = regress([one, jump], values)
    _, of_line, _ = regress([one, line], values)
    (_, _, beside), of_both, inverse = regress([one, line, jump], values)
    sd = sqrt(of_step / (n - 2))
    z = abs(beside) / sqrt(of_both / (n - 3) * inverse[2])
    return before, before + apart, sd, z, (of_step - of_line) / sd**2


def bound(values):
    """By windows of 9 and the SD of differences."""
    n = len(values)
    sd = median(abs(b - a) for a, b in zip(values, values[1:])) / (QUARTILE * sqrt(2))
    bounded = []
    for i, value in enumerate(values):
        first = min(max(i - 4, 0), n - 9)
        middle = median(values[first:first + 9])
        bounded.append(min(max(value, middle - 3 * sd), middle + 3 * sd))
    return bounded


def noise(values, at):
    """SD and rho within two levels."""
    n = len(values)
    means = fmean(values[:at]), fmean(values[at:])
    residuals = [v - means[i >= at] for i, v in enumerate(values)]
    squares = sum(r * r for r in residuals)
    products = sum(residuals[i] * residuals[i - 1] for i in range(1, n) if i != at)
    rho = products / squares
    rho += (1 + 4 * rho) * 2 / n
    rho = min(max((n * rho + 20 * 0.4) / (n + 20), 0), 0.8)
    return sqrt(squares / (n - 2)), rho


def main():
    print("static const struct expected steps[] = {")
    for costs, at in NIGHTS:
        values = [log(cost) for cost in costs]
        print("\t{%s}," % ", ".join("%.17g" % x for x in (at, *step(values, at), *noise(values, at))))
    print("};")
    values = bound([log(flow) for flow in NILE])
    n, at = len(values), NILE_AT
    before, after, sd, _, _ = step(values, at)
    _, rho = noise(values, at)
    inflation = (1 + rho) / (1 - rho)
    error = sd * sqrt((1 / at + 1 / (n - at)) * inflation)
    df = (n - 2) / inflation
    half = error * t_quantile(0.025, df)
    p = 2 * (n - 2 * LEAST + 1) * t_survival(abs(after - before) / error, df)
    print("change %.12g, low %.12g, high %.12g, p %.6g" % (
        expm1(after - before), expm1(after - before - half), expm1(after - before + half), p))
    weights = {}
    for place in range(LEAST, n - LEAST + 1):
        squares = sum((v - fmean(values[:place])) ** 2 for v in values[:place])
        squares += sum((v - fmean(values[place:])) ** 2 for v in values[place:])
        weights[place] = exp(-(squares - sd**2 * (n - 2)) / (2 * sd**2 * inflation))
    total, below = sum(weights.values()), 0.0
    for place, weight in weights.items():
        for edge in (0.025, 0.975):
            if below <= edge * total < below + weight:
                print("place %g: %d" % (edge, place))
        below += weight


if __name__ == "__main__":
    main()
