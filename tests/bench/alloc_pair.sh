#!/bin/bash
# What counting (metric: alloc) adds to malloc() and the free() of it, by the number of frames on the
# stack, beside heaptrack.
#
# usage: alloc_pair.sh
#
# PAIRS (200000) of 64 bytes, in ROUNDS (5) rounds; the best of each is taken. Fails where a pair takes
# twice what is promised: 60 ns, and 10 ns a frame, longer.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
rounds=${ROUNDS:-5} pairs=${PAIRS:-200000}
# shellcheck source=tests/bench/cost.bash
. tests/bench/cost.bash
"${CC:-cc}" -O1 -fno-optimize-sibling-calls tests/bench/alloc_pair.c -o "$dir/pairs" || exit 2

status=0
echo 'us a pair                added'
for depth in 1 10 40; do
	best=()
	for ((round = 0; round < rounds; round++)); do
		keep_least plain "$dir/pairs" "$pairs" "$depth"
		keep_least counted "$program" capture -q --metric alloc -o "$dir/out" -- \
			"$dir/pairs" "$pairs" "$depth"
		keep_least heaptrack heaptrack -o "$dir/heap" "$dir/pairs" "$pairs" "$depth"
	done
	echo "through $depth functions"
	put_added counted heaptrack
	# main() and three frames of libc and the start are below.
	awk -v counted="${best[counted]:-0}" -v plain="${best[plain]}" -v frames=$((depth + 4)) \
		'BEGIN { exit counted - plain > 2 * (0.06 + 0.01 * frames) }' || status=1
done
[ $status -eq 0 ] || echo "a pair takes twice the time that is promised"
exit $status
