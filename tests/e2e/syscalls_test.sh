# System calls are counted exactly: as strace counts them, the same in each run, through threads,
# children and signals; and gates find one call more.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! "$PROFILE_RUN" capture --metric syscalls -o .can -q -- true >/dev/null 2>err.txt; then
	skip "system calls are counted" "$(head -n 1 err.txt)"
	finish
fi
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(int n) { while (n-- > 0) syscall(SYS_getppid); }
static void *thread(void *n) { call((int)(long)n); return NULL; }
static void handle(int number) { (void)number; call(3); }

int main(int argc, char **argv)
{
	pthread_t threads[4];

	if (argc > 1) {
		call(atoi(argv[1]));
		return 0;
	}
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(100 + i));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	signal(SIGUSR1, handle);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	if (fork() == 0) {
		call(1000);
		execl(argv[0], argv[0], "2000", NULL);
		_exit(1);
	}
	wait(NULL);
	if (vfork() == 0) {
		execl(argv[0], argv[0], "500", NULL);
		_exit(1);
	}
	wait(NULL);
	return 0;
}
END
"${CC:-cc}" -O1 -g -pthread calls.c -o calls || exit 2

# counts FOLDED: "NAME NUMBER" of each call, sorted.
counts() {
	awk '/^# / { next } { weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		sub(/_\[k\]$/, "", frames[n]); sum[frames[n]] += weight }
		END { for (name in sum) print name, sum[name] }' "$1" | sort
}

# count DIR CALL
count() {
	counts "$1/folded.txt" | awk -v name="$2" '$1 == name { n = $2 } END { print n + 0 }'
}

check "a program with threads, children and signals is counted" \
	"$PROFILE_RUN" capture --metric syscalls -q -o all -- ./calls
check "in all of them, exactly" near "$(count all getppid)" 3936 0
check "handlers are part of it" near "$(count all rt_sigreturn)" 10 0
check "and so are children" near "$(count all execve)" 2 0
check "the stack leads to the call" grep -qE '^calls;.*;handle;call;syscall;getppid_\[k\] 30$' \
	all/folded.txt
# The C library says nothing of how to unwind from there.
grep -v 'clone3_\[k\]' all/folded.txt >others.txt
check "no other stack is incomplete" lacks others.txt '[broken]'
if command -v perf >/dev/null; then
	check "perf reads the capture" sh -c \
		'perf script -i all/perf.data 2>&1 | grep -c "sys_enter: NR 110 " | grep -qx 3936'
else
	skip "perf reads the capture" "perf is not here"
fi

# strace -c leaves out calls that do not return, and counts the execve that starts the program.
alike() { # COMMAND...
	"$@" >/dev/null 2>&1 </dev/null # as its first run of all, nginx makes its folders
	strace -qq -c -f -U calls,name -o .strace -- "$@" >/dev/null 2>&1 </dev/null || return 1
	awk '$1 ~ /^[0-9]+$/ && $2 != "total" { n = $1; if ($2 == "execve") n--
		if (n > 0) print $2, n }' .strace | sort >.expected
	rm -rf .seen
	"$PROFILE_RUN" capture --metric syscalls -q -o .seen -- "$@" >/dev/null 2>err.txt ||
		{ cat err.txt; return 1; }
	counts .seen/folded.txt | grep -vE '^exit(_group)? ' >.found
	diff .expected .found
}
if command -v strace >/dev/null && strace -c true 2>/dev/null; then
	echo "some text" >text
	check "strace counts the same of this program" alike ./calls 300
	# Not a shell script in its place, whose reads of pipes depend on the time.
	python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
	for command in "sqlite3 :memory: 'create table t(a); insert into t values(1)'" \
		"xz -k -c -T1 text" "${python:-python3} -I -S -c 1" "jq -n '[1,2]|add'" "nginx -t"; do
		program=${command%% *}
		if command -v "$program" >/dev/null; then
			eval "check 'strace counts the same of ${program##*/}' alike $command"
		else
			skip "strace counts the same of ${program##*/}" "it is not here"
		fi
	done
else
	skip "strace counts the same" "strace is not here, or does not work"
fi

# How long calls took: those that wait at least as long as they are asked to.
cat >naps.c <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static void nap(void)
{
	const struct timespec time = {.tv_nsec = 5000000};

	for (int i = 0; i < 10; i++) nanosleep(&time, NULL);
}
__attribute__((noinline)) static void ask(void) { for (int i = 0; i < 100; i++) syscall(SYS_getppid); }
int main(void) { nap(); ask(); return 0; }
END
"${CC:-cc}" -O1 -g -fno-optimize-sibling-calls naps.c -o naps || exit 2
# times FOLDER CALL LEAST MOST: the time of the calls of this name, in ms
times() {
	"$PROFILE_RUN" convert --input "$1/perf.data" --event syscalls:time --output times.folded
	awk -v name="$2" -v least="$3" -v most="$4" '{
		ns = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		if (frames[n] == name) sum += ns
	} END { print sum, "ns"; exit sum < least * 1e6 || sum > most * 1e6 }' times.folded
}
if "$PROFILE_RUN" capture --metric syscalls --event syscalls:time -q -o timed -- ./naps >/dev/null 2>err.txt; then
	check "the time of calls is that of their waits" times timed clock_nanosleep_[k] 50 5000
	check "and is little where they do not wait" times timed getppid_[k] 0.01 100
	check "it has the stacks" grep -q ';main;nap;.*;clock_nanosleep_\[k\] ' times.folded
	check "the number is what it is without" grep -qE ';main;ask;.*getppid_\[k\] 100$' timed/folded.txt
	check "the ends are no calls" grep -qE '([0-9,]+) calls of \1 expected' timed/report.txt
	check "the time has a picture" "$PROFILE_RUN" flamegraph --input timed/perf.data \
		--event syscalls:time --output timed.svg
