#!/bin/bash
# Merging, judging and reporting a large gate: 500 workloads, 10 + 10 runs of 5,000 stacks (merge.c).
#
# usage: merge.sh [WORKLOADS]
#
# Fails above LIMIT_S (20) seconds of wall time or LIMIT_MB (600) of memory.
# CC names the compiler, PROFILE_RUN the program.
set -u

cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
program=${PROFILE_RUN:-$PWD/build/profile_run}

make -s build/bench/merge || exit 2
"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -o "$dir/meter" tests/bench/meter.c || exit 2
build/bench/merge "$dir" "${1:-500}" 10 || exit 2

"$dir/meter" "$dir/cost" - "$program" merge -o "$dir/report" "$dir"/[0-9]* >"$dir/out.txt"
status=$?
sed -n 1p "$dir/out.txt"
read -r cpu wall kib <"$dir/cost"
awk -v n="${1:-500}" -v cpu="$cpu" -v wall="$wall" -v kib="$kib" \
	-v size="$(du -sm "$dir/report" | cut -f1)" \
	'BEGIN { printf "%d workloads: %.1f s, %.1f s of CPU, %d MB; the report has %d MB\n",
		n, wall / 1e9, cpu / 1e9, kib / 1024, size }'
find "$dir/report" -maxdepth 1 -type f -printf "%s %f\n" | sort -k 2 |
	awk '{ printf "  %-20s %9.1f KB\n", $2, $1 / 1e3 }'
[ "$status" -eq 1 ] || { echo "merge exited with $status"; exit 1; }
[ "$wall" -lt "${LIMIT_S:-20}000000000" ] && [ "$kib" -lt $((${LIMIT_MB:-600} * 1024)) ]
