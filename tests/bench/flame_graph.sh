#!/bin/bash
# Folded text to a flame graph: profile_run flamegraph beside inferno-flamegraph and flamegraph.pl.
#
# usage: flame_graph.sh [FOLDED...]
#
# Without files, some are made up: 1,000 sorted stacks of 30 frames, about STACKS (780000) of them,
# as many unsorted ones of 12 frames, and a quarter of 58 frames, sorted. What starting the program
# takes is measured beside /bin/true, and reading a file beside wc. The least CPU time of ROUNDS (3) is taken, and the wall time beside it. PROFILE_RUN,
# INFERNO_FLAMEGRAPH, FLAMEGRAPH and CC name the programs to use; a peer that is not there is reported
# as absent, and that is no failure. flamegraph.pl takes half a minute and 2 GB for the large one.
#
# Fails where a peer is faster, above 250 MB of memory, or where a picture is larger than
# 1.2 MB or takes a second of CPU.
set -u

program=${PROFILE_RUN:-build/profile_run}
peers=("${INFERNO_FLAMEGRAPH:-inferno-flamegraph}" "${FLAMEGRAPH:-flamegraph.pl}")
rounds=${ROUNDS:-3}
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# shellcheck source=tests/bench/cost.bash
. "$here/cost.bash"

show() { # NAME
	awk -v name="$1" -v ns="$ns" -v wall="$wall" -v kib="$kib" -v bytes="$(stat -c %s "$out")" \
		'BEGIN { printf "  %s: CPU %.1f ms, wall %.1f ms, at most %.0f MB; picture %.2f MB\n",
			name, ns / 1e6, wall / 1e6, kib * 1024 / 1e6, bytes / 1e6 }'
}

# Draws the file with all of them.
compare() { # FOLDED
	local cost ns wall kib our_ns peer
	echo "$(wc -l <"$1") stacks, $(stat -c %s "$1") bytes:"
	out=$dir/lines
	cost=$(least wc -l "$1") || broken "wc failed"
	read -r ns wall kib <<<"$cost"
	awk -v ns="$ns" 'BEGIN { printf "  wc -l: CPU %.1f ms\n", ns / 1e6 }'
	out=$dir/ours.svg
	cost=$(least "$program" flamegraph --quiet --input "$1") || broken "profile_run failed"
	read -r our_ns wall kib <<<"$cost"
	ns=$our_ns
	show "profile_run flamegraph"
	[ "$kib" -le 244140 ] || broken "more memory than the 250 MB it may take"
	[ "$(stat -c %s "$out")" -le 1200000 ] || broken "a picture of more than 1.2 MB"
	[ "$our_ns" -lt 1000000000 ] || broken "more than a second of CPU"
	out=$dir/theirs.svg
	for peer in "${peers[@]}"; do
		if ! command -v "$peer" >/dev/null; then
			echo "  absent: $peer"
			continue
		fi
		cost=$(least "$peer" "$1") || broken "$peer failed"
		read -r ns wall kib <<<"$cost"
		show "$(basename "$peer")"
		awk -v ours="$our_ns" -v theirs="$ns" 'BEGIN {
			printf "  %.1f times as fast\n", theirs / ours
			exit theirs < ours }' || status=1
	done
}

# What a start takes: of so short a run many are wanted.
show_start() {
	local cost ns of_true rounds=$((rounds * 10))
	cost=$(least true) || broken "true failed"
	of_true=${cost%% *}
	cost=$(least "$program" --version) || broken "profile_run failed"
	ns=${cost%% *}
	awk -v ours="$ns" -v of_true="$of_true" 'BEGIN {
		printf "start: CPU %.2f ms, true %.2f ms\n", ours / 1e6, of_true / 1e6 }'
}

# For the stacks made up a third (of few: a quarter) are equal to others.
make_stacks() { # NAME STACKS [SHAPE...]
	"$dir/make_text" folded $(($2 * 154 / 100)) 1 "${@:3}" >"$dir/$1" || broken "nothing to draw"
}

make_parts meter make_text
if [ $# -eq 0 ]; then
	stacks=${STACKS:-780000}
	make_stacks small 844
	make_stacks sorted "$stacks"
	make_stacks shallow_unsorted "$stacks" shallow unsorted
	make_stacks deep $((stacks / 4)) deep
	set -- "$dir/small" "$dir/sorted" "$dir/shallow_unsorted" "$dir/deep"
fi
status=0
show_start
for folded in "$@"; do
	compare "$folded"
done
exit $status