else
	skip "calls have times" "$(head -n 1 err.txt)"
fi
"$PROFILE_RUN" capture --metric syscalls -q -o untimed -- ./naps >/dev/null 2>&1
check "a capture of their number has no times" exits 2 "$PROFILE_RUN" analyze \
	--input untimed/perf.data --event syscalls:time
check "and says how to get them" contains err.txt "--event syscalls:time"

# Without the tracepoints: a seccomp filter stops the program at each call.
if "$PROFILE_RUN" capture --metric syscalls --event seccomp -o .can2 -q -- true >/dev/null 2>err.txt; then
	check "a traced program has the same calls" \
		"$PROFILE_RUN" capture --metric syscalls --event seccomp -q -o traced -- ./calls
	counts all/folded.txt | grep -v ^futex >all.txt
	counts traced/folded.txt | grep -v ^futex >traced.txt
	check "the same numbers of them" diff all.txt traced.txt
	grep -v futex all/folded.txt >all.txt
	grep -v futex traced/folded.txt >traced.txt
	check "the same stacks" diff all.txt traced.txt
	if command -v perf >/dev/null; then
		check "perf reads that capture, too" sh -c \
			'perf script -i traced/perf.data 2>&1 | grep -c "sys_enter: NR 110 " | grep -qx 3936'
	fi
	check "a program that fails says so" exits 2 \
		"$PROFILE_RUN" capture --metric syscalls --event seccomp -o failed -- sh -c 'exit 3'
	check "with its status" contains err.txt 'exited with status 3'
	check "a program that is not there is named" exits 2 \
		"$PROFILE_RUN" capture --metric syscalls --event seccomp -o none -- ./nothing
	check "with the reason" contains err.txt "cannot run './nothing': No such file"
	check "the duration ends it" exits 0 \
		"$PROFILE_RUN" capture --metric syscalls --event seccomp -d 0.3 -o slept -- sleep 60
	cat >ptraces.c <<'END'
#include <sys/prctl.h>
#include <sys/ptrace.h>
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		prctl(PR_SET_SECCOMP, 1);
	else
		ptrace(PTRACE_TRACEME, 0, 0, 0);
	return 0;
}
END
	"${CC:-cc}" ptraces.c -o ptraces || exit 2
	check "a program that traces is refused" exits 2 \
		"$PROFILE_RUN" capture --metric syscalls --event seccomp -o refused -- ./ptraces
	check "with its reason" contains err.txt "uses ptrace(2) itself"
	check "and one with its own filter" exits 2 \
		"$PROFILE_RUN" capture --metric syscalls --event seccomp -o refused2 -- ./ptraces x
	check "with that reason" contains err.txt "uses seccomp(2) itself"
	if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
		mkdir -m 777 unprivileged
		cp calls "$PROFILE_RUN" unprivileged/
		check "it needs no rights" env -C unprivileged setpriv --reuid=65534 --regid=65534 \
			--clear-groups ./profile_run capture --metric syscalls -q -o out -- ./calls
		check "and counts the same" near "$(count unprivileged/out getppid)" 3936 0
	else
		skip "it needs no rights" "setpriv does not work here"
	fi
else
	skip "a traced program has the same calls" "$(head -n 1 err.txt)"
fi

for calls in 1000 1010; do
	"$PROFILE_RUN" capture --metric syscalls -q -o "calls.$calls" -- ./calls $calls >/dev/null
done
check "profiles of calls are compared" exits 1 \
	"$PROFILE_RUN" compare --before calls.1000/perf.data --after calls.1010/perf.data
check "by function" contains out.txt 'getppid (kernel)'

# Calls of 32-bit programs have numbers of their own.
cat >narrow.c <<'END'
static int call(int n, int a)
{
	int r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a));
	return r;
}
void _start(void)
{
	for (int i = 0; i < 7; i++)
		call(64, 0);
	call(1, 0);
}
END
if "${CC:-cc}" -m32 -O1 -nostdlib -static -fno-stack-protector -fno-pie -no-pie narrow.c -o narrow \
	2>/dev/null && ./narrow; then
	check "a 32-bit program is counted" \
		"$PROFILE_RUN" capture --metric syscalls -q -o narrow.out -- ./narrow
	check "by the names of its calls" near "$(count narrow.out getppid)" 7 0
