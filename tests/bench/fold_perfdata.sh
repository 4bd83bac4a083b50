#!/bin/bash
# From perf.data to folded text: profile_run beside `perf script | stackcollapse-perf.pl`.
#
# usage: fold_perfdata.sh [PERF_DATA]
#
# Without a file, one is recorded of SECONDS_RECORDED (8) seconds of file
# system work, whose stacks are long. PROFILE_RUN, PERF and
# STACKCOLLAPSE_PERF name the programs to use; a peer that is not there is reported as absent, and
# that is no failure. The best of ROUNDS (3) is taken of each. Fails below 10 times as fast.
set -u

program=${PROFILE_RUN:-build/profile_run}
perf=${PERF:-perf}
collapse=${STACKCOLLAPSE_PERF:-stackcollapse-perf.pl}
rounds=${ROUNDS:-3}
wanted=10
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

absent() { # NAME
	echo "absent: $1"
	missing=1
}

# Prints the least number of seconds that the command takes.
best() { # COMMAND...
	local round
	for round in $(seq "$rounds"); do
		local start=$EPOCHREALTIME
		"$@" || return 1
		local end=$EPOCHREALTIME
		echo "$round $start $end"
	done | awk '{ s = $3 - $2; if (NR == 1 || s < least) least = s } END { printf "%.3f", least }'
	return "${PIPESTATUS[0]}"
}

ours() {
	"$program" --quiet convert --input "$input" --output "$dir/ours" 2>"$dir/stderr" ||
		"$program" convert --input "$input" --output "$dir/ours" 2>"$dir/stderr"
}

theirs() {
	"$perf" script -i "$input" 2>"$dir/stderr" | "$collapse" >"$dir/theirs" 2>>"$dir/stderr"
}

missing=
command -v "$perf" >/dev/null || absent "$perf"
command -v "$collapse" >/dev/null ||
	absent "$collapse (of FlameGraph; name it in STACKCOLLAPSE_PERF)"

input=${1:-}
if [ -z "$input" ]; then
	if ! command -v "$perf" >/dev/null; then
		echo "nothing to read: name a perf.data file, or install perf"
		exit 0
	fi
	input=$dir/perf.data
	"$perf" record -q -g -F 20000 -m 1024 -o "$input" -- timeout "${SECONDS_RECORDED:-8}" \
		sh -c 'while :; do find /usr -ls >/dev/null; done' \
		>"$dir/stderr" 2>&1
	if ! [ -s "$input" ]; then
		echo "nothing to read: perf could not record"
		exit 0
	fi
fi

our_s=$(best ours) || {
	echo "profile_run convert failed: $(cat "$dir/stderr")"
	exit 1
}
bytes=$(stat -c %s "$input")
samples=$(awk '{ n += $NF } END { print n + 0 }' "$dir/ours")
echo "profile_run convert: $our_s s for $samples samples, $bytes bytes"
[ -z "$missing" ] || exit 0

their_s=$(best theirs) || exit 1
echo "perf script | $(basename "$collapse"): $their_s s"
awk -v ours="$our_s" -v theirs="$their_s" -v wanted="$wanted" 'BEGIN {
	ratio = theirs / (ours > 0 ? ours : 0.001)
	printf "%.1f times as fast (at least %d wanted)\n", ratio, wanted
	exit !(ratio >= wanted)
}'
