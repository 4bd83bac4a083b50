#!/bin/bash
# Sizes of pages: the report of 32 workloads, 10 + 10 runs of 5,000 stacks each (merge.c), and the trend of
# 201 series of 2,000 nights. What they take packed by gzip, as a server sends them, is printed beside.
#
# usage: page_size.sh [WORKLOADS]
#
# Fails above REPORT_KB (1500) and TREND_KB (3000). PROFILE_RUN names the program to use.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
workloads=${1:-32}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# The nights share their noise; every tenth series becomes slower, and quicker again.
put_nights() {
	TZ=UTC awk 'BEGIN {
		print "time,commit,series,value"
		srand(7)
		for (night = 0; night < 2000; night++) {
			noise = 1 + (rand() - 0.5) / 100
			day = strftime("%Y-%m-%dT%H:%M:%SZ", 1577836800 + night * 86400, 1) sprintf(",%040x", night + 1)
			for (i = 0; i < 201; i++) {
				value = 100 * (1 + i / 50) * noise * (1 + (rand() - 0.5) / 50)
				if (i % 10 == 3 && night > 600 + i && night <= 1500 + i)
					value *= 1.12
				printf "%s,series_%d,%f\n", day, i, value
			}
		}
	}' </dev/null
}

make -s build/bench/merge && build/bench/merge "$dir/shards" "$workloads" 1 || exit 2
"$program" merge -o "$dir/report" "$dir/shards"/* >"$dir/out.txt" 2>&1
put_nights >"$dir/nights.csv"
"$program" trend --quiet --input "$dir/nights.csv" --output "$dir/trend.html" >>"$dir/out.txt" 2>&1
[ -f "$dir/report/index.html" ] && [ -f "$dir/trend.html" ] || { tail -n 5 "$dir/out.txt"; exit 2; }

status=0
check() { # NAME FILE KB
	local bytes
	bytes=$(stat -c %s "$2")
	awk -v name="$1" -v bytes="$bytes" -v packed="$(gzip -c "$2" | wc -c)" -v most="$3" 'BEGIN {
		printf "%s: %.0f KB (at most %d), %.0f KB by gzip\n", name, bytes / 1e3, most, packed / 1e3 }'
	[ "$bytes" -le $(($3 * 1000)) ] || status=1
}
check "page of $workloads workloads" "$dir/report/index.html" "${REPORT_KB:-1500}"
check "page of 201 series of 2,000 nights" "$dir/trend.html" "${TREND_KB:-3000}"
exit $status
