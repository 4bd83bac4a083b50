# Where the kernel refuses perf_event_open(2), gates count instructions in place of CPU time.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "gates run without perf events" valgrind
cat >refuse.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) /* ERRNO COMMAND... */
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[1])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {4, filter};
	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 125;
	execv(argv[2], argv + 2);
	return 126;
}
END
cat >work.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) void scan(void) { for (unsigned i = 0; i < 60000; i++) sink += i; }
__attribute__((noinline)) void parse(void) { for (unsigned i = 0; i < ROUNDS; i++) sink += i; }
int main(void) { for (int i = 0; i < 10; i++) { scan(); parse(); } return 0; }
END
"${CC:-cc}" -O1 -o refuse refuse.c && "${CC:-cc}" -O1 -g -DROUNDS=50000 -o work work.c &&
	"${CC:-cc}" -O1 -g -DROUNDS=80000 -o slower work.c || exit 2
mkdir workloads
printf 'name: work\nrun: [./work]\n' >workloads/work.yaml
eperm() { ./refuse 1 "$PROFILE_RUN" "$@"; }

for errno in 1 13 38; do
	check "doctor says what can be measured (errno $errno)" exits 0 ./refuse $errno "$PROFILE_RUN" doctor
	check "gates of counted metrics" grep -q \
		'can run gates: of counted metrics only (instructions' out.txt
done
check "the advice names the value that is set" exits 0 eperm doctor
check "the kernel's setting is named" grep -q \
	"perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid), which would allow it" out.txt
for advice in -fno-omit-frame-pointer perf_event_mlock_kb= perf_event_max_sample_rate=; do
	check "and no advice on what was not tried: $advice" lacks out.txt "$advice"
done
check "a baseline is of instructions" exits 0 eperm baseline update --no-counts
check "the class is that of the processor that valgrind presents" test -d baselines/*-callgrind/work/instructions
check "the same program passes" exits 0 eperm gate
check "and the report says what was counted" grep -q 'instructions were counted' reports/latest/report.txt
cp slower work
check "a slower one fails" exits 1 eperm gate
check "for its function" grep -q 'fail *parse' reports/latest/report.txt
printf 'gate: {decide: none}\n' >>workloads/work.yaml
check "where the policy permits time alone it is an error" exits 2 eperm gate
finish
