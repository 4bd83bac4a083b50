"""What gates gave, counted; see gate_rates.sh.

gate_rates.py count FUNCTION REPORT...  a line a workload and one for all: verdicts, and how often
                                        FUNCTION ("-": none) failed; with 95 % intervals (Wilson)
gate_rates.py runs FOLDER REPORT...     the runs of reports that kept their captures, as gate_pool
                                        wants them, into FOLDER/WORKLOAD.pairs; prints the workloads
gate_rates.py head                      the table's head
gate_rates.py rate LABEL COUNTS...      a line of it, from what gate_pool printed
"""

import json
import math
import os
import subprocess
import sys

HEAD = (
    f"{'':26} {'gates':>5} {'pass':>5} {'warn':>5} {'inconcl.':>8} {'fail':>5}"
    f"  {'failed, of all':24} {'named':>5} {'first':>5} {'again':>5}"
)


def wilson(hits, n):
    """Wilson, "Probable inference, the law of succession, and statistical inference", 1927."""
    z = 1.959964
    rate, square = hits / n, z * z
    middle = (rate + square / (2 * n)) / (1 + square / n)
    half = z * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n)) / (1 + square / n)
    return max(middle - half, 0), min(middle + half, 1)


def line(label, gates, passed, warned, inconclusive, failed, named, first, again):
    low, high = wilson(failed, gates)
    rate = f"{failed / gates:.1%} [{low:.1%}, {high:.1%}]"
    print(
        f"{label:26} {gates:5} {passed:5} {warned:5} {inconclusive:8} {failed:5}"
        f"  {rate:24} {named:5} {first:5} {again:5}"
    )


def read(report):
    with open(os.path.join(report, "verdict.json"), encoding="utf-8") as file:
        return json.load(file)


def names(finding, function):
    """Whether a failure is of the function, or of a wait whose growth comes most from a stack with it."""
    stacks = (finding.get("causes") or {}).get("stacks") or [{"frames": []}]
    return finding["status"] == "fail" and (
        finding["subject"] == function
        or (finding["subject"].endswith("_[w]") and function in stacks[0]["frames"])
    )


def count(function, reports):
    rows = {}
    for report in reports:
        for workload in read(report)["workloads"]:
            row = rows.setdefault(workload["name"], [0] * 8)
            row[0] += 1
            if workload["status"] == "error":
                continue
            row[1 + ("pass", "warn", "inconclusive", "fail").index(workload["status"])] += 1
            failed = [i for i, finding in enumerate(workload["findings"]) if names(finding, function)]
            row[5] += bool(failed)
            row[6] += failed[:1] == [0]
            row[7] += any(run["stage"] == 1 for run in workload["candidate_runs"])
    print(HEAD)
    for name, row in rows.items():
        line(name, *row)
    if len(rows) > 1:
        line("all", *map(sum, zip(*rows.values())))


def capture_of(report, workload, side, index):
    prefix = "base" if side == "baseline_runs" else "run"
    return os.path.join(report, workload["folder"], f"{prefix}-{index + 1:02}.perf.data")


def runs(folder, reports):
    program = os.environ.get("PROFILE_RUN", "build/profile_run")
    names = []
    for number, report in enumerate(reports):
        for workload in read(report)["workloads"]:
            name = workload["name"]
            if name not in names:
                names.append(name)
            with open(os.path.join(folder, name + ".pairs"), "a", encoding="utf-8") as pairs:
                both = zip(workload["baseline_runs"], workload["candidate_runs"])
                for index, pair in enumerate(both):
                    for side, run in zip(("baseline_runs", "candidate_runs"), pair):
                        folded = os.path.join(folder, f"{name}.{number}.{index}.{side}.folded")
                        capture = capture_of(report, workload, side, index)
                        subprocess.run(
                            [program, "convert", "--quiet", "--input", capture, "--output", folded],
                            check=True,
                        )
                        print(
                            folded,
                            *(
                                run[key]
                                for key in ("cpu_ns", "wall_ns", "period", "expected_samples", "samples")
                            ),
                            file=pairs,
                        )
    print(*names)


def main(verb, *rest):
    if verb == "head":
        print(HEAD)
    elif verb == "count":
        count(rest[0], rest[1:])
    elif verb == "runs":
        runs(rest[0], rest[1:])
    else:
        line(rest[0], *map(int, rest[1:9]))


if __name__ == "__main__":
    main(*sys.argv[1:])
