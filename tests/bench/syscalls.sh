#!/bin/bash
# What counting its system calls adds to a program, a call: by the tracepoint and by a seccomp filter,
# with stacks and without, beside `strace -c -f` and `perf trace -s`.
#
# usage: syscalls.sh
#
# CALLS (50000) calls through DEPTH (10) functions, in ROUNDS (5) rounds; the best of each is taken.
# TRACED_CALLS (10000) where each call stops the program, or has its stack copied. PERF is perf. Fails
# where a call by the tracepoint takes twice what is promised: 1.3 us longer without stacks, 5 us with.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
perf=${PERF:-perf}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
rounds=${ROUNDS:-5}
# shellcheck source=tests/bench/cost.bash
. tests/bench/cost.bash
"${CC:-cc}" -O1 -fno-optimize-sibling-calls tests/bench/syscalls.c -o "$dir/calls" || exit 2

# ours CALLS OPTIONS...
ours() {
	local calls=$1
	shift
	"$program" capture -q --metric syscalls "$@" -o "$dir/out" -- \
		"$dir/calls" "$calls" "${DEPTH:-10}" >/dev/null
}
# peer COMMAND...: its own CPU is the program's, or each stop would wake another CPU
peer() {
	"$@" "$dir/calls" "${TRACED_CALLS:-10000}" "${DEPTH:-10}"
}
all=${CALLS:-50000} traced=${TRACED_CALLS:-10000}
for ((round = 0; round < rounds; round++)); do
	keep_least plain "$dir/calls" "$all" "${DEPTH:-10}"
	keep_least 'tracepoint, no stacks' ours "$all" --event raw_syscalls --call-graph none
	keep_least 'tracepoint, stacks' ours "$traced" --event raw_syscalls
	keep_least 'with times, no stacks' ours "$all" --event syscalls:time --call-graph none
	keep_least 'with times, stacks' ours "$traced" --event syscalls:time
	keep_least 'seccomp, no stacks' ours "$traced" --event seccomp --call-graph none
	keep_least 'seccomp, stacks' ours "$traced" --event seccomp
	keep_least 'strace -c -f' peer taskset -c 0 strace -qq -c -f -o "$dir/strace"
	keep_least 'perf trace -s' peer "$perf" trace -s -o "$dir/trace"
done
printf '%-23s %s\n' 'us a call' added
put_added 'tracepoint, no stacks' 'tracepoint, stacks' 'with times, no stacks' 'with times, stacks' \
	'seccomp, no stacks' 'seccomp, stacks' 'strace -c -f' 'perf trace -s'
awk -v without="${best['tracepoint, no stacks']:-0}" -v with="${best['tracepoint, stacks']:-0}" \
	-v plain="${best[plain]}" \
	'BEGIN { exit without - plain > 2 * 1.3 || with - plain > 2 * 5 }' || {
	echo "a call takes twice the time that is promised"
	exit 1
}
