#!/bin/bash
# Two folded files to a differential flame graph: profile_run diff beside difffolded.pl, which only
# puts the two columns side by side.
#
# usage: folded_diff.sh [BEFORE AFTER]
#
# Without files, pairs of them are made up of STACKS (200000) stacks each: of about 30 frames, sorted,
# and of about 12, unsorted; and one file of the latter with two weights a line. The least CPU time of
# ROUNDS (3) is taken, and the least wall time is said beside it, as two files are read at once;
# reading alone is measured as `convert` of one file with its output thrown
# away, and so with the writing. PROFILE_RUN, DIFFFOLDED, INFERNO_DIFF and CC name the programs to
# use; a peer that is not there is reported as absent, and that is no failure.
#
# Fails where difffolded.pl is there and faster.
set -u

program=${PROFILE_RUN:-build/profile_run}
peers=("${DIFFFOLDED:-difffolded.pl}" "${INFERNO_DIFF:-inferno-diff-folded}")
rounds=${ROUNDS:-3}
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# shellcheck source=tests/bench/cost.bash
. "$here/cost.bash"

show() { # NAME BYTES NS WALL_NS KIB
	awk -v name="$1" -v bytes="$2" -v ns="$3" -v wall="$4" -v kib="$5" 'BEGIN {
		printf "%s: %.0f MB/s (wall time: %.0f) of %.0f MB, at most %.0f MB of memory\n",
			name, bytes * 1e3 / ns, bytes * 1e3 / wall, bytes / 1e6, kib * 1024 / 1e6 }'
}

# Reading alone, both with the picture, and the peers.
compare() { # BEFORE AFTER
	local bytes cost ns wall kib peer their_ns
	bytes=$(($(stat -c %s "$1") + $(stat -c %s "$2")))
	cost=$(least "$program" convert --input "$1" --output /dev/null) ||
		broken "profile_run convert failed"
	read -r ns wall kib <<<"$cost"
	show "profile_run convert, one file" "$(stat -c %s "$1")" "$ns" "$wall" "$kib"
	cost=$(least "$program" diff --before "$1" --after "$2" --output "$dir/diff.svg") ||
		broken "profile_run diff failed"
	read -r ns wall kib <<<"$cost"
	show "profile_run diff, with its picture" "$bytes" "$ns" "$wall" "$kib"
	for peer in "${peers[@]}"; do
		if ! command -v "$peer" >/dev/null; then
			echo "absent: $peer"
			continue
		fi
		cost=$(least "$peer" "$1" "$2") || broken "$peer failed"
		read -r their_ns wall kib <<<"$cost"
		show "$(basename "$peer")" "$bytes" "$their_ns" "$wall" "$kib"
		awk -v ours="$ns" -v theirs="$their_ns" 'BEGIN {
			printf "%.1f times as fast\n", theirs / ours
			exit theirs < ours }' || [ "$peer" != "${peers[0]}" ] || status=1
	done
}

make_stacks() { # NAME SEED [SHAPE...]
	"$dir/make_text" folded "${STACKS:-200000}" "${@:2}" >"$dir/$1" || broken "nothing to read"
}

make_parts meter make_text
status=0
if [ $# -eq 2 ]; then
	compare "$1" "$2"
	exit $status
fi
for shape in sorted unsorted; do
	words=()
	[ $shape = sorted ] || words=(shallow unsorted)
	echo "$shape:"
	make_stacks before 1 "${words[@]}"
	make_stacks after 2 "${words[@]}"
	compare "$dir/before" "$dir/after"
done
make_stacks pair 1 shallow unsorted pair
cost=$(least "$program" diff --input "$dir/pair" --output "$dir/diff.svg") ||
	broken "profile_run diff failed"
read -r ns wall kib <<<"$cost"
show "profile_run diff, one unsorted file of both" "$(stat -c %s "$dir/pair")" "$ns" "$wall" "$kib"
exit $status
