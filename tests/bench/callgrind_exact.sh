#!/bin/bash
# How exactly instructions are counted (metric: instructions): what differs between runs of one
# program, and whether a gate finds 0.1 % in one function.
#
# usage: callgrind_exact.sh [RUNS]
#
# Counts RUNS (3) runs of callgrind_exact.c and of shipped programs, with few rounds, and prints of
# how many functions the number differs, and by how much at most; functions of the dynamic linker and
# of the C library's start are distinguished, for they read the environment. Then takes gates of
# callgrind_exact, whose functions may grow by 0.05 %, against a copy of itself, and against one whose
# function changed() does less by a thousandth. PROFILE_RUN names the program to use, CC the compiler; needs valgrind and python3.
#
# Fails where a function of callgrind_exact differs between runs of it, where the gate of equal
# programs fails, and where the other does not fail with changed() as its first finding.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
program=$(realpath "${PROFILE_RUN:-build/profile_run}") || exit 2
runs=${1:-3}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
status=0

for tool in valgrind python3; do
	command -v $tool >/dev/null || {
		echo "absent: $tool"
		exit 0
	}
done

build() { # FOLDER PERMILLE
	mkdir -p "$dir/$1/workloads" "$dir/$1/config"
	cp "$root/config/profile_run.yaml" "$dir/$1/config/" || exit 2
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -DMORE_PERMILLE="$2" -o "$dir/$1/callgrind_exact" \
		"$root/tests/bench/callgrind_exact.c" || exit 2
	cat >"$dir/$1/workloads/callgrind_exact.yaml" <<-'END'
		name: callgrind_exact
		run: [./callgrind_exact]
		capture: {metric: instructions}
		gate:
		  functions: {min_share: 1%, floor: 0.01%, warn: 0.05%, fail: 0.05%}
	END
}

# same NAME COMMAND...: counts it, and says what differs
same() {
	local name=$1 run
	shift
	for ((run = 1; run <= runs; run++)); do
		"$program" capture --quiet --metric instructions --workload "exec $*" \
			--output "$dir/$name.$run" >"$dir/log" 2>&1 || {
			tail -n 5 "$dir/log"
			exit 2
		}
	done
	python3 - "$name" "$dir/$name".*/folded.txt <<-'END'
		import collections, sys

		# What reads the environment, addresses and the kernel's gifts before main and after it.
		START = ("_dl_", "dl_", "_start", "__libc_start", "__libc_early", "__libc_init", "init_cacheinfo",
		         "__GI___tunables", "(below main)")

		def read(path):
		    own, start = collections.Counter(), collections.Counter()
		    for line in open(path, encoding="utf-8"):
		        if line.startswith("# "):
		            continue
		        stack, weight = line.rsplit(" ", 1)
		        frames = stack.split(";")
		        (own if "main" in frames else start)[frames[-1]] += int(weight)
		    return own, start

		runs = [read(path) for path in sys.argv[2:]]
		worst = 0
		for part, label in enumerate(("below main", "outside")):
		    names = set().union(*(run[part] for run in runs))
		    ranges = {name: max(run[part][name] for run in runs) - min(run[part][name] for run in runs)
		              for name in names}
		    moved = {name: by for name, by in ranges.items() if by}
		    counted = sum(runs[0][part].values())
		    most = max(moved, key=moved.get) if moved else ""
		    print(f"{sys.argv[1]:18} {label:10} {counted:12,} instructions, {len(names):4} functions,"
		          f" {len(moved):3} differ" + (f", {most} by {moved[most]}" if moved else ""))
		    if part == 0:
		        worst = len(moved)
		sys.exit(worst > 0)
	END
}

gate() { # BASE: prints the gate's first lines
	(cd "$dir/head" && "$program" gate callgrind_exact --against "../$1" --quiet \
		--reports "$dir/reports.$1") >"$dir/log" 2>&1
	local code=$?
	if ! [ -s "$dir/reports.$1/latest/verdict.json" ]; then
		tail -n 5 "$dir/log"
		exit 2
	fi
	python3 - "$dir/reports.$1/latest/verdict.json" <<-'END'
		import json, sys

		with open(sys.argv[1], encoding="utf-8") as file:
		    workload = json.load(file)["workloads"][0]
		print(f"  {workload['status']}, {len(workload['candidate_runs'])} runs a side")
		for finding in workload["findings"]:
		    effect = finding["effect"]
		    if effect and effect["tested"]:
		        print(f"  {finding['status']:6} {finding['subject']:14} {effect['before_cost']:.0f} to"
		              f" {effect['after_cost']:.0f}, {effect['change']:+.4%}")
	END
	return $code
}

# named BASE: changed() is the first finding, and fails
named() {
	python3 - "$dir/reports.$1/latest/verdict.json" <<-'END'
		import json, sys

		with open(sys.argv[1], encoding="utf-8") as file:
		    first = json.load(file)["workloads"][0]["findings"][0]
		sys.exit(first["status"] != "fail" or first["subject"] != "changed")
	END
}

build base 0
build same 1
build head 1
make -s -C "$root/workloads" >"$dir/log" 2>&1 || exit 2
(cd "$dir/head" && same callgrind_exact ./callgrind_exact) || status=1
for of in "known_split 100" "cjson_parse 2" "yaml_parse 1" "zstd_compress 1" "cpp_containers 1"; do
	(cd "$root" && same "${of% *}" "workloads/bin/${of% *}" --rounds "${of#* }")
done
echo "a gate of equal programs:"
gate same || { echo "  fails, and should not"; status=1; }
echo "a gate of a function with 0.1 % more:"
gate base
named base || { echo "  changed() is not what fails first, and should be"; status=1; }
exit $status
