"""harness/doc/EVIDENCE.md from the results of evidence.sh.

usage: evidence.py RESULTS FILE

A figure is written only where it was measured: a campaign without results has no line. Intervals are
exact (Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26, 1934), at 95 %. The test of hyperfine's times is Welch's at 5 %, as in its
script welch_ttest.py.
"""

import collections
import glob
import json
import math
import os
import re
import statistics
import sys

HEAD = """# Evidence

Measured behaviour of the gate. `make evidence` measures it again and writes this page; `SIZE=50` takes
five times as many gates, `CAMPAIGNS="unchanged slower_10"` only these. Rates have their 95 % interval
(Clopper-Pearson), the date, and the load beside: the load average of the machine when the campaign began
and ended. Everything on this page was measured.

"""


def beta_cdf(x, a, b):
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    value, c, d = 1.0, 1.0, 0.0
    for i in range(400):
        m = i // 2
        if i == 0:
            term = 1.0
        elif i % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + term * d or 1e-300)
        c = 1 + term / c or 1e-300
        value *= c * d
        if i > 0 and abs(1 - c * d) < 1e-14:
            break
    return front * (value - 1) / a


def quantile(p, a, b):
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if beta_cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return low


def exact(hits, n):
    """The 95 % interval of a rate, exact."""
    low = 0.0 if hits == 0 else quantile(0.025, hits, n - hits + 1)
    high = 1.0 if hits == n else quantile(0.975, hits + 1, n - hits)
    return low, high


def rate(hits, n):
    low, high = exact(hits, n)
    return f"{hits} of {n}: {100 * hits / n:.3g} % ({100 * low:.2g} to {100 * high:.3g})"


def welch_p(one, other):
    """Two-sided p of Welch's test."""
    parts = [statistics.variance(side) / len(side) for side in (one, other)]
    error = math.sqrt(sum(parts))
    t = (statistics.mean(one) - statistics.mean(other)) / error
    df = sum(parts) ** 2 / sum(part**2 / (len(s) - 1) for part, s in zip(parts, (one, other)))
    return beta_cdf(df / (df + t * t), df / 2, 0.5)


