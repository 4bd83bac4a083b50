# Other profilers agree about a program of known shares (tests/truth/shares.c): gprof about its
# time, callgrind about its instructions, perf report about the very same samples.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

names="half three_tenths fifth"
if ! can_capture; then
	skip "other profilers agree" "perf_event_open is refused here"
	finish
fi
build() { # OUTPUT FLAG...
	local output=$1
	shift
	gcc -std=c11 -O2 -g -D_GNU_SOURCE "$@" -o "$output" "$ROOT/tests/truth/shares.c"
}
if ! build shares; then
	skip "other profilers agree" "there is no gcc"
	finish
fi
"$PROFILE_RUN" capture --workload './shares 2100000' --frequency 997 --output out >capture.log
check "the shares are the known ones" sh -c '
	[ -s out/folded.txt ] && awk "{ n += \$NF } END { exit n < 900 }" out/folded.txt'

# all_near FILE TOLERANCE: FILE has lines "NAME PERCENT"; ours has to have them, too.
all_near() {
	local name theirs
	[ "$(wc -l <"$1")" -eq 3 ] || { cat "$1"; return 1; }
	for name in $names; do
		theirs=$(awk -v name="$name" '$1 == name { print $2 }' "$1")
		near "$(share out/folded.txt "$name")" "$theirs" "$2" || return 1
	done
}

# Some 2000 samples have a standard error of 1 %.
printf 'half 50\nthree_tenths 30\nfifth 20\n' >known
check "as the program says" all_near known 7

if command -v gprof >/dev/null && build shares_pg -pg; then
	./shares_pg 3000000 && gprof -b -p shares_pg gmon.out 2>/dev/null |
		awk '$NF ~ /^(half|three_tenths|fifth)$/ { print $NF, $1 }' >gprof
	# Its clock has 100 ticks a second.
	check "gprof agrees" all_near gprof 15
else
	skip "gprof agrees" "gprof is not installed"
fi

if command -v valgrind >/dev/null && command -v callgrind_annotate >/dev/null; then
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out ./shares 20000 >/dev/null 2>&1 &&
		callgrind_annotate callgrind.out | tr -d ',%()' | awk '
			match($0, /:(half|three_tenths|fifth)( |$)/) {
				name = substr($0, RSTART + 1, RLENGTH - 1)
				sub(/ $/, "", name)
				print name, $2
			}' | sort -u >callgrind
	check "callgrind agrees" all_near callgrind 7
else
	skip "callgrind agrees" "valgrind is not installed"
fi

if command -v perf >/dev/null; then
	perf report --stdio --no-children -g none -F overhead,sym -i out/perf.data 2>/dev/null |
		awk '$NF ~ /^(half|three_tenths|fifth)$/ { sub(/%/, "", $1); print $NF, $1 }' >report
	check "perf report agrees about the same samples" all_near report 0.02
else
	skip "perf report agrees about the same samples" "perf is not installed"
fi
finish
