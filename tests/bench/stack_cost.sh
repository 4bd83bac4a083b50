#!/bin/bash
# What copies of the stack cost the program, by size, beside frame pointers and no call graph, ours
# and perf record's, all within one process (stack_cost.c says how).
#
# usage: stack_cost.sh [ROUNDS [HZ]]
#
# ROUNDS (100) windows a side at HZ (3999) samples a second: a rate at which the cost stands out; a
# lower one costs in proportion. SIDES names others than the usual ones ("whole:16384 ours:16384",
# say; stack_cost.c has all kinds), and STIR (0) how many of the innermost frames, of 4000 bytes each,
# are written anew all the time. PERF and CC name the programs. Sides of a perf that is not there, or
# may not record, are left out. Prints the costs and judges none of them.
set -u

cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
perf=${PERF:-perf}
ours=(ours:none ours:fp ours:8192 ours:16384 ours:32768 ours:+16384)
theirs=(perf:none perf:fp perf:8192 perf:16384 perf:32768)
read -ra wanted <<<"${SIDES:-${ours[*]} ${theirs[*]}}"
sides=()

make -s build/bench/stack_cost || exit 2
can_perf=false
if [[ "${wanted[*]}" != *perf:* ]] ||
	"$perf" record -q -B -N -e cpu-clock --call-graph dwarf -o "$dir/perf.data" -- true \
		>/dev/null 2>&1; then
	can_perf=true
else
	echo "absent: $perf, or it cannot record"
fi
for side in "${wanted[@]}"; do
	{ [[ $side == perf:* ]] && ! $can_perf; } || sides+=("$side")
done
cd "$dir" || exit 2
"$OLDPWD/build/bench/stack_cost" "${1:-100}" "${2:-3999}" "$perf" "${sides[@]}"
