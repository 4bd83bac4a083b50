#!/bin/bash
# Whether counted runs count the program and not its surroundings: the same programs in six
# environments and in checkouts with a short and with a long path, stored and paired.
#
# usage: counted_surroundings.sh [PROGRAM...]
#
# PROGRAM is sort, sqlite3, xz, python3 or cxx; without one all that are here. In the first environment
# and checkout a baseline is recorded. Then in each environment and checkout each program is gated
# against that baseline, and against HEAD, whose build lies in the cache folder. Prints for each program
# the range of the whole counts of all sides of all gates, and of those of its loader. PROFILE_RUN names
# the program to use, CXX the compiler; needs valgrind, git and python3.
#
# Fails where counts differ by more than 0.01 %, or a gate does not pass.
set -u

limit=0.0001
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
program=$(realpath "${PROFILE_RUN:-$root/build/profile_run}") || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
short=$dir/s
long=$dir/a_folder_with_a_long_name/below_another_one_with_a_name_that_is_not_short_either/and_a_third_one
status=0

for tool in valgrind git python3; do
	command -v $tool >/dev/null || {
		echo "absent: $tool"
		exit 0
	}
done
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))') || exit 2

# What the programs are given.
make_inputs() { # FOLDER
	mkdir -p "$1/workloads" "$1/data" "$1/config"
	cat >"$1/config/profile_run.yaml" <<-'END'
		capture: {metric: instructions, runs: 2, callgraph: none}
	END
	awk 'BEGIN { for (i = 0; i < 6000; i++) print (i * 7919) % 6007, "line", i }' >"$1/data/lines.txt"
	awk 'BEGIN {
		print "create table t (a integer primary key, b text); begin;"
		for (i = 0; i < 300; i++) printf "insert into t values (%d, \"text %d\");\n", i, i * 31
		print "commit; select count(*), max(b) from t where b like \"%7%\";" }' >"$1/data/t.sql"
	cat >"$1/data/work.py" <<-'END'
		import json, os, re
		words = {"word %d" % i: {i, str(i)} for i in range(800)}
		text = json.dumps({key: sorted(map(str, value)) for key, value in words.items()})
		print(len(re.findall(r"\d+", text)), len(json.loads(text)), len(os.listdir("data")))
	END
	cat >"$1/data/work.cc" <<-'END'
		#include <algorithm>
		#include <iostream>
		#include <map>
		#include <sstream>
		#include <string>
		#include <unordered_map>
		#include <vector>
		static std::vector<std::string> made = {"before", "main"};
		int main()
		{
			std::unordered_map<std::string, int> counts;
			std::map<std::string, std::vector<int>> sorted;
			for (int i = 0; i < 3000; i++) {
				std::ostringstream name;
				name << "name " << i % 500;
				counts[name.str()] += i;
				sorted[name.str()].push_back(i);
			}
			std::cout << counts.size() << sorted.size() << made.size() << std::endl;
			return 0;
		}
	END
}

workload() { # FOLDER NAME RUN [MORE]
	printf 'name: %s\nrun: %s\n%s' "$2" "$3" "${4:-}" >"$1/workloads/$2.yaml"
}

make_workloads() { # FOLDER
	workload "$1" sort '[sort, data/lines.txt]'
	workload "$1" sqlite3 '"sqlite3 data/t.db < data/t.sql"' $'setup: rm -f data/t.db\nteardown: rm -f data/t.db\n'
	workload "$1" xz '[xz, "-k", "-c", "-0", data/lines.txt]'
	workload "$1" python3 "[$python, data/work.py]"
	workload "$1" cxx '[data/cxx]' $'build: ${CXX:-c++} -O1 -g -o data/cxx data/work.cc\n'
	command -v sqlite3 >/dev/null || rm "$1/workloads/sqlite3.yaml"
	command -v xz >/dev/null || rm "$1/workloads/xz.yaml"
	sed -i 's|sqlite3 data/t.db < |rm -f data/t.db; exec sqlite3 data/t.db < |' "$1"/workloads/sqlite3.yaml
}