else
	skip "a 32-bit program is counted" "none can be built or run here"
fi

twenty() {
	local i
	for ((i = 0; i < 20; i++)); do
		rm -rf one
		"$PROFILE_RUN" capture --metric syscalls --call-graph none -q -o one -- ./calls 300 \
			>/dev/null || return 1
		cat one/folded.txt
	done >many.txt
	! sort many.txt | uniq -c | grep -v '^ *20 '
}
check "twenty runs count the same" twenty

# A program that writes records one by one, and a query for each of ROWS rows.
mkdir -p here there
work=$PWD
cat >rows.c <<'END'
#include <fcntl.h>
#include <unistd.h>

__attribute__((noinline)) static void append(int fd, int syncs)
{
	for (int i = 0; i < 8; i++) {
		if (write(fd, "row\n", 4) != 4) _exit(1);
		if (i < syncs) fdatasync(fd);
	}
}
__attribute__((noinline)) static void query(int fd, int rows)
{
	char row[4];

	for (int i = 0; i < rows; i++)
		if (pread(fd, row, 4, 4 * (i % 8)) != 4) _exit(1);
}
int main(void)
{
	int fd = open("rows.db", O_RDWR | O_CREAT | O_TRUNC, 0600);

	append(fd, SYNCS);
	query(fd, ROWS);
	return 0;
}
END
build() { # FOLDER SYNCS ROWS
	"${CC:-cc}" -O1 -g -DSYNCS="$2" -DROWS="$3" "$work/rows.c" -o "$1/rows" || exit 2
}
build there 4 100
build here 4 100
cd here || exit 2
mkdir workloads
cat >workloads/rows.yaml <<'END'
name: rows
run: [./rows]
capture: {metric: syscalls}
gate:
  rules:
    - {call: fdatasync, max: 4}
    - {call: "pread*", fail: 5%}
    - {call: execve, max: 0}
END

# flagged SUBJECT...: the findings of the last gate that fail, and what grew with them.
flagged() {
	python3 - "$@" <<-'END'
		import json, sys
		workload = json.load(open("reports/latest/verdict.json"))["workloads"][0]
		failed = [f for f in workload["findings"] if f["status"] == "fail"]
		found = {f["subject"]: f["reason"] for f in failed}
		found.update({m["subject"]: "" for f in failed for m in f["grew_with_it"]})
		print(json.dumps(found, indent=1))
		missing = [subject for subject in sys.argv[1:] if subject not in found]
		assert not missing and (found or not sys.argv[1:]), missing
		assert sys.argv[1:] or not found
	END
}

check "an unchanged build passes, measured anyway" exits 0 \
	"$PROFILE_RUN" gate --against ../there --measure-anyway
check "no finding is flagged" flagged
check "costs are calls" contains reports/latest/report.txt calls
build . 5 100
check "one fsync more fails" exits 1 "$PROFILE_RUN" gate --against ../there
check "by its rule" flagged 'call fdatasync (cost budget)'
check "the function that makes it is found, at its line" contains reports/latest/report.txt rows.c:18
check "the budget says how many there were" contains reports/latest/report.txt \
	'Costs 5 calls per run, above its budget of 4 calls.'
build . 4 110
check "a query for each row fails" exits 1 "$PROFILE_RUN" gate --against ../there
check "by its rule, as a part of what changed" flagged main 'call pread*'
build . 4 100
check "a baseline of calls is stored" "$PROFILE_RUN" baseline update --no-counts
check "the program passes against it" exits 0 "$PROFILE_RUN" gate
build . 4 101
check "one read more of 100 fails against it" exits 1 "$PROFILE_RUN" gate
check "where it is made" flagged 'pread64_[k]'
check "the report is replayed" exits 1 "$PROFILE_RUN" replay reports/latest
calls=$(python3 -c 'import json
runs = json.load(open("reports/latest/verdict.json"))["workloads"][0]["candidate_runs"]
print(int(runs[0]["samples"]))')
sed -i "s/^gate:/gate:\n  counters: {syscalls: $((calls - 1))}/" workloads/rows.yaml
check "the number of all calls has a limit" exits 1 "$PROFILE_RUN" gate
check "which is that of a counter" flagged 'syscalls (limit)'
sed -i '/counters:/d' workloads/rows.yaml
check "JUnit names the rules" contains reports/latest/junit.xml 'rule: call fdatasync (cost budget)'
sed -i 's/max: 4/max: 2ms/' workloads/rows.yaml
check "a time is no number of calls" exits 2 "$PROFILE_RUN" gate
check "and the message points at it" contains err.txt "rows.yaml:6:30: error: 'max' must be"
sed -i 's/max: 2ms/max: 4/; s/syscalls/cpu/' workloads/rows.yaml
check "calls need their metric" exits 2 "$PROFILE_RUN" gate
check "which the message names" contains err.txt "'call' needs the metric 'syscalls'; here it is 'cpu'"
finish
