#!/bin/bash
# What a gate costs beside what it measures: the part of its wall time that the programs do not run,
# and the memory of profile_run itself.
#
# usage: gate_cost.sh [WORKLOAD...]
#
# Runs `profile_run gate` over the workloads (WORKLOADS, or those of workloads/, where none is named)
# with RUNS (3) runs of each, against the stored BASELINES or else against ones made before in another
# folder. The programs are built before, so that what the gate's builds cost is what
# they cost where nothing has changed. PROFILE_RUN names the program to use; needs python3.
#
# The programs' own time is the wall time of the judged runs, and for each warm-up that of the
# shortest of its workload's runs. Runs that were too poor and repeated count as the gate's cost. The memory
# is the peak of the resident set that the kernel tells of the process, without its children, asked
# for 20 times a second.
#
# Fails above 15 % of the time or 300 MB (10^6 bytes), or where the gate could not measure.
set -u

program=${PROFILE_RUN:-build/profile_run}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

command -v python3 >/dev/null || {
	echo "absent: python3, which reads the verdict"
	exit 0
}
# shellcheck disable=SC2086 # one workload a word
[ $# -gt 0 ] || set -- ${WORKLOADS:-}
make -s -C workloads >"$dir/make.log" 2>&1 || {
	tail -n 5 "$dir/make.log"
	exit 2
}

baselines=${BASELINES:-baselines}
"$program" baseline list --baselines "$baselines" >"$dir/list" 2>&1 || {
	baselines=$dir/baselines
	echo "no baselines are stored: making some of 3 runs"
	"$program" baseline update "$@" --quiet --runs 3 --baselines "$baselines" \
		>"$dir/update.log" 2>&1 || {
		tail -n 5 "$dir/update.log"
		exit 2
	}
}

"$program" gate "$@" --quiet --runs "${RUNS:-3}" --baselines "$baselines" --reports "$dir/reports" \
	>"$dir/gate.log" 2>&1 &
gate=$!
peak_kb=0
# A read that times out waits without its own process.
exec 3<> <(:)
while kill -0 $gate 2>/dev/null; do
	while read -r key value _; do
		[ "$key" = VmHWM: ] && peak_kb=$value
	done 2>/dev/null <"/proc/$gate/status"
	read -r -t 0.05 -u 3
done
wait $gate
status=$?
verdict=$dir/reports/latest/verdict.json
if ! [ -s "$verdict" ] || [ $status -eq 2 ]; then
	tail -n 20 "$dir/gate.log"
	echo "the gate could not measure: exit status $status"
	exit 1
fi
python3 "$(dirname "$0")/gate_cost.py" "$verdict" "$peak_kb"
