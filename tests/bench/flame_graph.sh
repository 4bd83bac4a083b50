#!/bin/bash
# Folded text to a flame graph: profile_run flamegraph beside inferno-flamegraph and flamegraph.pl.
#
# usage: flame_graph.sh [FOLDED...]
#
# Without files, two are made up: one of 1,000 stacks and one of about STACKS (780000), of 30 frames
# each. The least CPU time of ROUNDS (3) is taken, and the wall time beside it. PROFILE_RUN,
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

make_parts meter make_text
if [ $# -eq 0 ]; then
	# Of the stacks made up a third (of few: a quarter) are equal to others.
	"$dir/make_text" folded 1300 1 >"$dir/small" || broken "nothing to draw"
	"$dir/make_text" folded $((${STACKS:-780000} * 154 / 100)) 1 >"$dir/large" ||
		broken "nothing to draw"
	set -- "$dir/small" "$dir/large"
fi
status=0
for folded in "$@"; do
	compare "$folded"
done
exit $status
