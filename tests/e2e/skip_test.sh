# The beginning of a program that is not measured, and how a gate finds that it should not be.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a skipped beginning" gcc
if ! can_capture; then
	skip "a skipped beginning" "this machine does not let us sample"
	finish
fi

# By the clock, however busy the machine is: `load` for 0.2 s, then `work` until 1 s; one process
# and one thread more, so that there are events to begin later than their program.
cat >phases.c <<-'END'
	#include <pthread.h>
	#include <sys/wait.h>
	#include <time.h>
	#include <unistd.h>
	static volatile unsigned long sink;
	static double begun;
	static double now(void)
	{
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		return t.tv_sec + t.tv_nsec / 1e9;
	}
	#define SPIN(name) __attribute__((noinline)) void name(double until) { \
		while (now() < begun + until) for (long i = 0; i < 20000; i++) sink += i; }
	SPIN(load) SPIN(work) SPIN(work_in_thread) SPIN(work_in_child)
	static void *thread(void *unused) { (void)unused; work_in_thread(1); return NULL; }
	int main(void)
	{
		pthread_t id;
		begun = now();
		load(0.2);
		pthread_create(&id, NULL, thread, NULL);
		if (fork() == 0) { work_in_child(1); _exit(0); }
		work(1);
		pthread_join(id, NULL);
		wait(NULL);
		return 0;
	}
END
gcc -O1 -g -fno-omit-frame-pointer -pthread -o phases phases.c || exit 2
mkdir -p workloads
printf 'name: whole\nrun: [./phases]\ncapture: {runs: 3, max_runs: 6, warmup: 0, repeat: 1, callgraph: fp}\n' \
	>workloads/whole.yaml
printf 'name: late\nrun: [./phases]\ncapture: {runs: 3, max_runs: 6, warmup: 0, callgraph: fp, skip: 0.5s}\n' \
	>workloads/late.yaml

is_not_in_the_capture() {
	exits 0 "$PROFILE_RUN" capture --quiet --frequency 999 --call-graph fp --skip 0.5 --output cap -- ./phases ||
		return 1
	lacks cap/folded.txt "load" && contains cap/folded.txt ";work " &&
		contains cap/folded.txt ";work_in_thread" && contains cap/folded.txt ";work_in_child"
}

# The cost of each run is the CPU time that its samples are of: not that of the whole program.
costs_what_remains() {
	exits 0 "$PROFILE_RUN" baseline update --no-counts late || return 1
	lacks err.txt "start-up" || return 1
	python3 - baselines/*/late/cpu/baseline.json <<-'END'
		import json, sys
		runs = json.load(open(sys.argv[1]))["runs"]
		for i in range(3):
		    run = {key: runs[key][i] for key in ("samples", "period", "cost_total")}
		    print(run)
		    sampled = run["samples"] * run["period"]
		    assert 0.8 < run["cost_total"] / sampled < 1.25, "cost is not that of the samples"
	END
}

is_advised() {
	exits 0 "$PROFILE_RUN" baseline update --no-counts whole || return 1
	contains err.txt "of a run are start-up" && contains err.txt "in load" &&
		grep -E 'capture: \{skip: [0-9]+ms\}' err.txt || return 1
	# So do the reports of a gate, whatever it finds.
	"$PROFILE_RUN" gate whole >out.txt 2>err.txt
	tr -s '[:space:]' ' ' <reports/latest/report.txt >words.txt
	contains words.txt "of a run are start-up" && contains reports/latest/index.html "of a run are start-up" &&
		grep '"unsteady":.*"The first ' reports/latest/verdict.json
}

is_longer_than_the_program() {
	exits 2 "$PROFILE_RUN" capture --quiet --skip 30 --output never -- ./phases || return 1
	contains err.txt "ended within the first 30 s, which are skipped" && [ ! -e never/perf.data ]
}

leaves_failure_to_the_program() {
	exits 2 "$PROFILE_RUN" capture --quiet --skip 30 --output never -- sh -c 'exit 7' || return 1
	contains err.txt "7" && lacks err.txt "skipped"
}

check "the skipped time is not in the capture; threads and children are" is_not_in_the_capture
check "a run costs what remains" costs_what_remains
check "a start-up that is a large part is found, with what to skip" is_advised
check "a beginning that is longer than the program is an error" is_longer_than_the_program
check "a program that fails meanwhile is the error" leaves_failure_to_the_program
finish
