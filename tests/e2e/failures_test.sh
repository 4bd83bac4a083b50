# Workloads that fail in every way, and machines that refuse: a clear message, exit code 2, and
# nothing half-written or left running.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

# workload NAME RUN [MORE]: writes NAME.yaml
workload() {
	printf 'name: %s\nrun: %s\ncapture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1, timeout: %s}\n%s\n' \
		"$1" "$2" "${timeout:-30s}" "${3:-}" >"$1.yaml"
}

gate() {
	exits "$1" timeout 60 "$PROFILE_RUN" gate --measure-anyway "$2.yaml" --baselines baselines --reports reports
}

# refused NAME TEXT: the gate over NAME.yaml exits with 2 and says TEXT
refused() {
	gate 2 "$1" && contains err.txt "$2"
}

# pgrep would find this very script, which says the marker, were it not in two parts.
marker=marker_of_failures
marker=${marker}_test_$$
no_leftovers() {
	find "$TMPDIR" reports baselines -mindepth 1 -name '.*' ! -name .gitignore | grep . && return 1
	! pgrep -f "$marker" >leftover.txt || { cat leftover.txt; return 1; }
}

mkdir baselines reports tmp
export TMPDIR=$PWD/tmp
workload missing '[./no-such-program]'
check "a missing program is named" refused missing "no-such-program"
check "the report says so too" contains reports/latest/report.txt "no-such-program"

workload build_fails '[true]' 'build: echo this is why >&2; exit 3'
check "a build that fails shows its words" refused build_fails "this is why"

workload setup_fails '[true]' 'setup: exit 4'
check "a setup that fails is reported" refused setup_fails "setup of setup_fails"

workload non_zero '[sh, -c, "echo sorry >&2; exit 7"]'
check "a status other than 0 is reported with the last words" refused non_zero "status 7"
check "(the words)" contains err.txt "sorry"

workload killed '[sh, -c, "kill -SEGV $$"]'
check "a death by signal is reported" refused killed "SIGSEGV"

timeout=3s workload hangs "[sh, -c, 'sh -c \"sleep 1000; : $marker\" & wait']"
check "a run past its timeout is reported" refused hangs "timeout"
check "and its tree is ended" no_leftovers

workload daemon \
	"[sh, -c, 'setsid sh -c \"sleep 1000; : $marker\" & i=0; while [ \$i -lt 200000 ]; do i=\$((i+1)); done']"
timeout 60 "$PROFILE_RUN" gate --measure-anyway daemon.yaml --baselines baselines --reports reports >out.txt 2>&1
check "a daemon that is left behind is ended" no_leftovers

workload gigabyte '[sh, -c, "head -c 1000000000 /dev/zero; head -c 1000000000 /dev/zero >&2"]'
peak_memory() {
	"$PROFILE_RUN" gate --measure-anyway gigabyte.yaml --baselines baselines --reports reports \
		>out.txt 2>err.txt &
	local pid=$! peak=0 now
	while now=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null) && [ -n "$now" ]; do
		peak=$now
		sleep 0.1
	done
	wait $pid
	echo "peak $peak KiB"
	# Any gate takes 70 to 100 MB, for names and rings of samples.
	[ "$peak" -gt 0 ] && [ "$peak" -lt 200000 ]
}
check "two gigabytes of output take no memory" peak_memory

workload quick '[true]'
# A limit is judged without a baseline.
limit='rules: [{function: nothing, max_share: 99%}]'
echo "gate: {policy: {inconclusive: fail}, $limit}" >>quick.yaml
check "a program too short to sample cannot pass" gate 3 quick
check "(and the report says why)" grep -qE "[0-9]+ samples (in all runs|were taken)" reports/latest/report.txt
check "and the captures of what is inconclusive are kept" \
	test -s reports/latest/quick/run-01.perf.data

