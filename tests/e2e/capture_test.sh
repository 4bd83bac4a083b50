# `capture` on one program, and what perf makes of it.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "capture takes a profile" "perf_event_open is refused here"
	finish
fi
make -s -C "$ROOT/workloads" known_split >/dev/null || exit 2
program=$ROOT/workloads/bin/known_split

started=$(date -u +%Y-%m-%d)
check "a command is captured" exits 0 "$PROFILE_RUN" capture --workload "$program --rounds 160000" \
	--frequency 999 --output out
for file in perf.data folded.txt flamegraph.svg report.txt; do
	check "it leaves $file" test -s out/$file
done
ls out >files.txt
check "the report is printed too" cmp out.txt out/report.txt
check "its perf.data is read" exits 0 "$PROFILE_RUN" analyze -i out/perf.data
today() {
	grep -q "^date  *$(date -u +%Y-%m-%d)" out.txt || grep -q "^date  *$started" out.txt
}
check "and knows when it was taken" today
check "and what was lost" contains out.txt ", throttled "

if command -v perf >/dev/null; then
	perf script -i out/perf.data >script.txt 2>perf.err
	same_number() {
		local ours theirs
		ours=$(awk '{ n += $NF } END { print n }' out/folded.txt)
		theirs=$(grep -c '^[^[:space:]]' script.txt)
		echo "ours $ours, perf script $theirs"
		[ "$ours" -eq "$theirs" ] && [ "$ours" -gt 100 ]
	}
	check "perf script reads the same number of samples" same_number
	# perf script shows inlined functions only where it was built with libbfd.
	"$PROFILE_RUN" convert --no-inline -i out/perf.data -o ours.folded
	"$PROFILE_RUN" convert -i script.txt -o theirs.folded
	check "perf script's text folds to the same stacks" "$ROOT/tests/e2e/agreement" \
		ours.folded theirs.folded 99
	perf record -q -F 999 -g -o recorded.data "$program" >/dev/null 2>&1
	check "what perf record took is read" exits 0 "$PROFILE_RUN" analyze -i recorded.data
	check "and names the functions" contains out.txt fifty_percent
	perf_parity() {
		local ours theirs
		ours=$(awk '{ n += $NF } END { print n }' "$1/folded.txt")
		theirs=$(perf script -i recorded.data 2>/dev/null | grep -c '^[^[:space:]]')
		echo "ours $ours, perf record $theirs"
		near "$ours" "$theirs" "$((theirs / 5))"
	}
	# CPU time itself differs from run to run on a shared machine: those that do are taken anew.
	some_parity() {
		perf_parity out && return
		for _ in 1 2; do
			"$PROFILE_RUN" capture --workload "$program" --frequency 999 --output again \
				>/dev/null 2>&1
			perf record -q -F 999 -g -o recorded.data "$program" >/dev/null 2>&1
			perf_parity again && return
		done
		return 1
	}
	check "about as many samples as perf record takes" some_parity
else
	skip "perf script reads the same number of samples" "perf is not installed"
fi

check "and nothing else" lacks files.txt unfolded
mkdir -p taken/perf.data
check "stacks that cannot be put in place of their copies are an error" exits 2 "$PROFILE_RUN" \
	capture --workload "$program" --frequency 999 --output taken
check "it tells where the capture is" contains err.txt "the capture is kept in 'taken/unfolded.data'"
check "which can be condensed later" exits 0 "$PROFILE_RUN" convert -i taken/unfolded.data \
	--to perf.data -o later.data
check "also without compression" exits 0 "$PROFILE_RUN" convert -i taken/unfolded.data \
	--to perf.data --uncompressed -o plain.data
same_stacks() {
	"$PROFILE_RUN" convert -i later.data >later.folded &&
		"$PROFILE_RUN" convert -i plain.data >plain.folded && cmp later.folded plain.folded &&
		[ "$(stat -c %s plain.data)" -gt "$(stat -c %s later.data)" ] || return 1
	if command -v perf >/dev/null; then
		! perf report --header-only -i plain.data | grep '^# compressed'
	fi
}
check "which holds the same" same_stacks
check "a program that failed is captured, too" exits 2 "$PROFILE_RUN" capture --frequency 999 --output taken \
	--workload 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 3'
