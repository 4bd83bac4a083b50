#!/bin/bash
# Two folded files to a differential flame graph: profile_run diff beside difffolded.pl, which only
# puts the two columns side by side.
#
# usage: folded_diff.sh [BEFORE AFTER]
#
# Without files, two are made up of STACKS (200000) stacks of about 30 frames. The least CPU time of
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

make_parts meter make_text
if [ $# -eq 2 ]; then
	before=$1 after=$2
else
	before=$dir/before after=$dir/after
	"$dir/make_text" folded "${STACKS:-200000}" 1 >"$before" || broken "nothing to read"
	"$dir/make_text" folded "${STACKS:-200000}" 2 >"$after" || broken "nothing to read"
fi
bytes=$(($(stat -c %s "$before") + $(stat -c %s "$after")))

cost=$(least "$program" convert --input "$before" --output /dev/null) ||
	broken "profile_run convert failed"
read -r ns wall kib <<<"$cost"
show "profile_run convert, one file" "$(stat -c %s "$before")" "$ns" "$wall" "$kib"
cost=$(least "$program" diff --before "$before" --after "$after" --output "$dir/diff.svg") ||
	broken "profile_run diff failed"
read -r ns wall kib <<<"$cost"
show "profile_run diff, with its picture" "$bytes" "$ns" "$wall" "$kib"

status=0
for peer in "${peers[@]}"; do
	if ! command -v "$peer" >/dev/null; then
		echo "absent: $peer"
		continue
	fi
	cost=$(least "$peer" "$before" "$after") || broken "$peer failed"
	read -r their_ns wall kib <<<"$cost"
	show "$(basename "$peer")" "$bytes" "$their_ns" "$wall" "$kib"
	awk -v ours="$ns" -v theirs="$their_ns" 'BEGIN {
		printf "%.1f times as fast\n", theirs / ours
		exit theirs < ours }' || [ "$peer" != "${peers[0]}" ] || status=1
done
exit $status
