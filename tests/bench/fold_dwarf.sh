#!/bin/bash
# From perf.data with stack copies to folded text: profile_run beside `perf script --no-inline`, and
# what inlined functions and several threads change.
#
# usage: fold_dwarf.sh [PERF_DATA]
#
# Without a file, one is recorded: g++ at work, 8 KiB of stack with each of RECORD_HZ (9999) samples
# a second. INLINE_DATA is a second file, folded with inlined functions; without it the first is
# taken. PROFILE_RUN, PERF and CXX name the programs; without perf there is nothing to read or to
# compare. The best of ROUNDS (3) is taken, in CPU time (user and system), since wall time is the
# machine's as much as ours; perf runs once, for PERF_SECONDS (60) at most.
#
# A small file tells more of how long symbols take to load than of stacks: some 50,000 samples are
# wanted. Fails below WANTED_RATIO (10) times perf's speed, half of what is promised, or where more
# threads than one add more than half again to the CPU time.
set -u

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${PROFILE_RUN:-build/profile_run}")
perf=${PERF:-perf}
rounds=${ROUNDS:-3}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

record() {
	"$perf" record -q -F "${RECORD_HZ:-9999}" -m 1024 -e cpu-clock --call-graph dwarf,8192 \
		-o "$dir/perf.data" -- "${CXX:-g++}" -O2 -I"$here/../truth" -c -o "$dir/object.o" \
		"$here/../truth/truth_cpp.cc" >"$dir/log" 2>&1
}

# measure COMMAND...: "CPU_SECONDS WALL_SECONDS PEAK_MIB" of it.
measure() {
	python3 - "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
start = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
status, usage = os.wait4(process.pid, 0)[1:]
print("%.3f %.3f %.0f" % (usage.ru_utime + usage.ru_stime, time.monotonic() - start,
                          usage.ru_maxrss / 1024))
sys.exit(status != 0)
PYTHON
}

# best COMMAND...: the least CPU time of the rounds, with its wall time and memory.
best() {
	local round
	for round in $(seq "$rounds"); do
		measure "$@" || echo "failed $round"
	done | sort -n | grep -v failed | head -n 1
}

# rate LABEL SAMPLES "CPU WALL MIB"
rate() {
	echo "$3" | awk -v label="$1" -v samples="$2" '{
		cpu = $1 > 0 ? $1 : 0.001; wall = $2 > 0 ? $2 : 0.001
		printf "%-34s %8.0f samples a CPU second, %8.0f a second; %.2f s CPU, %.2f s, %d MiB\n",
			label, samples / cpu, samples / wall, $1, $2, $3 }'
}

if ! command -v python3 >/dev/null; then
	echo "absent: python3, which measures"
	exit 0
fi
input=${1:-}
if [ -z "$input" ]; then
	if ! command -v "$perf" >/dev/null; then
		echo "absent: $perf; name a perf.data file with stack copies"
		exit 0
	fi
	input=$dir/perf.data
	if ! record || ! [ -s "$input" ]; then
		echo "nothing to read: perf could not record"
		exit 0
	fi
fi

fold() {
	best "$program" convert --quiet "$@"
}
"$program" convert --quiet --no-inline -i "$input" -o "$dir/folded" 2>"$dir/log" || {
	cat "$dir/log"
	exit 1
}
awk -v bytes="$(stat -c %s "$input")" '{ samples += $NF; depth += $NF * split($0, f, ";") }
	END { printf "%d samples of %.1f frames, %.0f MiB\n", samples, depth / samples - 1, bytes / 1048576
	}' "$dir/folded"
samples=$(awk '{ n += $NF } END { print n + 0 }' "$dir/folded")

# Both sides write to nowhere.
ours=$(fold --no-inline -i "$input")
rate "profile_run convert --no-inline" "$samples" "$ours"
# One CPU, where the kernel lets us choose: as many threads as CPUs are taken otherwise.
single=$ours
if command -v taskset >/dev/null; then
	single=$(best taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" \
		"$program" convert --quiet --no-inline -i "$input")
	rate "... on one CPU" "$samples" "$single"
fi
inline_data=${INLINE_DATA:-$input}
inlined=$(best "$program" flamegraph -i "$inline_data" -o "$dir/graph.svg")
rate "profile_run flamegraph" \
	"$("$program" convert --quiet -i "$inline_data" | awk '{ n += $NF } END { print n + 0 }')" \
	"$inlined"

status=0
awk -v one="$single" -v all="$ours" 'BEGIN { split(one, a, " "); split(all, b, " ")
	printf "CPU time on all CPUs over one: %.2f; wall time: %.2f\n",
		b[1] / (a[1] > 0 ? a[1] : 0.001), b[2] / (a[2] > 0 ? a[2] : 0.001)
	exit b[1] > 1.5 * a[1] + 0.05 }' || status=1
if ! command -v "$perf" >/dev/null; then
	echo "absent: $perf"
	exit $status
fi
theirs=$(measure timeout "${PERF_SECONDS:-60}" "$perf" script --no-inline -i "$input")
if [ $? -ne 0 ]; then
	echo "perf script --no-inline: did not end within ${PERF_SECONDS:-60} s: at least"
fi
rate "perf script --no-inline" "$samples" "$theirs"
awk -v ours="$single" -v all="$ours" -v theirs="$theirs" -v wanted="${WANTED_RATIO:-10}" 'BEGIN {
	split(ours, a, " "); split(theirs, b, " "); split(all, c, " ")
	ratio = b[1] / (a[1] > 0 ? a[1] : 0.001)
	printf "%.1f times as fast on one CPU (at least %d wanted), %.1f times on all, by wall time\n",
		ratio, wanted, b[2] / (c[2] > 0 ? c[2] : 0.001)
	exit ratio < wanted }' || status=1
exit $status