# gate ENVIRONMENT FOLDER ARGUMENT...: a verb, in that environment
within() {
	local environment=$1 folder=$2 i more=()
	shift 2
	cd "$folder" || exit 2
	case $environment in
	plain) ;;
	many) for ((i = 0; i < 149; i++)); do more+=("VARIABLE_$i=some value $i"); done ;;
	home) mkdir -p "$dir/home of another user"
		more=(HOME="$dir/home of another user" USER=another LOGNAME=another TMPDIR="$dir") ;;
	locale) more=(LC_ALL=C.UTF-8 LANG=C.UTF-8 LANGUAGE=de TZ=Europe/Berlin TERM=xterm-256color) ;;
	path) for ((i = 0; i < 30; i++)); do more+=("$dir/no/such/folder$i"); done
		more=(PATH="$PATH:$(IFS=:; echo "${more[*]}")" MANPATH=/usr/share/man) ;;
	settings) more=(GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-AVX2_Usable" PYTHONHASHSEED=7
		MALLOC_ARENA_MAX=1 LD_BIND_NOW=1) ;;
	esac
	env -i PATH="$PATH" HOME="$HOME" XDG_CACHE_HOME="$dir/cache" "${more[@]}" \
		"$program" "$@" --quiet >"$dir/log" 2>&1
}

# Adds the counts of the latest report to the table.
keep() { # ENVIRONMENT FOLDER MODE
	python3 - "$1" "$2" "$3" "$2/reports/latest/verdict.json" >>"$dir/counts" <<-'END'
		import json, sys

		environment, folder, mode, path = sys.argv[1:]
		for workload in json.load(open(path, encoding="utf-8"))["workloads"]:
		    runs = [("candidate", run) for run in workload["candidate_runs"]]
		    runs += [("base", run) for run in workload.get("baseline_runs") or []]
		    for side, run in runs:
		        print(workload["name"], environment, len(folder), mode, side, int(run["cost_total"]),
		              int((run.get("counters") or {}).get("loader") or 0), workload["status"])
	END
}

fail() {
	tail -n 8 "$dir/log"
	echo "FAIL: $*"
	status=1
}

make_inputs "$short" && make_workloads "$short" && (cd "$short" && git init -q &&
	printf 'data/cxx\ndata/t.db\nreports/\nbaselines/\n' >.gitignore && git add -A &&
	git -c user.name=x -c user.email=x@example.org commit -qm first) || exit 2
if [ $# -gt 0 ]; then
	names=("$@")
else
	names=()
	for file in "$short"/workloads/*.yaml; do names+=("$(basename "$file" .yaml)"); done
fi
mkdir -p "$long"
cp -a "$short/." "$long/"
(within plain "$short" baseline update "${names[@]}") || {
	tail "$dir/log"
	exit 2
}
cp -a "$short/baselines" "$long/"
for folder in "$short" "$long"; do
	for environment in plain many home locale path settings; do
		(within "$environment" "$folder" gate "${names[@]}") ||
			fail "stored, $environment, a path of ${#folder} characters"
		keep "$environment" "$folder" stored
		(within "$environment" "$folder" gate --measure-anyway --against HEAD "${names[@]}") ||
			fail "paired, $environment, a path of ${#folder} characters"
		keep "$environment" "$folder" paired
	done
done
[ -z "${KEEP_COUNTS:-}" ] || cp "$dir/counts" "$KEEP_COUNTS"
python3 - "$limit" "$dir/counts" <<'END' || status=1
import collections, sys

limit = float(sys.argv[1])
counts = collections.defaultdict(list)
loaders = collections.defaultdict(list)
other = collections.Counter()
for line in open(sys.argv[2], encoding="utf-8"):
    name, environment, length, mode, side, cost, loader, verdict = line.split()
    counts[name].append((int(cost), f"{environment}, {length} characters, {mode}, {side}"))
    loaders[name].append(int(loader))
    other[name] += verdict not in ("pass", "warn")
worst = 0
for name, costs in sorted(counts.items()):
    least, most = min(costs), max(costs)
    spread = most[0] / least[0] - 1
    worst = max(worst, spread)
    print(f"{name:8} {len(costs):4} counts, {least[0]:12,} to {most[0]:12,}: {spread:.4%};"
          f" loader {min(loaders[name]):,} to {max(loaders[name]):,}")
    if spread > 0:
        print(f"         least: {least[1]}; most: {most[1]}")
sys.exit(worst > limit or any(other.values()))
END
exit $status