class Results:
    def __init__(self, folder):
        self.folder = folder

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def has(self, name):
        """Whether the campaign has ended: the load at its end is the seventh line."""
        return os.path.exists(self.path(name, "where")) and len(self.lines(name, "where")) == 7

    def lines(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read().splitlines()

    def where(self, name):
        date, commit, _, _, _, *loads = self.lines(name, "where")
        return f"{date}, {commit}, load {' to '.join(loads)}"

    def machine(self, name):
        _, _, model, cpus, kernel, *_ = self.lines(name, "where")
        return f"{model}, {cpus} CPUs, Linux {kernel}"

    def planted(self, name):
        """The functions that were made slower, in the order of the verdicts."""
        return [line.split("\t")[1] for line in self.lines(name, "table")]

    def verdicts(self, name):
        found = []
        # "9.json" before "10.json"
        for file in sorted(glob.glob(self.path(name, "*.json")), key=lambda path: (len(path), path)):
            with open(file, encoding="utf-8") as text:
                found.append(json.load(text))
        return found


def row(out, *cells):
    out.append("| " + " | ".join(cells) + " |")


def table(out, *heads):
    row(out, *heads)
    row(out, *["---"] * len(heads))


def status_of(verdict):
    return verdict["workloads"][0]["status"]


def named_first(verdict, function):
    findings = verdict["workloads"][0]["findings"]
    if not findings or findings[0]["status"] != "fail":
        return False
    # Without the arguments of a C++ template.
    subject = findings[0]["subject"].removesuffix("_[i]")
    return subject == function or re.search(r"(^|::)" + re.escape(function) + r"[<(]", subject) is not None


PLANTED = "planted"  # the function that the table of planted.py names

GATES = (
    ("unchanged", "unchanged programs, nothing added beside", None),
    ("unchanged_loaded", "unchanged programs, a compiler and a loop on the other CPUs", None),
    ("slower_5", "known_split, `thirty_percent()` 5 % slower", "thirty_percent"),
    ("slower_10", "known_split, `thirty_percent()` 10 % slower", "thirty_percent"),
    ("slower_30", "known_split, `thirty_percent()` 30 % slower", "thirty_percent"),
    ("stored_loaded", "the same against a stored baseline, beside two busy loops", "thirty_percent"),
    ("harmless_loaded", "harmless changes, stored baselines, beside two busy loops (`planted.py`)", None),
    ("planted_loaded", "a loop in a function, stored baselines, beside two busy loops (`planted.py`)", PLANTED),
)


def put_gates(results, out):
    rows = [gate for gate in GATES if results.has(gate[0])]
    if not rows:
        return
    out += ["## Real gates", "", "Gates of shipped workloads, default settings; paired (`gate_rates.sh`) unless said otherwise.", ""]
    table(out, "", "failed", "undecided", "named first", "measured")
    for name, label, function in rows:
        verdicts = results.verdicts(name)
        n = len(verdicts)
        functions = results.planted(name) if function is PLANTED else [function] * n
        count = collections.Counter(map(status_of, verdicts))
        row(
            out,
            label,
            rate(count["fail"], n),
            rate(count["inconclusive"], n),
            rate(sum(map(named_first, verdicts, functions)), n) if function else "",
            results.where(name),
        )
    out.append("")


def put_times(results, out):
    kinds = (
        ("same", "the same program"),
        ("unchanged", "unchanged, measured anyway"),
        ("unchanged_loaded", "the same beside load"),
        ("slower_5", "5 % slower"),
        ("slower_10", "10 % slower"),
        ("slower_30", "30 % slower"),
        ("stored_loaded", "30 % slower, stored, beside two busy loops"),
        ("harmless_loaded", "harmless changes, stored, beside two busy loops"),
        ("planted_loaded", "a loop in a function, stored, beside two busy loops"),
    )
    rows = [kind for kind in kinds if results.has(kind[0])]
    if not rows:
        return
    out += ["## Time to a verdict", "", "Seconds from the start of a gate of one workload to its end.", ""]
    table(out, "", "gates", "median", "shortest to longest", "measured")
    for name, label in rows:
        seconds = [verdict["duration_s"] for verdict in results.verdicts(name)]
        row(
            out,
            label,
            str(len(seconds)),
            f"{statistics.median(seconds):.3g} s",
            f"{min(seconds):.3g} to {max(seconds):.3g} s",
            results.where(name),
        )
    out.append("")


def put_counts(results, out):
    if not results.has("counts") or not os.path.exists(results.path("counts", "counts")):
        return
    counts = collections.defaultdict(list)
    surroundings = set()
    for line in results.lines("counts", "counts"):
        name, environment, length, _, _, cost, _, _ = line.split()
        counts[name].append(int(cost))
        surroundings.add((environment, length))
    environments, paths = (len({each[i] for each in surroundings}) for i in range(2))
    out += [
        "## Exactness of counts",
        "",
        f"Instructions of the same program, stored and paired (`counted_surroundings.sh`). Environments:",
        f"{environments}; folders with a short or a long path: {paths}.",
        "",
    ]
    table(out, "program", "counts", "instructions", "largest over smallest", "measured")
    for name, values in sorted(counts.items()):
        row(
            out,
            name,
            str(len(values)),
            f"{min(values):,}",
            f"+{100 * (max(values) / min(values) - 1):.4f} %",
            results.where("counts"),
        )
    out.append("")


def put_fleet(results, out):
    if not results.has("fleet"):
        return
    out += [
        "## A simulated fleet",
        "",
        "Jobs get any of six machines, three kernels and load from none to heavy; the baseline is of one",
        "machine (`fleet_rates.sh`): the plan by machine class, the stored screen, pairs, counts. The fine",
        "policy judges growth from 5 % of functions and of the program, with a floor of 0.4 %, in all modes.",
        "",
    ]
    table(out, "", "failed", "undecided", "too coarse", "warned", "decided by the screen, pairs, counts", "simulated")
    for line in results.lines("fleet", "table")[1:]:
        name, gates, _, warned, coarse, undecided, failed, _, _, _, paths = line.split(" | ")
        n = int(gates)
        row(
            out,
            name,
            *(rate(int(count.split()[0]), n) for count in (failed, undecided, coarse, warned)),
            paths,
            results.where("fleet").split(", load")[0],
        )
    out.append("")


def hyperfine_flags(file):
    with open(file, encoding="utf-8") as text:
        before, after = (result["times"] for result in json.load(text)["results"])
    return welch_p(before, after) < 0.05 and statistics.mean(after) > statistics.mean(before)


def perf_flags(file):
    """Whether perf diff shows a function with a share larger by a point or more."""
    with open(file, encoding="utf-8") as text:
        deltas = [field for line in text for field in line.split() if field[0] in "+-" and "%" in field]
    return any(float(delta.rstrip("%")) >= 1 for delta in deltas)


def put_peer(results, out, label, pattern, flags):
    cells = []
    for side in ("same", "head"):
        files = sorted(glob.glob(results.path("peers", pattern.format(side))))
        if not files:
            return
        cells.append(rate(sum(map(flags, files)), len(files)))
    row(out, label, *cells, results.where("peers"))


def put_peers(results, out):
    if not results.has("peers"):
        return
    out += [
        "## What is used today",
        "",
        "The same builds of known_split: of equal code, and with `thirty_percent()` 5 % slower, which is",
        "1.5 % of the program. How often each says that it is slower:",
        "",
    ]
    table(out, "", "of equal code", "of 5 % more", "measured")
    put_peer(
        results, out, "hyperfine, 10 runs a side, Welch's test at 5 %", "hyperfine.{}.*.json", hyperfine_flags
    )
    put_peer(results, out, "`perf diff`, a share larger by a point or more", "perf.{}.*.diff", perf_flags)
    cells = []
    for side in ("same", "head"):
        if not os.path.exists(results.path("peers", "counts." + side)):
            break
        before, after = map(int, results.lines("peers", "counts." + side))
        cells.append(f"{100 * (after / before - 1):+.3f} %")
    if len(cells) == 2:
        row(out, "instructions alone (callgrind), the whole program", *cells, results.where("peers"))
    out.append("")


def main(folder, file):
    results = Results(folder)
    out = []
    for put in (put_gates, put_times, put_fleet, put_counts, put_peers):
        put(results, out)
    machines = sorted({results.machine(name) for name in os.listdir(folder) if results.has(name)})
    text = HEAD + f"Machine: {'; '.join(machines)}.\n\n" + "\n".join(out).rstrip("\n") + "\n"
    with open(file, "w", encoding="utf-8") as page:
        page.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
