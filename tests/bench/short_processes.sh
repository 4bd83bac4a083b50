#!/bin/bash
# A capture of many short processes, 500 times /bin/true at 99 Hz: samples of those that the CPU time should
# give, by profile_run as it is, at 4999 Hz and of whole CPUs, and by perf record.
#
# usage: short_processes.sh [PROCESSES]
#
# Fails where less than half of the samples are there and the report of the capture, or that of its
# perf.data, concludes something from them or does not say so in its first line. PROFILE_RUN names the program.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2016
work=(sh -c 'i=0; while [ $i -lt "$0" ]; do /bin/true; i=$((i + 1)); done' "${1:-500}")

capture() { # NAME OPTION...
	local name=$1
	shift
	if "$program" capture --quiet "$@" --output "$dir/$name" -- "${work[@]}" >/dev/null 2>"$dir/stderr"; then
		printf '%-22s %s\n' "$name" "$(sed -n 's/^validity *//p' "$dir/$name/report.txt")"
	else
		printf '%-22s %s\n' "$name" "$(head -n 1 "$dir/stderr")"
	fi
}

# Whether a report with too few samples says so first, and gives no advice.
check() { # FILE
	head -n 1 "$1" | grep -q 'too few to conclude' && ! grep -q 'What stands out' "$1" && return
	echo "it concludes something from too few samples:"
	head -n 20 "$1"
	exit 1
}

capture "at 99 Hz" --frequency 99
capture "at 4999 Hz" --frequency 4999
capture "at 99 Hz, whole CPUs" --frequency 99 --cpus all
if command -v perf >/dev/null && perf record -q -g -F 99 -o "$dir/perf.data" -- "${work[@]}" 2>/dev/null; then
	printf '%-22s %s\n' "perf record" "$("$program" analyze --input "$dir/perf.data" 2>/dev/null | sed -n 's/^validity *//p')"
	"$program" analyze --input "$dir/perf.data" 2>&1 | head -n 3
fi
read -r part < <(sed -n 's/^validity.*expected (\([0-9.]*\) %).*/\1/p' "$dir/at 99 Hz/report.txt")
if awk -v part="${part:-100}" 'BEGIN { exit !(part < 50) }'; then
	check "$dir/at 99 Hz/report.txt"
	"$program" analyze --input "$dir/at 99 Hz/perf.data" >"$dir/again.txt" || exit 2
	check "$dir/again.txt"
	head -n 3 "$dir/again.txt"
fi
