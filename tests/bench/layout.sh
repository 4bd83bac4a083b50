#!/bin/bash
# How much the time of a function changes when nothing but its place in the program does, and how
# much less it does with alignment flags.
#
# usage: layout.sh [BUILDS]
#
# Each of BUILDS (10) times unrelated functions of random sizes are put ahead of the hot functions of
# layout_c.c and layout_cc.cc, which are compiled with and without the flags, by gcc and by clang
# where they are there (COMPILERS), and run RUNS (5) times, alternately. A function's time in a build is
# the least of its runs, in units of a chain of multiplications timed beside it (layout.c). Printed
# is, for each function, how far the builds differ: standard deviation and range (largest over
# smallest, less one). "one build" is the same for a single build's runs, taken as many times: what
# is left for noise; where that is not far below the rest, the table says nothing. Work on the other
# thread of the core doubles the times of some functions: RUN_WITH is put before the programs, as in
# RUN_WITH="taskset -c 3" on a machine where CPU 3 has its core for itself. LIST=1 prints all times.
# Promises nothing.
set -u

cd "$(dirname "$0")" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
builds=${1:-10} runs=${RUNS:-5}
gcc_flags="-falign-functions=64 -falign-loops=32 -falign-jumps=16"
# clang takes -falign-loops from version 13 on; its -falign-jumps does nothing.
clang_flags="-falign-functions=64 -falign-loops=32"
clang_more="-falign-functions=64 -mllvm -align-all-nofallthru-blocks=5"
# Addresses that change from run to run would be a separate layout.
fixed="setarch $(uname -m) -R"
$fixed true 2>"$dir/refused" || fixed=

# Functions that nobody calls.
make_pads() { # SEED FILE
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (n = 1 + int(rand() * 12); n > 0; n--) {
			print "__attribute__((noinline, used)) static unsigned pad" n "(unsigned x)\n{"
			for (k = int(rand() * 40); k >= 0; k--)
				print "\tx = (x ^ (x >> " 1 + int(rand() * 20) ")) * " int(rand() * 1e9) "u;"
			print "\treturn x;\n}"
		}
	}' >"$2"
}

# Everything that is compared: label, compiler of C, of C++, flags.
sides() {
	local cc

	for cc in ${COMPILERS:-gcc clang}; do
		command -v "$cc" >"$dir/found" || continue
		case $cc in
		clang*)
			echo "$cc: -O2|$cc|${cc/clang/clang++}|-O2"
			echo "$cc: -O2 $clang_flags|$cc|${cc/clang/clang++}|-O2 $clang_flags"
			echo "$cc: -O2 $clang_more|$cc|${cc/clang/clang++}|-O2 $clang_more"
			;;
		*)
			echo "$cc: -O2|$cc|${cc/gcc/g++}|-O2"
			echo "$cc: -O2 $gcc_flags|$cc|${cc/gcc/g++}|-O2 $gcc_flags"
			;;
		esac
	done
}

build() { # SIDE SEED CC CXX FLAGS...
	local side=$1 seed=$2 cc=$3 cxx=$4

	shift 4
	$cc "$@" -DPADS="\"$dir/pads.$seed\"" -c layout_c.c -o "$dir/hot_c.o" &&
		$cc -O2 "$dir/hot_c.o" "$dir/main.o" -lm -o "$dir/c.$side.$seed" &&
		$cxx "$@" -std=c++17 -DPADS="\"$dir/pads.$seed\"" -c layout_cc.cc -o "$dir/hot_cc.o" &&
		$cxx -O2 "$dir/hot_cc.o" "$dir/main.o" -lm -o "$dir/cc.$side.$seed"
}

measure() { # SIDE SEED LABEL: appends "SIDE SEED LANGUAGE FUNCTION TIME"
	local language

	for language in c cc; do
		# shellcheck disable=SC2086 # words
		${RUN_WITH:-} $fixed "$dir/$language.$1.$2" | sed "s/^/$1 $3 $language /" >>"$dir/times"
	done
}

"${CC:-cc}" -O2 -c layout.c -o "$dir/main.o" || exit 2
sides >"$dir/sides"
for ((seed = 1; seed <= builds; seed++)); do
	make_pads "$seed" "$dir/pads.$seed"
	side=0
	while IFS='|' read -r label cc cxx flags; do
		side=$((side + 1))
		# shellcheck disable=SC2086 # flags are words
		build $side "$seed" "$cc" "$cxx" $flags || { echo "$label does not build"; exit 2; }
	done <"$dir/sides"
done
nsides=$(wc -l <"$dir/sides")
for ((run = 1; run <= runs; run++)); do
	for ((seed = 1; seed <= builds; seed++)); do
		for ((side = 1; side <= nsides; side++)); do
			measure $side "$seed" "$seed"
			[ $side -eq 1 ] && measure 1 1 "same$seed"
		done
	done
done
[ -n "${LIST:-}" ] && cat "$dir/times"

awk -v runs="$runs" -v builds="$builds" -v sides="$dir/sides" '
	BEGIN { while ((getline line < sides) > 0) { split(line, part, "|"); label[++nsides] = part[1] } }
	{
		same = $2 ~ /^same/
		side = same ? 0 : $1
		sub(/^same/, "", $2)
		key = side SUBSEP $2 SUBSEP $3 SUBSEP $4
		if (!(key in least) || $5 + 0 < least[key]) least[key] = $5 + 0
		if (!(($3, $4) in seen)) { seen[$3, $4] = 1; language[++n] = $3; name[n] = $4 }
	}
	function tell(side, i,   b, x, sum, squares, low, high, mean, sd) {
		low = 1e30; high = sum = squares = 0
		for (b = 1; b <= builds; b++) {
			x = least[side, b, language[i], name[i]]
			sum += x; squares += x * x
			if (x < low) low = x
			if (x > high) high = x
		}
		mean = sum / builds
		sd = builds > 1 ? sqrt((squares - sum * mean > 0 ? squares - sum * mean : 0) / (builds - 1)) : 0
		printf "  %-3s %-16s %8.4f  %5.1f %%  %6.1f %%\n", language[i], name[i], mean, \
			100 * sd / mean, 100 * (high / low - 1)
		if (sd / mean > worst) worst = sd / mean
		all += (sd / mean) ^ 2; range = high / low - 1 > range ? high / low - 1 : range
	}
	END {
		for (side = 0; side <= nsides; side++) {
			worst = all = range = 0
			printf "%s\n  %-20s %8s  %7s  %8s\n", side ? label[side] : "one build (" label[1] ")", \
				"function", "mean", "SD", "range"
			for (i = 1; i <= n; i++) tell(side, i)
			printf "  all functions: SD %.1f %% (root mean square), at most %.1f %%; range at most %.1f %%\n", \
				100 * sqrt(all / n), 100 * worst, 100 * range
		}
	}' "$dir/times"
