#!/bin/bash
# What gates say of a program that waits for memory and swings by itself (memory_bound.c), whose
# function does 5 % more: that they cannot know.
#
# usage: memory_bound.sh [GATES]
#
# Takes GATES (2) gates of default settings against the unchanged program, with PERCENT (5) more work
# in its function; PERCENT=0 is one program twice. PROFILE_RUN names the program to use, CC the
# compiler, GATE_OPTIONS are for the gate, as in GATE_OPTIONS="--pin 0"; needs python3. Prints for
# each gate the verdict on the function with effect, interval, what could have been seen and
# over-dispersion, and how far the CPU time of single runs spreads (coefficient of variation).
#
# Fails where a gate passed or failed the function. One that is sure of it on a machine whose runs do
# not spread (below 2 %) is in its right: that is said, and no failure.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
program=$(realpath "${PROFILE_RUN:-build/profile_run}") || exit 2
gates=${1:-2} wrong=0
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

command -v python3 >/dev/null || {
	echo "absent: python3, which reads the verdict"
	exit 0
}
mkdir -p "$dir/base" "$dir/head/workloads"
build() { # FOLDER PERCENT
	"${CC:-cc}" -std=gnu11 -O2 -g -fno-omit-frame-pointer -falign-functions=64 -falign-loops=32 \
		-DMORE_PERCENT="$2" -o "$dir/$1/memory_bound" "$root/tests/bench/memory_bound.c" || exit 2
}
build base 0
build head "${PERCENT:-5}"
printf 'name: memory_bound\nrun: [./memory_bound]\n' >"$dir/head/workloads/memory_bound.yaml"
mkdir "$dir/head/config"
cp "$root/config/profile_run.yaml" "$dir/head/config/" || exit 2
cd "$dir/head" || exit 2

# told VERDICT: a line of the table; fails where the gate was sure of what it cannot know.
told() {
	python3 - "$1" <<-'END'
		import json, math, statistics, sys

		def spread(runs):
		    costs = [run["cpu_ns"] for run in runs]
		    return statistics.stdev(costs) / statistics.mean(costs)

		with open(sys.argv[1], encoding="utf-8") as file:
		    workload = json.load(file)["workloads"][0]
		finding = {"status": "not tested", "reason": "", "effect": None}
		for each in workload["findings"]:
		    if each["rule"] == "functions" and each["subject"] == "chase":
		        finding = each
		effect = {key: math.nan if value is None else value for key, value in (finding["effect"] or {}).items()}
		change, low, high, seen, dispersion = (
		    effect.get(key, math.nan) for key in ("change", "low", "high", "detectable", "overdispersion")
		)
		spreads = [spread(workload[side]) for side in ("baseline_runs", "candidate_runs")]
		print(f"{workload['status']:12} {finding['status']:12} {change:+8.1%} [{low:+7.1%}, {high:+7.1%}]"
		      f" {seen:9.1%} {dispersion:10.0f} {len(workload['candidate_runs']):5}"
		      f" {spreads[0]:7.1%} {spreads[1]:7.1%}")
		sure = finding["status"] in ("pass", "fail")
		if sure:
		    print("  sure of it:", finding["reason"])
		sys.exit(sure and max(spreads) >= 0.02)
	END
}

printf '%-12s %-12s %8s %18s %9s %10s %5s %7s %7s\n' verdict "of chase" effect interval "detectable" \
	over-disp. pairs "CV base" "CV head"
for ((gate = 1; gate <= gates; gate++)); do
	# shellcheck disable=SC2086 # words
	"$program" gate memory_bound --against ../base --quiet --reports "$dir/reports.$gate" \
		${GATE_OPTIONS:-} >"$dir/gate.log" 2>&1
	if ! [ -s "$dir/reports.$gate/latest/verdict.json" ]; then
		tail -n 20 "$dir/gate.log"
		exit 2
	fi
	told "$dir/reports.$gate/latest/verdict.json" || wrong=1
done
exit $wrong
