#!/bin/bash
# What timing its waits adds to a program, a context switch: the CPU time of two threads that wait for
# each other, with and without stacks, beside bpftrace with the same two stacks in the kernel.
#
# usage: waits.sh
#
# SWITCHES (50000) through DEPTH (10) functions, in ROUNDS (5) rounds in turns; the best of each is
# taken. BPFTRACE is bpftrace. Fails where a switch with whole stacks takes twice the 5.5 us longer
# that are promised.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
bpftrace=${BPFTRACE:-bpftrace}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
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
	"$program" capture -q --metric offcpu "$@" -o "$dir/out" -- \
		"$dir/waits" "${SWITCHES:-50000}" "${DEPTH:-10}" >/dev/null
}
peer() {
	"$bpftrace" -q "$dir/offcpu.bt" -c "$dir/waits ${SWITCHES:-50000} ${DEPTH:-10}" \
		-o "$dir/bpftrace"
}
declare -A best
measure() { # NAME COMMAND...
	local name=$1 us
	shift
	rm -rf "$dir/out"
	# A run that lost records, and was quicker for it, does not count.
	"$@" 2>"$dir/err" >/dev/null || return
	us=$(sed -n 's/^us //p' "$dir/err")
	[ -n "$us" ] || return
	best[$name]=$(printf '%s\n' "${best[$name]:-999999}" "$us" | sort -g | head -n 1)
}
names=('no stacks' 'frame pointers' 'copies of 1 KiB' 'copies of 2 KiB' 'as chosen' bpftrace)
for ((round = 0; round < ${ROUNDS:-5}; round++)); do
	measure plain plain
	measure 'no stacks' ours --call-graph none
	measure 'frame pointers' ours --call-graph fp
	measure 'copies of 1 KiB' ours --stack-size 1KiB
	measure 'copies of 2 KiB' ours --stack-size 2KiB
	measure 'as chosen' ours
	measure bpftrace peer
done
printf '%-22s %s\n' 'us a switch' "${best[plain]:-}"
for name in "${names[@]}"; do
	if [ -z "${best[$name]:-}" ]; then
		printf '%-22s absent, refused here, or lost some\n' "$name"
		continue
	fi
	awk -v name="$name" -v us="${best[$name]}" -v plain="${best[plain]}" \
		'BEGIN { printf "%-22s +%.2f\n", name, us - plain }'
done
awk -v ours="${best['as chosen']:-999999}" -v plain="${best[plain]}" \
	'BEGIN { exit ours - plain > 2 * 5.5 }' || {
	echo "a switch takes twice the time that is promised"
	exit 1
}
