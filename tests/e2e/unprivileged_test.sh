# A user without rights captures and gates where perf_event_paranoid allows it (2 or less), also on a
# machine whose kernel takes most of the CPU time.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

claim="a user without rights captures"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)
if [ "$(id -u)" -ne 0 ] || [ "${paranoid:-9}" -gt 2 ]; then
	skip "$claim" "it takes root to become another user, and perf_event_paranoid of at most 2"
	finish
fi
needs "$claim" setpriv
can_capture || { skip "$claim" "events are refused here"; finish; }

# What is built may lie where others cannot read.
mkdir -p home/workloads
cp "$PROFILE_RUN" home/profile_run
cat >home/spin.c <<'END'
#include <stdint.h>
volatile uint64_t sink;
__attribute__((noinline)) static void leaf(void)
{
	for (uint64_t i = 0; i < 200000000; i++)
		sink += i;
}
int main(void) { leaf(); }
END
"${CC:-cc}" -O1 -g -o home/spin home/spin.c || exit 2
cat >home/workloads/spin.yaml <<'END'
name: spin
run: [./spin]
capture: {runs: 3, max_runs: 6, repeat: 1}
END
# A call that takes the kernel long, as a page fault does in some virtual machines.
cat >slow.c <<'END'
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
static char bytes[1 << 20];
int munmap(void *start, unsigned long len)
{
	int fd = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < 40 && read(fd, bytes, sizeof(bytes)) > 0; i++)
		;
	close(fd);
	return (int)syscall(SYS_munmap, start, len);
}
END
"${CC:-cc}" -O1 -shared -fPIC -o home/slow.so slow.c || exit 2
# Every folder above has to be open to it.
home=$(mktemp -d) || exit 2
trap 'rm -rf "$home"' EXIT
cp -r home/. "$home" && chown -R 65534:65534 "$home"

as_nobody() { # [NAME=VALUE...] ARGUMENT...
	(cd "$home" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$home" "$@")
}
check "$claim" exits 0 as_nobody ./profile_run capture -q -o one -- ./spin
check "with the program's samples" grep -q leaf "$home/one/folded.txt"
check "also where the kernel takes most of the time" exits 0 as_nobody LD_PRELOAD="$home/slow.so" \
	./profile_run capture -q -o two -- ./spin
check "it records a baseline" exits 0 as_nobody ./profile_run baseline update --no-counts -q
check "and gates by it" exits 0 as_nobody ./profile_run gate -q
finish
