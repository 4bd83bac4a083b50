"""Reads the verdict of a gate and says where its time went; see gate_cost.sh."""

import json
import sys

TIME_LIMIT = 0.15
MEMORY_LIMIT_MB = 300
WARMUPS = 1  # what config/profile_run.yaml asks for


def main(path, peak_kb):
    with open(path, encoding="utf-8") as file:
        verdict = json.load(file)
    whole = verdict["duration_s"]
    sums = dict.fromkeys(("build", "measure", "process", "own"), 0.0)
    print(f"{'workload':18} {'runs':>4} {'programs':>9} {'build':>8} {'measuring':>9} {'own work':>8}")
    for workload in verdict["workloads"]:
        walls = [run["wall_ns"] * 1e-9 for run in workload["candidate_runs"]]
        build, measure, process = (workload[key] or 0.0 for key in ("build_s", "measure_s", "process_s"))
        # A warm-up is not captured, so it takes no longer than a run.
        own = min(sum(walls) + WARMUPS * min(walls, default=0.0), measure)
        for key, seconds in zip(sums, (build, measure, process, own)):
            sums[key] += seconds
        print(
            f"{workload['name']:18} {len(walls):4} {own:7.2f} s {build:6.2f} s"
            f" {measure - own:7.2f} s {process:6.2f} s"
        )
    rest = whole - sums["build"] - sums["measure"] - sums["process"]
    outside = (whole - sums["own"]) / whole
    peak_mb = peak_kb * 1024e-6
    print(f"the gate took {whole:.2f} s, the programs {sums['own']:.2f} s of it; of the rest were")
    print(f"  {sums['build']:6.2f} s build and set-up, of what was built already")
    print(f"  {sums['measure'] - sums['own']:6.2f} s around the runs: start, end, repeated runs")
    print(f"  {sums['process']:6.2f} s own work: samples to profiles, judging, pictures")
    print(f"  {rest:6.2f} s not listed by workload: trials of the machine, report")
    print(f"outside the programs' own run time: {outside:.1%} (at most {TIME_LIMIT:.0%} wanted)")
    print(f"peak memory of profile_run: {peak_mb:.0f} MB (at most {MEMORY_LIMIT_MB} wanted)")
    return 0 if outside <= TIME_LIMIT and 0 < peak_mb <= MEMORY_LIMIT_MB else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
