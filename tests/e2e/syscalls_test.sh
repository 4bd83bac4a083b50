# System calls are counted exactly: as strace counts them, the same in each run, through threads,
# children and signals; and gates find one call more.
#
# May run beside others.
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
	awk '{ weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
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
finish
