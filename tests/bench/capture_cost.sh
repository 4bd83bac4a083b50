#!/bin/bash
# What a capture costs the program: profile_run beside `perf record -g`, both on cpu-clock with
# frame pointers at the same rate, and beside the program without either.
#
# usage: capture_cost.sh [COMMAND...]
#
# Each command is one argument, run ROUNDS (8) times on each of the three sides, in an order that
# changes from round to round; by default known_split, deep_recursion and syscalls of workloads/.
# FREQUENCY (999) is the rate; PROFILE_RUN, PERF and CC name the programs to use. A peer that is not
# there is reported as absent, and that is no failure.
#
# The program is pinned to the last CPU we may use, the profilers run where they like. CPU times are
# those that the kernel accounts to the program (meter.c), samples those of the program alone, both
# files read by profile_run. A difference is ours less perf's of one round, in points: per cent of
# what the program takes alone. Differences come with the interval of their median that holds it
# with 95 % probability (order statistics, no distribution assumed).
#
# Fails if the median difference of all rounds is above 0.5 points and the whole interval is above
# 0, or if the numbers of samples, each divided by its CPU time, differ by more than 2 %.
set -u

program=${PROFILE_RUN:-build/profile_run}
perf=${PERF:-perf}
rounds=${ROUNDS:-8}
frequency=${FREQUENCY:-999}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

broken() { # MESSAGE
	echo "$1"
	[ ! -s "$dir/stderr" ] || tail -n 5 "$dir/stderr"
	exit 2
}

# capture SIDE: runs $command on that side; leaves its costs in $dir/program and $dir/tool.
capture() {
	local metered=$dir/run

	# A script, because the two sides take a command in different ways.
	printf '#!/bin/sh\nexec %q %q %s %s\n' "$dir/meter" "$dir/program" "$cpu" "$command" >"$metered"
	chmod +x "$metered"
	case $1 in
	alone) set -- ;;
	ours) set -- "$program" capture --frequency "$frequency" --event cpu-clock --pin none \
		--output "$dir/ours" --workload ;;
	perf) set -- "$perf" record -q -g -e cpu-clock -F "$frequency" -o "$dir/perf.data" -- ;;
	esac
	"$dir/meter" "$dir/tool" - "$@" "$metered" >/dev/null 2>"$dir/stderr" </dev/null
}

# Prints the number of samples of the program in a perf.data file.
samples() { # FILE
	local comm=${name:0:15}
	"$program" convert --input "$1" | awk -v comm="$comm" '
		{ root = $0; sub(/[; ][^;]*.*$/, "", root); if (root == comm) n += $NF }
		END { print n + 0 }'
}

# Prints the CPU time in ns that our capture took while the program ran: its report says it.
beside() {
	awk '/^  run  CPU time/ { getline; value = $(NF - 1); unit = $NF
		print value * (unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9); exit }' \
		"$dir/ours/report.txt"
}

# measure ROUND SIDE: adds a line to $dir/rounds.
measure() {
	local count=0 aside=0 program_ns tool_ns

	capture "$2" || broken "'$command' failed on the side '$2'"
	read -r program_ns _ <"$dir/program"
	read -r tool_ns _ <"$dir/tool"
	case $2 in
	ours) count=$(samples "$dir/ours/perf.data"); aside=$(beside) ;;
	perf) count=$(samples "$dir/perf.data") ;;
	esac
	echo "$name $1 $2 $program_ns $tool_ns ${count:-0} ${aside:-0}" >>"$dir/rounds"
}

"${CC:-cc}" -std=c11 -O2 -D_GNU_SOURCE -o "$dir/meter" "$(dirname "$0")/meter.c" ||
	broken "no C compiler"
[ $# -gt 0 ] || {
	make -s -C workloads known_split deep_recursion syscalls >"$dir/stderr" 2>&1 ||
		broken "the workloads cannot be built"
	set -- workloads/bin/known_split workloads/bin/deep_recursion workloads/bin/syscalls
}
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*[^0-9]//')
orders=("alone ours perf" "perf ours alone" "ours perf alone" "alone perf ours" "perf alone ours"
	"ours alone perf")
if ! command -v "$perf" >/dev/null; then
	echo "absent: $perf"
	orders=("alone ours" "ours alone")
elif ! "$perf" record -q -g -e cpu-clock -o "$dir/perf.data" -- true >"$dir/stderr" 2>&1; then
	echo "absent: $perf is there, but cannot record: $(tail -n 1 "$dir/stderr")"
	orders=("alone ours" "ours alone")
fi

for command in "$@"; do
	name=$(basename "${command%% *}")
	for round in $(seq "$rounds"); do
		for side in ${orders[round % ${#orders[@]}]}; do
			measure "$round" "$side"
		done
	done
done

awk -f "$(dirname "$0")/capture_cost.awk" "$dir/rounds"
