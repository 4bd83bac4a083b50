# For tests/e2e/*_test.sh, which tests/e2e/run starts in their own empty folder, with
# $PROFILE_RUN (the program) and $ROOT (the repository).
# shellcheck shell=bash

E2E_NAME=$(basename "$0" _test.sh)
E2E_FAILED=0

# check CLAIM COMMAND...: passes if the command succeeds; its output is shown if it does not.
check() {
	local claim=$1
	shift
	if "$@" >.check.log 2>&1; then
		echo "pass e2e $E2E_NAME: $claim"
	else
		echo "fail e2e $E2E_NAME: $claim"
		echo "  $*"
		tail -n 30 .check.log | sed 's/^/  | /'
		E2E_FAILED=1
	fi
}

# skip CLAIM REASON
skip() {
	echo "skip e2e $E2E_NAME: $1 ($2)"
}

# needs CLAIM TOOL...: where one of them is not installed, the test ends, skipped under this claim.
needs() {
	local claim=$1 tool
	shift
	for tool in "$@"; do
		command -v "$tool" >/dev/null && continue
		skip "$claim" "$tool is not installed"
		finish
	done
}

# exits STATUS COMMAND...: succeeds if the command ends with that status. Its output is left in
# out.txt and err.txt, for contains and lacks.
exits() {
	local wanted=$1 status
	shift
	"$@" >out.txt 2>err.txt </dev/null
	status=$?
	cat out.txt err.txt
	echo "status $status, expected $wanted"
	[ $status -eq "$wanted" ]
}

# contains FILE TEXT, lacks FILE TEXT: as fixed text.
contains() {
	grep -qF -- "$2" "$1" || { cat "$1"; echo "missing: $2"; return 1; }
}

lacks() {
	[ -f "$1" ] && ! grep -nF -- "$2" "$1"
}

# soon COMMAND...: waits until the command succeeds, for three minutes at most: a busy machine takes long.
# By a pipe that nothing comes from: a process for each wait would take more time than most commands do.
soon() {
	local i nothing
	exec {nothing}<> <(:)
	for ((i = 0; i < 3600; i++)); do
		"$@" && break
		read -rt 0.05 -u "$nothing"
	done
	exec {nothing}>&-
	[ "$i" -lt 3600 ]
}

# share FILE FUNCTION: the self share of a function in a folded file, what is inlined in it included,
# in percent with two decimals.
share() {
	awk -v name="$2" '{
		weight = $NF; total += weight
		sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		while (frames[n] ~ /_\[i\]$/) n--
		if (frames[n] == name) self += weight
	} END { printf "%.2f\n", total ? 100 * self / total : 0 }' "$1"
}

# near VALUE EXPECTED TOLERANCE
near() {
	echo "$1, expected $2 +- $3"
	awk -v v="$1" -v e="$2" -v t="$3" 'BEGIN { exit !(v >= e - t && v <= e + t) }'
}

# The steps of the gate's action behind the build, as action.yml has them; each runs though one before
# it failed. Files stand for what GitHub gives a step.
action_steps() {
	local action=$ROOT/.github/actions/profile-run
	: >"$GITHUB_OUTPUT"
	: >"$GITHUB_STEP_SUMMARY"
	"$action/gate.sh" || return 9
	export CODE VERDICT REPORT
	CODE=$(sed -n 's/^exit-code=//p' "$GITHUB_OUTPUT")
	VERDICT=$(sed -n 's/^verdict=//p' "$GITHUB_OUTPUT")
	REPORT=$(sed -n 's/^report=//p' "$GITHUB_OUTPUT")
	"$action/summary.sh" || return 9
	"$action/verdict.sh"
}

# Writes spins.yaml, a workload whose counted runs take some milliseconds.
write_spins() {
	cat >spins.yaml <<-'END'
		name: spins
		run: [sh, -c, 'i=0; while [ $i -lt 500 ]; do i=$((i+1)); done']
		capture: {metric: alloc, runs: 3, max_runs: 3, warmup: 0, repeat: 1}
	END
}

# Makes the repository `repo`, from which any commit may be fetched, and enters it. Kept builds are
# this test's own, and nothing is known of a job of CI.
enter_repository() {
	export XDG_CACHE_HOME=$PWD/cache
	unset GITHUB_SHA GITHUB_BASE_REF GITHUB_REF_NAME
	git init -q -b main repo
	cd repo || exit 2
	git config user.name tester
	git config user.email tester@localhost
	git config uploadpack.allowAnySHA1InWant true
}

# commit MESSAGE: commits all files of the folder, in a repository of any user.
commit() {
	git add -A && git -c user.name=tester -c user.email=tester@localhost commit -qm "$1"
}

# Makes this folder a repository for workloads that are suites.
begin_suites() {
	mkdir workloads
	printf 'reports/\nbaselines/\n/bin/\nout.txt\nerr.txt\n.check.log\n' >.gitignore
	git init -q .
}

# Whether programs can be built with google-benchmark.
has_google_benchmark() {
	printf '#include <benchmark/benchmark.h>\nBENCHMARK_MAIN();\n' |
		g++ -x c++ - -o /dev/null -lbenchmark -lpthread 2>/dev/null
}

# Writes work.c, whose function mix() takes nearly all of its time, in 900 rounds.
write_mix() {
	cat >work.c <<'END'
static volatile unsigned sink;

__attribute__((noinline)) static unsigned
mix(unsigned x)
{
	for (int i = 0; i < 900; i++)
		x = x * 1664525u + (x >> 7);
	return x;
}

int
main(void)
{
	for (unsigned i = 0; i < 30000; i++)
		sink += mix(i);
	return 0;
}
END
}

# commit_work CAPTURE [FLAG]: the first commit of the repository: work.c as it is there, and a workload of
# this name that builds and runs it. Its hash is in $first.
commit_work() {
	mkdir workloads
	cat >workloads/work.yaml <<-END
		name: work
		build: gcc -O1 -g -fno-omit-frame-pointer${2:+ $2} -o work work.c
		run: [./work]
		capture: {$1, warmup: 1, repeat: 1}
	END
	printf '%s\n' /work /reports/ /again/ /plan.json '/*.txt' /.check.log >.gitignore
	git add . && git commit -qm first
	# shellcheck disable=SC2034 # for the tests that call it
	first=$(git rev-parse HEAD)
}

# Makes the only baseline one of another class of machines.
make_foreign() {
	local folder
	folder=$(echo baselines/*/*/cpu)
	mkdir -p baselines/other-class/work &&
		mv "$folder" baselines/other-class/work/cpu && rm -r "$(dirname "$(dirname "$folder")")" &&
		sed -i 's/"machine_class":.*/"machine_class": "other-class",/' \
			baselines/other-class/work/cpu/baseline.json
}

# plan KIND [ARGUMENT...]: the plan of the gate's first workload is of this kind. It is left in plan.json.
plan() {
	local kind=$1
	shift
	exits 0 "$PROFILE_RUN" gate --quiet --plan --json plan.json "$@" || return
	cat plan.json
	grep -q "\"kind\":[[:space:]]*\"$kind\"" plan.json
}

# replays STATUS: replay of the latest report makes the same files, but for the captures.
replays() {
	rm -rf again
	exits "$1" "$PROFILE_RUN" replay --quiet reports/latest --output again &&
		diff -r --exclude='*.perf.data' reports/latest/ again
}

# Whether this machine lets us sample; tests that capture skip where it does not. tests/e2e/run tries it once.
can_capture() {
	[ "$CAN_CAPTURE" = yes ]
}

finish() {
	exit $E2E_FAILED
}