mkdir readonly_reports
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	# Root may write anywhere; somebody else may not.
	chmod 755 . readonly_reports
	check "a reports folder that cannot be written is found before measuring" exits 2 \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$PROFILE_RUN" gate --measure-anyway quick.yaml \
		--reports readonly_reports --baselines baselines
	check "(named)" contains err.txt readonly_reports
else
	chmod 555 readonly_reports
	check "a reports folder that cannot be written is found before measuring" exits 2 \
		"$PROFILE_RUN" gate --measure-anyway quick.yaml --reports readonly_reports --baselines baselines
fi

if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
	workload spins '[sh, -c, "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"]'
	check "a full disk is reported" exits 2 "$PROFILE_RUN" gate --measure-anyway spins.yaml --reports full/reports \
		--baselines baselines
	check "(with its name)" contains err.txt "No space left"
	check "and leaves nothing half-written" test -z "$(find full -name '.*' ! -name .gitignore | head -n 1)"
	umount full
else
	skip "a full disk is reported" "no tmpfs can be mounted here"
fi

timeout=30s workload interrupted "[sh, -c, 'sh -c \"sleep 1000; : $marker\" & while :; do :; done']"
interrupt() {
	"$PROFILE_RUN" gate --measure-anyway interrupted.yaml --baselines baselines --reports reports_int \
		>out.txt 2>err.txt &
	local pid=$! status
	soon pgrep -f "$marker" >/dev/null
	kill -INT $pid
	wait $pid
	status=$?
	cat err.txt
	echo "status $status"
	[ $status -eq 130 ] && contains err.txt "nterrupt" && [ -z "$(ls -A -I .gitignore reports_int)" ]
}
set -m
check "SIGINT ends the gate, its children and its files" interrupt
set +m
check "(no process is left)" no_leftovers

workload first "[sh, -c, 'i=0; while [ \$i -lt 100000 ]; do i=\$((i+1)); done']"
workload second "[sh, -c, 'i=0; while [ \$i -lt 100000 ]; do i=\$((i+1)); done']"
for name in first second; do
	echo "gate: {$limit}" >>$name.yaml
done
fifth_run() { [ "$(find reports_term -path '*/second/run-05.*')" ]; }
terminate() {
	"$PROFILE_RUN" gate --measure-anyway first.yaml second.yaml --runs 100 --baselines baselines \
		--reports reports_term >out.txt 2>err.txt &
	local pid=$! status
	soon fifth_run
	kill -TERM $pid
	wait $pid
	status=$?
	cat out.txt err.txt
	echo "status $status"
	[ $status -eq 2 ]
}
set -m
check "SIGTERM leaves a report of what was measured" terminate
set +m
check "which says so" contains out.txt "Interrupted by SIGTERM: "
check "so does the report" contains reports_term/latest/report.txt \
	"interrupted by SIGTERM, by the runs until then"
check "in JSON, too" grep -q '"interrupted":.*"SIGTERM"' reports_term/latest/verdict.json
check "with the files of each workload" test -s reports_term/latest/second/flamegraph.svg

printf 'a;b 1\na;c\n' >broken.folded
check "a broken folded line is pointed at" exits 2 "$PROFILE_RUN" analyze -i broken.folded
check "(line and column)" contains err.txt "broken.folded:2:4"
head -c 300 /dev/urandom >noise
check "noise is not a profile" exits 2 "$PROFILE_RUN" flamegraph -i noise -o noise.svg
check "and makes no picture" test ! -e noise.svg
printf 'PERFILE2' >short.data
check "a truncated perf.data is reported" exits 2 "$PROFILE_RUN" convert -i short.data -o x.folded
check "(as such)" contains err.txt "short.data"
check "a missing file is named" exits 2 "$PROFILE_RUN" analyze -i nowhere
check "an unknown verb is a usage error" exits 64 "$PROFILE_RUN" dance
check "an unknown option is a usage error" exits 64 "$PROFILE_RUN" gate --fast
check "a missing option is a usage error" exits 64 "$PROFILE_RUN" flamegraph
finish
