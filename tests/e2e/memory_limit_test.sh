# What the kernel ends for lack of memory is an error that says so, whether it is a program or what reads
# a profile: the other workloads are judged, outputs stay as they were, and nothing is left running.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

claim="a program that the kernel ends for lack of memory"
memory_group() { # the folder of a new control group with a limit; fails where none can be made
	local own
	own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
	if [ -n "$own" ]; then
		group=/sys/fs/cgroup/memory${own%/}/profile_run_test.$$
	else
		own=$(sed -n 's/^0:://p' /proc/self/cgroup)
		group=/sys/fs/cgroup${own%/}/profile_run_test.$$
		echo +memory >"${group%/*}/cgroup.subtree_control" || return 1
	fi
	mkdir "$group" || return 1
	trap 'rmdir "$group" 2>/dev/null' EXIT
	limit 120
}

# In the first version the limit with swap may never be below the one without: whichever order fits.
limit() { # MIB
	local bytes=$(($1 << 20)) file
	for file in memory.swap.max=0 memory.max=$bytes memory.memsw.limit_in_bytes=$bytes \
		memory.limit_in_bytes=$bytes memory.memsw.limit_in_bytes=$bytes; do
		[ ! -f "$group/${file%=*}" ] || echo "${file#*=}" >"$group/${file%=*}"
	done 2>/dev/null
	grep -qx $bytes "$group/memory.max" "$group/memory.limit_in_bytes" 2>/dev/null
}

limited() { # COMMAND...
	(echo $BASHPID >"$group/cgroup.procs" && exec "$@")
}

memory_group 2>/dev/null || {
	skip "$claim" "no control group with a limit of memory can be made here"
	finish
}
grep -q '^oom_kill ' /proc/vmstat || {
	skip "$claim" "this kernel does not count them"
	finish
}
can_capture || { skip "$claim" "events are refused here"; finish; }

cat >eat.c <<'END'
#include <stdlib.h>
#include <string.h>
volatile unsigned long sink;
int main(int argc, char **argv)
{
	size_t size = (size_t)atoi(argv[1]) << 20;
	char *bytes = malloc(size);
	memset(bytes, argc, size);
	for (unsigned long i = 0; i < 12000000; i++)
		sink += (unsigned long)bytes[i % size];
}
END
"${CC:-cc}" -O1 -g -o eat eat.c || exit 2
mkdir workloads
printf 'name: large\nrun: [./eat, "240"]\ncapture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1}\n' >workloads/large.yaml
printf 'name: small\nrun: [./eat, "8"]\ncapture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1}\n' >workloads/small.yaml
why="the kernel ended a process for lack of memory while it ran"

check "$claim is an error" exits 2 limited "$PROFILE_RUN" capture -q -o killed -- ./eat 240
check "that says so" contains err.txt "$why"
check "and keeps the samples up to then" test -s killed/perf.data
check "the others get a baseline" exits 2 limited "$PROFILE_RUN" baseline update --no-counts -q
check "which says why one has none" contains out.txt "$why"
check "the limit raised, all have one" exits 0 "$PROFILE_RUN" baseline update --no-counts -q large
sed -i 's/i < 12000000/i < 12000001/' eat.c
"${CC:-cc}" -O1 -g -o eat eat.c || exit 2
limited "$PROFILE_RUN" gate --measure-anyway -q >out.txt 2>err.txt
check "a gate names the workload" grep -q '^ERROR  *large .*killed by SIGKILL' out.txt
check "and judges the other" grep -qE '^(PASS|WARN|UNDECIDED|FAIL)  *small ' out.txt
check "with its cause in the verdict" grep -rqF "$why" reports/latest/

# A profile that takes more memory to read than there is.
awk 'BEGIN { srand(1); for (i = 0; i < 150000; i++) { printf "main"; for (j = 0; j < 8; j++)
	printf ";function_%d_of_level_%d", int(rand() * 3000), j; print " 1" } }' >large.folded
limit 24
echo before >out.svg
check "what reads a profile" exits 2 limited "$PROFILE_RUN" flamegraph --input large.folded --output out.svg
check "is named with the reason" contains err.txt "$why"
check "and leaves the output as it was" grep -qx before out.svg
check "without a draft" test -z "$(find . -name 'out.svg?*' -o -name '.out.svg*')"
check "nothing is left running" soon rmdir "$group"
finish
