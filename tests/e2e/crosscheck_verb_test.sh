# `crosscheck`: a program of known shares (tests/truth/shares.c), measured by all tools that are here.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a command is measured by several tools" gcc
build() { # OUTPUT FLAG...
	local output=$1
	shift
	gcc -std=c11 -O2 -g -D_GNU_SOURCE "$@" -o "$output" "$ROOT/tests/truth/shares.c"
}
build shares || exit 2

# column NAME FUNCTION: the share by that tool in out.txt.
column() {
	awk -v tool="$1" -v name="$2" '
		$1 == "Functions," { getline; while (++i <= NF) if ($i == tool) wanted = i; next }
		wanted && $NF == name {
			# "12.3 %" is two fields, "-" is one, and a difference is one.
			at = 0
			for (f = 1; f < NF; f++) {
				at++
				value = $f
				if ($(f + 1) == "%") f++
				if (at == wanted) { print value; exit }
			}
		}' out.txt
}

# shares_near TOOL TOLERANCE: the three functions have 50, 30 and 20 %.
shares_near() {
	cat out.txt err.txt
	near "$(column "$1" half)" 50 "$2" && near "$(column "$1" three_tenths)" 30 "$2" &&
		near "$(column "$1" fifth)" 20 "$2"
}

if can_capture; then
	mkdir tools && ln -s "$(command -v sh)" tools/sh
	check "it works without another tool" \
		exits 0 env PATH="$PWD/tools" "$PROFILE_RUN" crosscheck -- ./shares 400000
	check "with the known shares" shares_near profile_run 12
	check "perf is named as missing" contains out.txt \
		"perf         not used: perf is not installed (apt-get install linux-perf)"
	check "so is valgrind" contains out.txt "install it (apt-get install valgrind)"
	check "and a program without -pg" contains out.txt "wrote no gmon file: compile and link it with -pg"
	check "it says that nothing is compared" contains out.txt "Only one tool was used"
	check "a command that works once is no comparison" exits 2 \
		"$PROFILE_RUN" crosscheck --tools profile_run -- sh -c 'mkdir once'
	check "and the reason is said" contains err.txt "it has to work again each time"
else
	skip "profile_run is one of the tools" "perf_event_open is refused here"
fi

if command -v valgrind >/dev/null; then
	check "callgrind measures" \
		exits 0 "$PROFILE_RUN" crosscheck --tools callgrind -- ./shares 20000
	check "the known shares of instructions" shares_near callgrind 7
	# A program with -pg puts back at its end how SIGPROF was handled at its start; valgrind may
	# deliver one after that.
	cat >sigprof.c <<-END
		#include <signal.h>
		#include <stdio.h>
		int main(void)
		{
			puts(signal(SIGPROF, SIG_DFL) == SIG_IGN ? "ignored" : "default");
			return 0;
		}
	END
	gcc -o sigprof sigprof.c || exit 2
	check "a late SIGPROF does not end the program" \
		exits 0 "$PROFILE_RUN" crosscheck --tools callgrind -- sh -c './sigprof >>handled'
	check "under callgrind only" test "$(tr '\n' ' ' <handled)" = "default ignored "
else
	skip "callgrind measures" "valgrind is not installed"
fi

if command -v gprof >/dev/null && build shares_pg -pg; then
	mkdir here && cd here || exit 2
	check "gprof measures" exits 0 "$PROFILE_RUN" crosscheck -t gprof -- ../shares_pg 1000000
	check "the known shares" shares_near gprof 20
	check "and leaves no gmon file" test ! -e gmon.out
	cd ..
else
	skip "gprof measures" "gprof is not installed"
fi

if can_capture && command -v perf >/dev/null && command -v valgrind >/dev/null; then
	check "tools are compared" exits 0 "$PROFILE_RUN" crosscheck -n 3 -F 3997 \
		-t profile_run,perf,callgrind -- ./shares 100000
	check "their shares agree" sh -c '
		awk "/^(profile_run|perf), / { n++; bad += \$3 < 80 } END { exit n != 3 || bad }" out.txt'
	# By itself perf takes the event with the most precise addresses.
	check "perf is compared without profile_run" exits 0 "$PROFILE_RUN" crosscheck -n 3 \
		-t perf,callgrind -- ./shares 100000
	check "its event has the name that profile_run gives it" lacks out.txt ':p'
else
	skip "tools are compared" "perf or valgrind is not here"
fi
finish
