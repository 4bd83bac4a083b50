# Slow operations: of 1,000 whose truth is known those above the threshold are counted, and only what
# they waited for and computed is in the picture; marked by a function, by two, by USDT probes of the
# program and by a function of a library, of a command and of a running process.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "slow operations are found" cc
cc -O2 -g -fPIC -shared -o libtail.so "$ROOT/tests/e2e/tail/library.c" &&
	cc -O2 -g -o known_tail "$ROOT/tests/e2e/tail/known_tail.c" ./libtail.so -pthread || exit 2

if ! "$PROFILE_RUN" capture --operation operation -q -o .can -- ./known_tail >.can.txt 2>err.txt; then
	skip "slow operations are found" "$(head -n 1 err.txt)"
	check "the reason is said" grep -qE 'uprobes|the kernel|context switches' err.txt
	finish
fi

# truth NAME: of the run before, by the program itself.
truth() {
	awk -v name="$1" '$1 == name { print $2 }' "$2"
}

# spent FOLDED FUNCTION ON: ns below the function, on the CPU (1) or off it (0).
spent() {
	awk -v name="$2" -v on="$3" '{ weight = $NF; sub(/ [^ ]*$/, "")
		n = split($0, frames, ";"); found = 0
		for (i = 1; i <= n; i++) found = found || frames[i] == name
		if (found && (frames[n] !~ /_\[w\]$/) == on) sum += weight
	} END { printf "%.0f\n", sum }' "$1"
}

# agrees FOUND TRUTH: within 5 %, or 5 ms.
agrees() {
	awk -v found="$1" -v truth="$2" 'BEGIN { print "found", found, "of", truth
		off = found > truth ? found - truth : truth - found
		exit !(off <= 5e6 || off <= 0.05 * truth) }'
}

# slower REPORT: how many operations the report says to have taken longer.
slower() {
	tr -s ' \n' ' ' <"$1" | sed -n 's/.* \([0-9,]*\) (.*) took longer than 20.0 ms.*/\1/p' | tr -d ,
}

# counted REPORT TRUTH: the 30 slow ones, and of the others none but those that say so themselves.
counted() {
	local found
	found=$(slower "$1")
	echo "$found slow, of the quick ones at most $(truth quick_over "$2")"
	[ "$found" -ge 30 ] && [ "$found" -le $((30 + $(truth quick_over "$2"))) ]
}

# all_hold OUT TRUTH
all_hold() {
	counted "$1/report.txt" "$2" && agrees "$(spent "$1/folded.txt" slow_path 1)" \
		"$(truth burned "$2")" &&
		agrees "$(($(spent "$1/folded.txt" slow_wait 0) + $(spent "$1/folded.txt" slow_wait 1)))" \
			"$(truth slept "$2")"
}

# marked CLAIM OPERATION: a capture with these marks has the truth. A virtual machine can stop between
# the reading of two clocks: once is no error.
marked() {
	local out=$3
	for _ in 1 2 3; do
		check "$1" "$PROFILE_RUN" capture --operation "$2" --slower-than 20ms -q -o "$out" \
			-- ./known_tail
		cp .check.log "$out.txt"
		all_hold "$out" "$out.txt" >agree.txt && break
	done
	check "... and their number and times hold" all_hold "$out" "$out.txt"
	check "... out of all 1,000" grep -qE 'operations +1,000 of ' "$out/report.txt"
}

marked "operations marked by one function are captured" operation one
# Their return addresses have been replaced while they run.
whole() {
	awk '{ all += $NF } !/\[broken\]/ { whole += $NF }
		END { print whole, "of", all; exit !(whole > 0.98 * all) }' "$1"
}
check "its stacks are whole" whole one/folded.txt
check "samples after the last operation are left out" \
	sh -c "grep ';slow_wait' one/folded.txt | grep -v ';operation;'; [ \$? -eq 1 ]"
check "percentiles are in the report" sh -c \
	"tr -s ' \n' ' ' <one/report.txt | grep -qE 'p50 [0-9.]+ [mu]s, p90 .*, p99 .*, p99.9 .*, max '"
check "and in the picture" grep -q 'Only operations: 1,000 of operation: p50 ' one/flamegraph.svg
check "how long they took is written for HdrHistogram" sh -c \
	"'$PROFILE_RUN' convert --to hdr --input one/perf.data | tail -n 1 |
	grep -qE '^0\.000,[0-9.]+,[0-9.]+,HISTFAAA[A-Za-z0-9+/=]+$'"
check "the semaphore of probes that are not used is not set" contains one.txt "listened no"

marked "operations marked by two functions are captured" operation_begin,operation_end two
marked "operations marked by USDT probes are captured" \
	known_tail:operation__start,known_tail:operation__done usdt
check "the semaphore of probes is set while they are" contains usdt.txt "listened yes"

# The file has all of it: another threshold is a matter of reading.
read_again() {
	"$PROFILE_RUN" analyze --input two/perf.data --slower-than "$1"
}
check "another threshold is read from the same file" sh -c "'$PROFILE_RUN' analyze \
	--input two/perf.data --slower-than 0 | tr -s ' \n' ' ' | grep -q 'max [0-9.]* ms; together '"
check "one that nothing reaches is an error" exits 2 read_again 3600s
contains err.txt "no operation took as long" >/dev/null ||
	check "... which says so" contains err.txt "no operation took as long"
check "without a threshold all of the time is there" sh -c \
	"'$PROFILE_RUN' convert --input two/perf.data --output all.folded &&
	[ \$(grep -c ';perform;slow_wait' all.folded) -gt 0 ]"

check "a function of a library is marked" "$PROFILE_RUN" capture \
	--operation "$PWD/libtail.so:library_step" -q -o library -- ./known_tail
# With those inside others.
nested=$(truth nested .check.log)
check "each of its calls is counted" grep -qE \
	"operations +1,0$(printf '%02d' "$nested") of " library/report.txt

./known_tail forever &
pid=$!
check "a process runs" soon grep -q libtail.so /proc/$pid/maps
check "its operations are captured" "$PROFILE_RUN" capture \
	--operation libtail.so:library_step --pid $pid --duration 2 -q -o running
check "... by the name of the library" grep -qE 'operations +[0-9,]+ of libtail.so:library_step' \
	running/report.txt
kill $pid
wait $pid 2>/dev/null
finish
