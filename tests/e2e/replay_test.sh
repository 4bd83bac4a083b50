# `replay` makes the files of a report again, the same bytes: of a stored gate and a paired one, of
# files, and of counted instructions; also by the program with sanitizers, where its objects are there, or
# (THOROUGH=1) by one of which another compiler has built what judges and writes.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
have_other=false
other=clang
if [ "${THOROUGH:-0}" != 1 ] && [ -e "$ROOT/build/asan/unit" ]; then
	other=asan
	check "the program is built with sanitizers" make -s -C "$ROOT" -j2 asan
	have_other=true
elif command -v clang >/dev/null; then
	have_other=true
	# What neither judges nor writes is taken as it is.
	for folder in "$ROOT"/build/release/harness/*/*/; do
		case $(basename "$folder") in
		analysis | baseline | compare | flamegraph | format | gate | history | output | profile | replay) ;;
		*)
			group=$ROOT/build/clang/harness/$(basename "$(dirname "$folder")")
			mkdir -p "$group" && cp -rp "$folder" "$group/"
			;;
		esac
	done
	check "clang builds the program" make -s -C "$ROOT" -j2 VARIANT=clang CC=clang CFLAGS=-O0 \
		build/clang/profile_run
fi

OTHER=$ROOT/build/$other/profile_run

# All but the captures, which judging does not make.
same() { # PROGRAM REPORT STATUS
	rm -rf again
	exits "$3" "$1" replay --quiet "$2" --output again &&
		diff -r --exclude='*.perf.data' "$2/" again &&
		contains out.txt "Report: again/index.html"
}

check_replay() { # KIND REPORT STATUS
	check "$1: replay makes the same files" same "$PROFILE_RUN" "$2" "$3"
	if $have_other; then
		check "$1: and so does the program of another build" same "$OTHER" "$2" "$3"
	else
		skip "$1: and so does the program of another build" "clang is not installed"
	fi
}

pair=$ROOT/tests/fixtures/pairs/tokenizer
check "profiles are judged" exits 1 "$PROFILE_RUN" compare --quiet --output files \
	--before "$pair"/before-*.folded --after "$pair"/after-*.folded
check_replay files files 1

file=files/compare/replay.bin
head -c 500 $file >cut.bin
sed '1s/ [0-9]* / 99 /' $file >newer.bin
{ head -c 1000 $file; printf x; tail -c +1002 $file; } >altered.bin
check "a truncated file is refused" exits 2 "$PROFILE_RUN" replay cut.bin --output refused
check "with its reason" contains err.txt "cut off: 500 of its "
check "an altered one is refused" exits 2 "$PROFILE_RUN" replay altered.bin --output refused
check "with its reason" contains err.txt "altered: its checksum is not that of its contents"
check "a newer one is refused" exits 2 "$PROFILE_RUN" replay newer.bin --output refused
check "with its reason" contains err.txt \
	"reads up to format $(head -n 1 $file | cut -d ' ' -f 2)"
check "and nothing is written" test ! -e refused

if ! can_capture; then
	skip "gates are replayed" "perf_event_open is refused here"
	finish
fi
mkdir -p here/workloads there bin
cat >here/work.c <<'END_C'
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noinline)) void scan(void)
{
	unsigned x = sink;

	for (unsigned i = 0; i < 600000; i++)
		x = x * 31 + i;
	sink = x;
}
__attribute__((noinline)) void parse(void)
{
	unsigned x = sink;

	for (unsigned i = 0; i < ROUNDS; i++)
		x = x * 33 + i;
	sink = x;
}
int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 100; i > 0; i--) { scan(); parse(); }
	return 0;
}
END_C
build() { # FILE ROUNDS
	"${CC:-cc}" -O1 -g -fno-inline -fno-omit-frame-pointer -DROUNDS="$2" here/work.c -o "$1" ||
		exit 2
}
build here/work 500000
build bin/grown 3000000
cp here/work there/work
cd here || exit 2
cat >workloads/work.yaml <<'END'
name: work
summary: "reads & adds"
run: [./work]
capture: {runs: 5, max_runs: 5, repeat: 1}
gate:
  confirm: false
  functions: {warn: 20%, fail: 40%}
  rules:
    - {function: "scan*", fail: 30%}
END
cat >workloads/broken.yaml <<'END'
name: broken
run: [/bin/false]
END

# gate REPORTS ARGUMENTS...: leaves its exit code in $status, whatever it is.
gate() {
	local reports=$1
	shift
	"$PROFILE_RUN" gate "$@" --reports "$reports" >gate.txt 2>&1
	status=$?
}

# A machine that is busy for a moment may spoil the runs.
soon "$PROFILE_RUN" baseline update --no-counts work >/dev/null 2>&1
cp ../bin/grown work
gate stored --measure-anyway
check "a workload keeps what it was judged by, measured or not" ls stored/latest/work/replay.bin \
	stored/latest/broken/replay.bin
check "one baseline was read" contains stored/latest/report.txt "stored mode"
check_replay stored stored/latest $status
check "one of its files is judged alone" exits 2 "$PROFILE_RUN" replay \
	stored/latest/broken/replay.bin --reports alone
check "and that is said" contains err.txt "one of 2 workloads, replayed alone"
cp -r stored/latest/ part
rm -r part/broken
check "a report without one of them is refused" exits 2 "$PROFILE_RUN" replay part --output refused
check "with its reason" contains err.txt "has 1 of the 2 workloads of its report"

rm workloads/broken.yaml
gate paired --against ../there
check "a report is made in a folder of reports" exits $status "$PROFILE_RUN" replay paired/latest \
	--reports other
check "as a gate names it" contains other/latest/report.txt "paired mode"
check_replay paired paired/latest $status
cp ../there/work work
gate passing --against ../there --measure-anyway
check "a gate of equal builds keeps it, too" ls passing/latest/work/replay.bin
check_replay "equal builds" passing/latest $status
gate unmeasured --against ../there
check_replay "builds that are not measured" unmeasured/latest $status

needs "instruction counts are replayed" valgrind
cp ../bin/grown work
sed '/^capture/s/}/, metric: instructions}/; s/^name: work/name: counted/; s|\./work|./work, "1"|' workloads/work.yaml \
	>workloads/counted.yaml
sed '/^gate:/a\  decide: instructions
s|\./work|./work, "20"|' workloads/work.yaml >work.yaml
gate counted counted --against ../there
check "instructions are counted" contains counted/latest/report.txt "instructions"
check_replay instructions counted/latest $status
gate decided work.yaml --against ../there
check "both builds' instructions are counted" contains decided/latest/report.txt \
	"instructions: more work."
check_replay "decided by instructions" decided/latest $status
finish
