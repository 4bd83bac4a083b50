#!/bin/bash
# What sampling reads of a program that works in step with the clock (phase_lock.c): of each
# millisecond 50 % in a, 30 % in b and 20 % in c.
#
# usage: phase_lock.sh [RUNS]
#
# Takes RUNS (10) runs with periods that vary from run to run, as baselines and gates have them, at the
# default 4999 Hz and at 1000 Hz, where they lie about the program's own; beside these as many captures
# whose period is a millisecond. MS (3000) is how long each lasts. PROFILE_RUN names the program to
# use, CC the compiler, MEASURE_OPTIONS are for `baseline update`, as in MEASURE_OPTIONS="--pin 0".
#
# Where the program has its CPU for itself the truth is 50/30/20. Where others interrupt it, what they
# leave it of each part depends on when they do, so the program tells its own truth: printed is the
# mean of both over the runs, and the largest difference of the means.
#
# Fails where varied periods read more than a point from the truth at 4999 Hz. At 1000 Hz they may on
# a CPU that others use, too: what the scheduler gives at a time is a few periods then, and falls into
# step with them.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
program=$(realpath "${PROFILE_RUN:-build/profile_run}") || exit 2
runs=${1:-10} length=${MS:-3000}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
status=0

"${CC:-cc}" -std=gnu11 -O2 -g -fno-omit-frame-pointer -o "$dir/phase_lock" \
	"$root/tests/bench/phase_lock.c" || exit 2
mkdir "$dir/workloads" "$dir/config"
cp "$root/config/profile_run.yaml" "$dir/config/" || exit 2
printf 'name: phase_lock\nrun: [./phase_lock, "%s", truth]\ncapture: {warmup: 0}\n' "$length" \
	>"$dir/workloads/phase_lock.yaml"
cd "$dir" || exit 2

# The last weights of each line are those of the runs; each run counts alike.
shares() { # FILE... : "A B C" in percent
	awk '
		FNR == 1 { base = columns; header = 1; n = 1 }
		header && /^# runs: / { n = $3 }
		header && /^# / { next }
		{
			header = 0
			if (base + n > columns) columns = base + n
			part = /;a[;_ ]/ ? 1 : /;b[;_ ]/ ? 2 : /;c[;_ ]/ ? 3 : 0
			for (i = 0; part && i < n; i++) {
				weight[base + i, part] += $(NF - i)
				all[base + i] += $(NF - i)
			}
		}
		END {
			for (part = 1; part <= 3; part++) {
				sum = 0
				for (i = 0; i < columns; i++) sum += weight[i, part] / all[i]
				printf "%.2f ", 100 * sum / columns
			}
		}' "$@"
}

truth() { # of the runs since the last call
	awk '{ for (i = 1; i <= 3; i++) sum[i] += $i }
		END { for (i = 1; i <= 3; i++) printf "%.2f ", sum[i] / NR }' truth
	rm -f truth
}

tell() { # LABEL LIMIT READ_A READ_B READ_C TRUE_A TRUE_B TRUE_C
	awk -v label="$1" -v limit="$2" -v values="${*:3}" 'BEGIN {
		split(values, v, " ")
		for (i = 1; i <= 3; i++) {
			off = v[i] - v[i + 3]
			if (off < 0) off = -off
			if (off > worst) worst = off
		}
		printf "%-28s %5.1f %5.1f %5.1f   %5.1f %5.1f %5.1f   %5.2f\n", label, v[1], v[2], v[3], \
			v[4], v[5], v[6], worst
		exit worst > limit
	}'
}

varied() { # HZ LIMIT
	local folded

	rm -f truth
	# shellcheck disable=SC2086 # words
	"$program" baseline update phase_lock --quiet --replace --runs "$runs" --frequency "$1" \
		--baselines "store.$1" ${MEASURE_OPTIONS:-} >log 2>&1 || { tail -n 5 log; exit 2; }
	folded=$(find "store.$1" -name runs.folded)
	# shellcheck disable=SC2046 # three numbers each
	tell "varied periods, $1 Hz" "$2" $(shares "$folded") $(truth) || status=1
}

fixed() { # HZ
	local run

	rm -f truth
	for ((run = 1; run <= runs; run++)); do
		"$program" capture --quiet --frequency "$1" --workload "exec ./phase_lock $length truth" \
			--output "fixed.$run" >log 2>&1 || { tail -n 5 log; exit 2; }
	done
	# shellcheck disable=SC2046 # three numbers each
	tell "the same period, $1 Hz" 100 $(shares fixed.*/folded.txt) $(truth)
	# shellcheck disable=SC2046 # three numbers each
	tell "  one run of these" 100 $(shares fixed.1/folded.txt) 50 30 20
}

printf '%-28s %17s   %17s   %s\n' "mean of $runs runs, percent" "read: a     b     c" \
	"true: a     b     c" "worst"
varied 4999 1
varied 1000 100
fixed 1000
exit $status
