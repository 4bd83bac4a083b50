# What perf record writes with its many options: we have to read as many samples of each event as
# perf script does.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "recordings with many options are read" perf
work=(sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done; /bin/true; /bin/true')
# perf's own reading of perf.data, into `script`: fields that take no unwinding. For a pipe perf script shows
# all.
perf_reads() {
	perf script -i perf.data -F comm,event >script 2>script.err
	perf_status=$?
	return $perf_status
}

# compare_counts NAME: of perf.data, for each of its events that has samples, with what perf read last.
# Without that there is nothing to compare with: perf script at times aborts on what perf record wrote, after
# it has printed a part.
compare_counts() { # NAME
	local name=$1
	if [ $perf_status -ne 0 ]; then
		skip "$name" "perf script: $(head -n 1 script.err | cut -c1-80)"
		return
	fi
	awk 'sub(/:$/, "", $NF) { print $NF }' script | sort | uniq -c >events
	check "$name" counts_of_events
}

counts_of_events() {
	local event theirs ours status=0
	[ -s events ] || { echo "perf script reads no samples"; return 1; }
	while read -r theirs event; do
		"$PROFILE_RUN" convert --quiet -i perf.data --weight samples --event "$event" -o folded >log 2>&1 ||
			{ cat log; status=1; continue; }
		ours=$(awk '!/^# / { n += $NF } END { print n + 0 }' folded)
		echo "$event: ours $ours, perf script $theirs"
		[ "$ours" -eq "$theirs" ] || status=1
	done <events
	[ $status -eq 0 ] || cat script.err
	return $status
}

# perf aborts at times, over a build-id that it takes for too long; perf script may do so, too.
perf_records() { # OPTION...
	for _ in 1 2 3 4; do
		rm -rf perf.data*
		perf record -q -o perf.data "$@" >/dev/null 2>perf.err &&
			perf_reads && return
	done
	[ -s perf.data ]
}

# recorded NAME OPTION...
recorded() {
	local name=$1
	shift
	if ! perf_records "$@"; then
		skip "$name" "perf: $(head -n 1 perf.err | cut -c1-80)"
		return
	fi
	[ -s perf.data ] || { skip "$name" "perf wrote nothing"; return; }
	compare_counts "$name"
}

clock=(-e cpu-clock)
if ! perf_records "${clock[@]}" "${work[@]}"; then
	skip "recordings with many options are read" "perf cannot record here"
	finish
fi
recorded "no call chains" "${clock[@]}" -F 999 "${work[@]}"
recorded "frame pointers" "${clock[@]}" -F 999 -g "${work[@]}"
recorded "a fixed period" "${clock[@]}" -c 700000 -g "${work[@]}"
recorded "8 KiB of stack" "${clock[@]}" -F 499 --call-graph dwarf,8192 "${work[@]}"
recorded "64 KiB of stack" "${clock[@]}" -F 199 --call-graph dwarf,65528 "${work[@]}"
recorded "compressed" "${clock[@]}" -F 999 -g -z "${work[@]}"
recorded "compressed stacks" "${clock[@]}" -F 999 -z --call-graph dwarf,16384 "${work[@]}"
recorded "one buffer a thread" "${clock[@]}" -F 999 -g --per-thread "${work[@]}"
recorded "the whole system" "${clock[@]}" -F 199 -g -a -- "${work[@]}"
recorded "the whole system, stacks" "${clock[@]}" -F 99 -a --call-graph dwarf,8192 -- "${work[@]}"
recorded "two events" -e cpu-clock,page-faults -g "${work[@]}"
recorded "three events, stacks" -e cpu-clock,task-clock,page-faults --call-graph dwarf,4096 \
	"${work[@]}"
recorded "a group of events" -e '{cpu-clock,page-faults}' -g "${work[@]}"
# A sample of each member is made out of one of the leader's, where something was counted.
recorded "a group that is read together" -e '{cpu-clock,page-faults}:S' -g "${work[@]}"
recorded "user code only" -e cpu-clock:u -F 999 -g "${work[@]}"
recorded "build-ids in the maps" "${clock[@]}" -F 999 -g --buildid-mmap "${work[@]}"
recorded "without build-ids" "${clock[@]}" -F 999 -g --no-buildid "${work[@]}"
recorded "addresses, CPUs, periods, times" "${clock[@]}" -F 999 -g -d -T -P --sample-cpu "${work[@]}"
recorded "weights and identifiers" "${clock[@]}" -F 999 -g -W --sample-identifier "${work[@]}"
recorded "another clock" "${clock[@]}" -F 999 -g -k CLOCK_MONOTONIC "${work[@]}"
recorded "name spaces and control groups" "${clock[@]}" -F 999 -g --namespaces --all-cgroups \
	"${work[@]}"
recorded "switches" "${clock[@]}" -F 999 -g --switch-events "${work[@]}"
recorded "maps at the end" "${clock[@]}" -F 999 -g --tail-synthesize "${work[@]}"
recorded "not inherited" "${clock[@]}" -F 999 -g --no-inherit "${work[@]}"
recorded "small buffers" "${clock[@]}" -F 4999 -g -m 1 "${work[@]}"
recorded "user registers" "${clock[@]}" -F 999 -g --user-regs=ip,sp,bp "${work[@]}"
recorded "per-thread counts" "${clock[@]}" -F 999 -g -s "${work[@]}"
rm -rf perf.data*
if perf record -q -o perf.data "${clock[@]}" -g --threads "${work[@]}" >/dev/null 2>&1 &&
	[ -d perf.data ]; then
	check "a folder of several writers is an error" exits 2 "$PROFILE_RUN" convert -i perf.data
	check "that says what to do" contains err.txt "perf script -i perf.data"
else
	skip "a folder of several writers is an error" "perf writes none"
fi

piped() { # NAME OPTION...
	local name=$1
	shift
	rm -rf perf.data*
	# perf's own pipe sometimes has no samples on a busy machine.
	for _ in 1 2 3; do
		perf record -q -o - "$@" 2>perf.err >perf.data &&
			perf_reads && [ -s script ] && break
	done
	[ -s perf.data ] || { skip "$name" "perf wrote nothing"; return; }
	compare_counts "$name"
}
piped "a pipe" "${clock[@]}" -F 999 -g "${work[@]}"
piped "a pipe of stacks" "${clock[@]}" -F 499 --call-graph dwarf,8192 "${work[@]}"
piped "a pipe of two events" -e cpu-clock,page-faults -g "${work[@]}"
from_pipe() {
	perf record -q -o - "${clock[@]}" -F 999 -g "${work[@]}" 2>/dev/null |
		"$PROFILE_RUN" convert --quiet -i - -o folded && [ -s folded ]
}
check "a pipe is read while it is written" from_pipe
finish
