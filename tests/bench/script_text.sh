#!/bin/bash
# From perf script's text to folded text: profile_run beside stackcollapse-perf.pl.
#
# usage: script_text.sh [TEXT]
#
# TEXT is what perf script printed, repeated up to BYTES (400000000) with times, ids and addresses
# that move on; without it the text is made up. The least CPU time of ROUNDS (3) is taken. The peer
# reads the first PEER_BYTES (20000000) only. PROFILE_RUN, STACKCOLLAPSE_PERF and CC name the
# programs to use; a peer that is not there is reported as absent, and that is no failure.
#
# Fails below 10 times as fast, above 150 MB of memory, or if a pipe gives another result.
set -u

program=${PROFILE_RUN:-build/profile_run}
collapse=${STACKCOLLAPSE_PERF:-stackcollapse-perf.pl}
rounds=${ROUNDS:-3}
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# shellcheck source=tests/bench/cost.bash
. "$here/cost.bash"
out=$dir/out

make_parts meter make_text
if [ $# -gt 0 ]; then
	"$dir/make_text" script "${BYTES:-400000000}" <"$1" >"$dir/text"
else
	"$dir/make_text" folded 3000 1 >"$dir/stacks" &&
		"$dir/make_text" stacks 40000000 <"$dir/stacks" >"$dir/once" &&
		"$dir/make_text" script "${BYTES:-400000000}" <"$dir/once" >"$dir/text"
fi || broken "the text could not be made"
bytes=$(stat -c %s "$dir/text")

cost=$(least "$program" convert --input "$dir/text" --output "$dir/ours") ||
	broken "profile_run convert failed"
read -r ns _ kib <<<"$cost"
awk -v ns="$ns" -v kib="$kib" -v bytes="$bytes" 'BEGIN {
	printf "profile_run convert: %.0f MB/s of %.0f MB, at most %.0f MB of memory\n",
		bytes * 1e3 / ns, bytes / 1e6, kib * 1024 / 1e6
	exit kib * 1024 > 150e6 }' || broken "more memory than the 150 MB it may take"
"$program" convert --input - --output "$dir/piped" < <(cat "$dir/text") 2>"$dir/stderr"
cmp "$dir/ours" "$dir/piped" || broken "a pipe gives another result"

if ! command -v "$collapse" >/dev/null; then
	echo "absent: $collapse (of FlameGraph; name it in STACKCOLLAPSE_PERF)"
	exit 0
fi
head -c "${PEER_BYTES:-20000000}" "$dir/text" >"$dir/part"
cost=$(least "$collapse" "$dir/part") ||
	broken "$collapse failed"
read -r their_ns _ kib <<<"$cost"
awk -v ours="$ns" -v theirs="$their_ns" -v bytes="$bytes" -v part="$(stat -c %s "$dir/part")" \
	-v kib="$kib" -v name="$(basename "$collapse")" 'BEGIN {
	ratio = theirs / part * bytes / ours
	printf "%s: %.0f MB/s of %.0f MB, at most %.0f MB of memory\n", name, part * 1e3 / theirs,
		part / 1e6, kib * 1024 / 1e6
	printf "%.0f times as fast (at least 10 wanted)\n", ratio
	exit !(ratio >= 10) }'