check "beside the failure" contains err.txt "status 3"
check "the log says where the capture is" contains err.txt "the capture is kept in 'taken/unfolded.data'"

check "a duration ends an endless program" exits 0 timeout 20 "$PROFILE_RUN" capture \
	--workload 'while :; do :; done' --duration 1 --output endless
check "and its samples are there" test -s endless/folded.txt

check "a program that fails is an error" exits 2 "$PROFILE_RUN" capture \
	--workload 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 3' --output failed
check "and its profile is there even so" contains err.txt "samples up to then are in 'failed'"
check "whole" test -s failed/folded.txt -a -s failed/perf.data -a -s failed/report.txt
interrupt_it() {
	timeout --foreground --signal=INT 3 "$PROFILE_RUN" capture \
		--workload 'while :; do :; done' --output interrupted
	[ -s interrupted/folded.txt ]
}
check "an interrupted capture leaves what it has" interrupt_it

sh -c 'while :; do :; done' &
spinner=$!
# Until then it is a copy of this shell.
soon grep -qx sh /proc/$spinner/comm
check "a running process is captured" exits 0 "$PROFILE_RUN" capture --pid $spinner \
	--duration 1 --output attached
check "and goes on" kill -0 $spinner
check "the report says which process it was" contains attached/report.txt "process $spinner (sh)"
check "and so does the picture" contains attached/flamegraph.svg "process $spinner (sh)"
kill $spinner

# In every metric that does not need its own program.
cat >server.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;
__attribute__((noinline)) void hold(void)
{
	pthread_mutex_lock(&lock);
	usleep(2000);
	pthread_mutex_unlock(&lock);
}
static void *other(void *unused)
{
	for (;; usleep(100))
		hold();
	return unused;
}
int main(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	pthread_t thread;
	char bytes[4096];
	pthread_create(&thread, NULL, other, NULL);
	for (;;) {
		for (unsigned i = 0; i < 2000000; i++)
			sink += i;
		hold();
		if (read(fd, bytes, sizeof(bytes)) < 0)
			return 1;
	}
}
END
attached() { # METRIC STACK
	exits 0 "$PROFILE_RUN" capture --pid $server --metric "$1" --frequency 499 --duration 0.5 --output "at-$1" &&
		grep -E "$2" "at-$1/folded.txt"
}
if command -v cc >/dev/null && cc -O1 -g -fno-omit-frame-pointer -pthread -o server server.c; then
	./server &
	server=$!
	soon grep -qx server /proc/$server/comm
	check "a process that runs already: what it computes" attached cpu ';main '
	check "what it waits for" attached offcpu ';main;hold;.*nanosleep'
	check "both" attached wall ';main;hold;.*nanosleep'
	if "$PROFILE_RUN" capture --metric syscalls -o can_trace -- true >/dev/null 2>trace.txt; then
		check "its system calls" attached syscalls ';main;.*read_\[k\]'
		check "what it reads" attached io ';main;.*read_\[k\]'
	else
		skip "its system calls" "$(tail -n 1 trace.txt)"
	fi
	"$PROFILE_RUN" capture --metric locks -o can_lock -- true >/dev/null 2>trace.txt
	if grep -q 'no thread waited' trace.txt; then
		check "the locks that it waits for" attached locks ';main;hold;.*lock_wait'
	else
		skip "the locks that it waits for" "$(tail -n 1 trace.txt)"
	fi
	check "not what it allocates" exits 64 "$PROFILE_RUN" capture --pid $server --metric alloc -o at-alloc
	check "which is said" contains err.txt "not of processes that run already"
	kill $server
else
	skip "a process that runs already is captured in every metric" "cc is not installed"
fi

check "flamegraph draws it" exits 0 "$PROFILE_RUN" flamegraph -i out/perf.data -o a.svg
check "a folded file gives the same picture" sh -c '
	"$PROFILE_RUN" flamegraph -i out/folded.txt -o b.svg --title x &&
	"$PROFILE_RUN" flamegraph -i - -o c.svg --title x <out/folded.txt && cmp b.svg c.svg'
check "diff draws two of them" exits 0 "$PROFILE_RUN" diff --before out/folded.txt \
	--after endless/folded.txt --output d.svg
check "the difference is a picture" test -s d.svg
finish
