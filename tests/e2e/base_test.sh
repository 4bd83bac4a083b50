# A base that cannot be compared with: it has no such workload, it crashes, it does not build, or it
# lacks a file that git ignores.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a new workload is measured once" "perf_event_open is refused here"
	finish
fi
needs "a new workload is measured once" git cc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir project
cd project || exit 2
mkdir workloads data
git init -q .
git config user.email nobody@example.com
git config user.name nobody
printf '%s\n' work new /data/ reports '*.txt' .check.log >.gitignore
echo x >data/in.bin

program() { # NAME STATEMENT
	cat >"$1.c" <<-END
		static volatile unsigned sink;
		int main(void) { for (unsigned i = 0; i < 40000000; i++) sink += i; $2; return 0; }
	END
	cat >"workloads/$1.yaml" <<-END
		name: $1
		build: \${CC:-cc} -O2 -g -o $1 $1.c
		run: [./$1]
		capture: {runs: 3, max_runs: 6, repeat: 1}
	END
}

program work '__builtin_trap()'
git add -A && git commit -qm crashes
program work ''
program new ''
git add -A && git commit -qm 'repaired, and a new workload'

check "a new workload is measured once" exits 0 "$PROFILE_RUN" gate new --against HEAD~1
check "with a warning" contains out.txt "WARN  'new'  new workload: not judged until the base has it"
check "and a picture" test -s reports/latest/new/flamegraph.svg
check "a base that crashes is a warning" exits 0 "$PROFILE_RUN" gate work --against HEAD~1
check "which begins with its name" contains out.txt "WARN  work  not judged: the base HEAD~1: './work' was killed by SIG"
echo 'gate: {policy: {base_fails: error}}' >>workloads/work.yaml
check "or an error where the policy says so" exits 2 "$PROFILE_RUN" gate work --against HEAD~1
git checkout -q workloads

# The server of the base crashes before it is ready.
cat >server.c <<-'END'
	#include <fcntl.h>
	#include <stdio.h>
	#include <unistd.h>
	static volatile unsigned sink;
	int main(void)
	{
		__builtin_trap();
		puts("ready");
		fflush(stdout);
		while (access("go", F_OK) != 0) usleep(1000);
		for (unsigned i = 0; i < 40000000; i++) sink += i;
		for (close(creat("done", 0600));;) pause();
	}
END
cat >workloads/server.yaml <<-'END'
	name: server
	build: cc -O2 -g -o server server.c
	run: [sh, -c, 'rm -f done; touch go; until [ -e done ]; do sleep 0.02; done; rm go']
	service: {start: [./server], ready: {log: ready}}
	capture: {runs: 3, max_runs: 6, repeat: 1}
END
printf '%s\n' /server /go /done >>.gitignore
git add -A && git commit -qm 'a server that crashes'
sed -i '/trap/d' server.c
git commit -qam 'that is repaired'
check "a base whose server crashes is a warning" exits 0 "$PROFILE_RUN" gate server --against HEAD~1
check "which begins with its name" contains out.txt "WARN  server  not judged: the base HEAD~1: "
check "and which base to take, once" grep -q "^Other base: profile_run gate --against [^ ]*~1 workloads/server.yaml" out.txt
check "and says how it ended" contains reports/latest/report.txt "was killed by SIG"
check "the candidate's server is measured" test -s reports/latest/server/flamegraph.svg
echo 'gate: {policy: {base_fails: error}}' >>workloads/server.yaml
check "or an error where the policy says so" exits 2 "$PROFILE_RUN" gate server --against HEAD~1
git checkout -q workloads

sed -i 's/ i;/ j;/' work.c
git commit -qam 'does not build'
git checkout -q HEAD~1 -- work.c
check "a base that does not build is an error" exits 2 "$PROFILE_RUN" gate work --against HEAD
check "of the base" contains out.txt \
	"ERROR  work  the base HEAD: build exited with status 1; output: reports/latest/work/build-base.txt"
git commit -qam builds

sed -i 's,\[./work\],[./work\, data/in.bin],' workloads/work.yaml
check "an ignored input that the base lacks is an error" \
	exits 2 "$PROFILE_RUN" gate work --against HEAD
check "which names it" contains out.txt "the base HEAD: it lacks 'data/in.bin'"
echo 'inputs: [data/*.bin]' >>workloads/work.yaml
check "as an input both builds read it" exits 0 "$PROFILE_RUN" gate work --against HEAD
finish
