#!/bin/bash
# What sampling reads of a program that works in step with the clock (phase_lock.c): of each
# millisecond 50 % in a, 30 % in b and 20 % in c.
#
# usage: phase_lock.sh [RUNS]
#
# Takes RUNS (10) runs with periods that vary from run to run, as baselines and gates have them, at the
# default 4999 Hz and at 1000 Hz, where they lie about the program's own; beside these as many captures
# whose period is a millisecond. MS (3000) is how long each lasts. PROFILE_RUN names the program to
# use, CC the compiler, PIN the CPU that the program runs on (auto).
#
# Where the program has its CPU for itself the truth is 50/30/20. Where others interrupt it, what they
# leave it of each part depends on when they do, so the program tells its own truth: printed is the
# mean of both over the runs, the largest difference of the means, and that of a single run.
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

# A line a run: the percent of a, b and c. The last weights of each line of a file are those of its runs.
shares() { # FILE...
	awk '
		FNR == 1 { base = columns; header = 1; n = 1 }
		header && /^# runs: / { n = $3 }
		header && /^# / { next }
		{
			header = 0
			if (base + n > columns) columns = base + n
			part = /;a[;_ ]/ ? 1 : /;b[;_ ]/ ? 2 : /;c[;_ ]/ ? 3 : 0
			for (i = 0; part && i < n; i++) {
				weight[base + i, part] += $(NF - n + 1 + i)
				all[base + i] += $(NF - n + 1 + i)
			}
		}
		END {
			for (i = 0; i < columns; i++)
				print 100 * weight[i, 1] / all[i], 100 * weight[i, 2] / all[i], \
					100 * weight[i, 3] / all[i]
		}' "$@"
}

# What was read, a line a run, beside what the runs told; those tried first are not among them.
tell() { # LABEL LIMIT
	tail -n "$runs" truth | paste -d " " - seen | awk -v label="$1" -v limit="$2" '
		function off(x, y) { return x > y ? x - y : y - x }
		{
			for (i = 1; i <= 3; i++) {
				is[i] += $i; was[i] += $(i + 3)
				if (off($i, $(i + 3)) > single) single = off($i, $(i + 3))
			}
		}
		END {
			for (i = 1; i <= 3; i++)
				if (off(is[i], was[i]) / NR > worst) worst = off(is[i], was[i]) / NR
			printf "%-26s %5.1f %5.1f %5.1f    %5.1f %5.1f %5.1f   %5.2f  %5.2f\n", label, \
				was[1] / NR, was[2] / NR, was[3] / NR, is[1] / NR, is[2] / NR, is[3] / NR, worst, single
			exit worst > limit
		}'
	local result=$?
	rm -f truth
	return $result
}

varied() { # HZ LIMIT
	"$program" baseline update phase_lock --quiet --replace --runs "$runs" --frequency "$1" \
		--pin "${PIN:-auto}" --baselines "store.$1" >log 2>&1 || { tail -n 5 log; exit 2; }
	find "store.$1" -name runs.stacks -exec "$program" convert --runs --input {} --output folded ';'
	shares folded >seen
	tell "varied periods, $1 Hz" "$2" || status=1
}

fixed() { # HZ
	local run

	: >seen
	for ((run = 1; run <= runs; run++)); do
		"$program" capture --quiet --frequency "$1" --pin "${PIN:-auto}" --output "fixed.$run" \
			--workload "exec ./phase_lock $length truth.$run" >log 2>&1 || { tail -n 5 log; exit 2; }
		shares "fixed.$run/folded.txt" >>seen
		tail -n 1 "truth.$run" >>truth
	done
	tell "the same period, $1 Hz" 100
}

printf '%-26s %17s    %17s   %5s  %s\n' "mean of $runs runs, percent" "read: a     b     c" \
	"true: a     b     c" off "a run's"
varied 4999 1
varied 1000 100
fixed 1000
exit $status
