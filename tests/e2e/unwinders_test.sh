# Stacks of real programs: libdw (tests/truth/libdw_unwind.c) and perf script unwind the same copies
# to the same callers.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "other unwinders agree" "perf_event_open is refused here"
	finish
fi
objects=$(dirname "$(realpath "$PROFILE_RUN")")
reference=''
if [ "$(uname -m)" != x86_64 ]; then
	skip "libdw agrees" "the reference knows x86-64 only"
elif "$ROOT/tests/truth/compile_reference" "$objects" "$PWD/reference" >compile.log 2>&1; then
	reference=$PWD/reference
else
	skip "libdw agrees" "the reference cannot be built: $(head -n 1 compile.log | cut -c1-80)"
fi

# agree NAME COMMAND: on its stacks.
agree() {
	local name=$1 command=$2
	if ! command -v "$name" >/dev/null; then
		skip "$name: other unwinders agree" "it is not installed"
		return
	fi
	rm -rf out
	"$PROFILE_RUN" capture --quiet --workload "$command" --call-graph dwarf --stack-size 16KiB \
		--frequency 999 --output out >capture.log 2>&1
	if [ "$(awk '{ n += $NF } END { print n + 0 }' out/folded.txt 2>/dev/null)" -lt 50 ]; then
		skip "$name: other unwinders agree" "too few samples: $(tail -n 1 capture.log)"
		return
	fi
	[ -z "$reference" ] || check "$name: libdw agrees" \
		"$ROOT/tests/truth/compare_unwind" "$reference" out/perf.data 99
	if command -v perf >/dev/null; then
		"$PROFILE_RUN" convert --quiet --no-inline --no-marks -i out/perf.data -o folded
		# Its names differ where the dynamic linker starts.
		ENDS=1 check "$name: perf script agrees" timeout 60 \
			"$ROOT/tests/e2e/compare_perf_script.sh" out/perf.data folded 96
	else
		skip "$name: perf script agrees" "perf is not installed"
	fi
}

agree sqlite3 "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c
	where x < 300000) select sum(x), count(distinct x % 1000) from c group by x % 7' >rows"
agree xz 'head -c 1200000 /usr/bin/gcc | xz -6 -c >packed'
# shellcheck disable=SC2016 # perl's variables
agree perl 'perl -e '"'"'for $i (1..600000) { $h{$i % 1000} .= "x$i"; $s += length($h{$i % 77}) }'"'"
agree gcc "gcc -O2 -I$ROOT/tests/truth -c -o object.o $ROOT/tests/truth/check_stacks.c"
agree bash 'bash -c "for ((i = 0; i < 60000; i++)); do x=\$((x + i)); done"'
finish
