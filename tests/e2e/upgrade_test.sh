# A library of the system that something else replaces while a gate measures: the gate ends, says which file and
# when, and does not blame the workload.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# May run beside others.

CLAIM="a library that is replaced during a gate"
needs "$CLAIM" gcc git unshare
if ! can_capture; then
	skip "$CLAIM" "perf_event_open is refused here"
	finish
fi
# A folder that only packages install in, in a mount namespace of the test.
folder=/usr/games
if [ -z "${UPGRADE_INSIDE:-}" ]; then
	if ! [ -d $folder ] || ! unshare -m mount --bind "$PWD" $folder 2>/dev/null; then
		skip "$CLAIM" "no mount namespace is permitted here"
		finish
	fi
	mkdir installed
	UPGRADE_INSIDE=1 exec unshare -m bash -c "mount --bind '$PWD/installed' $folder && exec bash '$0'"
fi
enter_repository
cat >library.c <<-'END'
	volatile unsigned long sink;
	__attribute__((noinline)) void library(long n)
	{
		unsigned long x = sink;

		for (long i = 0; i < n; i++)
			x = x * 31 + STEP * i;
		sink = x;
	}
END
make_library() {
	gcc -O1 -g -fno-omit-frame-pointer -DSTEP="$1" -shared -fPIC -o $folder/new.so library.c &&
		mv $folder/new.so $folder/libtried.so
}
make_library 1
cat >work.c <<-'END'
	#include <fcntl.h>
	#include <unistd.h>
	void library(long n);
	int main(void)
	{
		int runs = open("runs", O_WRONLY | O_CREAT | O_APPEND, 0600);

		library(20000000);
		if (write(runs, "x", 1) != 1)
			return 1;
		// The library is to be replaced now.
		for (int i = 0; i < 6000 && lseek(runs, 0, SEEK_END) >= 4 && access("wanted", F_OK) == 0; i++)
			usleep(10000);
		return 0;
	}
END
commit_work "runs: 5, max_runs: 10" "-Wl,-rpath,$folder -Wl,--no-as-needed -L$folder -ltried"
printf '%s\n' /runs /wanted >>.gitignore
git add . && git commit -qm build

upgrade_later() { # STEP: in the fourth run of the candidate, which waits for it
	rm -f runs
	touch wanted
	{
		for ((i = 0; i < 3600; i++)); do
			[ "$(cat runs 2>/dev/null | wc -c)" -ge 4 ] && break
			sleep 0.05
		done
		make_library "$1"
		rm wanted
	} &
}

sed -i 's/20000000/20000001/' work.c
upgrade_later 3
check "it ends the gate" exits 2 "$PROFILE_RUN" gate --against HEAD
wait
check "which names the file" contains err.txt "'$folder/libtried.so' was replaced between"
check "and the runs" grep -q "replaced between .* and the end of run [0-9]*, not by the workload" err.txt
check "and says what to do" contains err.txt "repeat the gate once nothing is installed or upgraded"
check "the workload is not blamed" lacks err.txt "a run of this gate made it"
# Whatever runs beside.
echo 'gate: {functions: {fail: 90%}, total: {fail: 90%}}' >>workloads/work.yaml
rm -f runs
check "repeated, it is measured" exits 0 "$PROFILE_RUN" gate --against HEAD

# Runs of one build are not watched: their samples name the code.
upgrade_later 2
check "nothing is stored of two libraries" exits 2 "$PROFILE_RUN" baseline update --no-counts
wait
check "which is said" contains out.txt "'$folder/libtried.so' was replaced between"
rm -f runs
check "repeated, a baseline is stored" exits 0 "$PROFILE_RUN" baseline update --no-counts
upgrade_later 3
check "a gate with a baseline ends, too" exits 2 "$PROFILE_RUN" gate --measure-anyway
wait
check "and names the file" contains err.txt "'$folder/libtried.so' was replaced between"
finish
