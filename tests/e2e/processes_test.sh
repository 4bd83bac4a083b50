# Processes that leave their session, change their user or take too long: all that can be ended is ended,
# and of the rest it is said.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "processes that are hard to end" "perf_event_open is refused here"
	finish
fi
# workload NAME RUN [MORE]: writes NAME.yaml
workload() {
	printf 'name: %s\nrun: %s\ncapture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1, timeout: %s}\n%s\n' \
		"$1" "$2" "${timeout:-2s}" "${3:-}" >"$1.yaml"
}
gate() {
	timeout 60 "$PROFILE_RUN" gate --measure-anyway "$@" --baselines baselines --reports reports
}
# pgrep would find this very script, which says the marker, were it not in two parts.
marker=marker_of_processes
marker=${marker}_test_$$
no_leftovers() {
	! pgrep -af "$marker"
}

timeout=60s workload daemon \
	"[sh, -c, '(setsid sh -c \"(setsid sleep 300 &); sleep 300; : $marker\" &); sleep 300']"
killed() {
	"$PROFILE_RUN" gate --measure-anyway daemon.yaml --baselines baselines --reports reports >out.txt 2>&1 &
	local pid=$!
	daemon() {
		pgrep -f "sleep 300; : $marker" | while read -r one; do
			[ "$(ps -o sid= -p "$one" | tr -d ' ')" = "$one" ] && echo "$one"
		done | head -n 1 | grep .
	}
	soon daemon >/dev/null
	kill -KILL $pid
	wait $pid
	soon no_leftovers
}
check "SIGKILL of the gate ends a daemon of the workload" killed

# A program that has taken on the rights of root, run by an ordinary user.
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
echo 'sleep 300; :' >hold
timeout=1s workload becomes_root '[true]' "setup: ./as_root --reuid=0 --regid=0 --clear-groups sh hold $marker
build: ./as_root --reuid=0 --regid=0 --clear-groups sh hold $marker & sleep 0.5"
gate_of_user() {
	# Where the machine is very busy, sampling is taken for impossible.
	for _ in 1 2 3 4 5; do
		as_user timeout 60 ./profile_run gate --measure-anyway becomes_root.yaml --budget 1s \
			--baselines theirs/baselines --reports theirs/reports >out.txt 2>err.txt
		contains err.txt "setup of becomes_root" && break
	done
	contains err.txt "setup of becomes_root"
}
can_become_root() {
	[ "$(id -u)" -eq 0 ] && cp "$(command -v setpriv)" as_root && chmod 4755 as_root && chmod 755 . &&
		[ "$(as_user ./as_root --reuid=0 --clear-groups id -ru 2>/dev/null)" = 0 ] &&
		cp "$PROFILE_RUN" . # which others may not reach where it is
}
if can_become_root; then
	mkdir theirs && chown 65534 theirs
	check "a workload that becomes another user is an error" gate_of_user
	check "a process of another user that cannot be ended is named" \
		grep -qE "warning: still running: process [0-9]+ \('(sh|sleep)'\) of another user" err.txt
	check "and not said to have been ended" contains err.txt \
		"took longer than its timeout of 1 s and could not be ended"
	check "(each once, of build and setup)" test "$(grep -c 'warning: still' err.txt)" -eq 2
	check "it does run" pgrep -f "$marker"
	for pid in $(pgrep -f "$marker"); do
		kill -KILL "$pid"
	done
else
	skip "a process of another user that cannot be ended is named" "no set-user-ID program can be run"
fi

timeout=1s workload slow_build '[true]' "build: 'sleep 300; : $marker'"
timeout=1s workload slow_setup '[true]' "setup: 'sleep 300; : $marker'"
timeout=1s workload slow_teardown '[true]' "teardown: 'sleep 300; : $marker'"
mkdir -p config
echo 'build_timeout: 2s' >config/profile_run.yaml
within() {
	local start=$SECONDS
	gate slow_build.yaml slow_setup.yaml slow_teardown.yaml --budget 6s >out.txt 2>err.txt
	echo "took $((SECONDS - start)) s"
	cat err.txt
	[ $((SECONDS - start)) -lt 30 ]
}
check "build, setup and teardown are ended in time" within
check "a build has its own limit" contains err.txt \
	"'build of slow_build' took longer than its timeout of 2 s and was ended"
check "a setup is ended with the budget" grep -qE \
	"'setup of slow_setup' took longer than its timeout of [1-6](\.[0-9]+)? s and was ended" err.txt
check "(and why)" contains err.txt "the budget is used up"
check "a teardown has the workload's timeout in any case" contains err.txt \
	"'teardown of slow_teardown' took longer than its timeout of 1 s and was ended"
check "nothing of them is left" no_leftovers

# Programs that are held: by their own signal, by a tracer, and by a tracer after their end.
cat >held.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int ends[2];
	char byte;
	pid_t parent = getpid();

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	if (argc < 2 || pipe(ends) < 0)
		return 2;
	if (*argv[1] == 's')
		raise(SIGSTOP);
	if (fork() == 0) {
		if (ptrace(PTRACE_SEIZE, parent, 0, 0) == 0)
			write(ends[1], "x", 1);
		if (*argv[1] == 't')
			ptrace(PTRACE_INTERRUPT, parent, 0, 0);
		for (;;)
			pause();
	}
	if (close(ends[1]) < 0 || read(ends[0], &byte, 1) != 1)
		return 3;
	while (*argv[1] == 't')
		;
	while (clock() < CLOCKS_PER_SEC / 2)
		;
	return 0;
}
END
if ! gcc -w -o held held.c; then
	skip "a program that is held is named" "gcc is needed"
	finish
fi
timeout=2s workload stopped "[./held, stop, $marker]"
timeout=2s workload traced "[./held, trace, $marker]"
timeout=60s workload kept "[./held, end, $marker]"
check "a stopped and a traced program are ended by their timeouts" exits 2 gate stopped.yaml traced.yaml
check "the stopped one is named" grep -qE "note: process [0-9]+ \('held'\) is stopped$" err.txt
if grep -q "'./held' exited with status 3" err.txt; then
	skip "the traced one is named with its tracer" "ptrace is refused here"
else
	check "the traced one is named with its tracer" grep -qE \
		"note: process [0-9]+ \('held'\) is stopped while traced by process [0-9]+ \('held'\)" err.txt
	check "a program that its tracer does not wait for has ended" exits 0 gate kept.yaml
fi
check "nothing of these is left" no_leftovers
finish
