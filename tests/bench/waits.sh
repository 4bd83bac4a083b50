#!/bin/bash
# What timing its waits adds to a program, a context switch: the CPU time of two threads that wait for
# each other, with and without stacks, with wake-ups (`as chosen`), and with wake-ups that have stacks
# (`for locks`), beside bpftrace with the same two stacks in the kernel.
#
# usage: waits.sh
#
# SWITCHES (50000) through DEPTH (10) functions, in ROUNDS (5) rounds alternately; the best of each is
# taken. BPFTRACE is bpftrace. Fails where a switch with whole stacks takes twice the 5.5 us longer
# that are promised.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
bpftrace=${BPFTRACE:-bpftrace}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
rounds=${ROUNDS:-5}
# shellcheck source=tests/bench/cost.bash
. tests/bench/cost.bash
"${CC:-cc}" -D_GNU_SOURCE -O1 -fno-optimize-sibling-calls -pthread tests/bench/waits.c \
	-o "$dir/waits" || exit 2
cat >"$dir/offcpu.bt" <<'BT'
tracepoint:sched:sched_switch /strncmp(comm, "waits", 5) == 0/
{
	@since[args->prev_pid] = nsecs;
	@kernel[args->prev_pid] = kstack;
	@user[args->prev_pid] = ustack;
}
tracepoint:sched:sched_switch /@since[args->next_pid]/
{
	@waited[@kernel[args->next_pid], @user[args->next_pid]] = sum(nsecs - @since[args->next_pid]);
	delete(@since[args->next_pid]);
}
BT

plain() {
	"$dir/waits" "${SWITCHES:-50000}" "${DEPTH:-10}"
}
ours() {
	"$program" capture -q --metric "${metric:-offcpu}" \
		--event "${event:-context-switches}" "$@" -o "$dir/out" -- \
		"$dir/waits" "${SWITCHES:-50000}" "${DEPTH:-10}" >/dev/null
}
peer() {
	"$bpftrace" -q "$dir/offcpu.bt" -c "$dir/waits ${SWITCHES:-50000} ${DEPTH:-10}" \
		-o "$dir/bpftrace"
}
for ((round = 0; round < rounds; round++)); do
	keep_least plain plain
	keep_least 'no stacks' ours --call-graph none
	event=auto keep_least '... and wake-ups' ours --call-graph none
	keep_least 'frame pointers' ours --call-graph fp
	keep_least 'copies of 1 KiB' ours --stack-size 1KiB
	keep_least 'copies of 2 KiB' ours --stack-size 2KiB
	keep_least 'no wake-ups' ours
	event=auto keep_least 'as chosen' ours
	metric=locks event=auto keep_least 'for locks' ours
	keep_least bpftrace peer
done
printf '%-22s %s\n' 'us a switch' "${best[plain]:-}"
put_added 'no stacks' '... and wake-ups' 'frame pointers' 'copies of 1 KiB' 'copies of 2 KiB' \
	'no wake-ups' 'as chosen' 'for locks' bpftrace
awk -v ours="${best['as chosen']:-999999}" -v plain="${best[plain]}" \
	'BEGIN { exit ours - plain > 2 * 5.5 }' || {
	echo "a switch takes twice the time that is promised"
	exit 1
}
