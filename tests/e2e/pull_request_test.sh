# From an empty repository to a pull request that fails: what `init` writes, and the scripts of the
# GitHub action with files in the place of what GitHub gives a step.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a pull request is gated" "perf_event_open is refused here"
	finish
fi
uses=acme/profile_run/.github/actions/profile-run@v0
export XDG_CACHE_HOME=$PWD/cache PROGRAM=$PROFILE_RUN
export GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_JOB=gate
export WORKLOADS='' CONFIG='' BASELINES=baselines REPORTS=reports ARTIFACT='' FAIL_ON=fail ARGS=''
export POLICY_FROM='' GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH=$PWD/event

git init -q -b main repository
cd repository || exit 2
printf '*.txt\n.check.log\n' >.git/info/exclude
git config user.name tester
git config user.email tester@localhost

app() { # ROUNDS COMMENT
	cat >app.c <<-END
		/* $2 */
		static volatile unsigned long sink;
		#define WORK(name, rounds) __attribute__((noinline)) static void name(void) \\
			{ unsigned long x = 1; for (long i = 0; i < rounds * 4000000L; i++) \\
				x ^= x << 13, x ^= x >> 7; sink += x; }
		WORK(lex, $1) WORK(parse, 4)
		int main(void) { for (int i = 0; i < 4; i++) { lex(); parse(); } return 0; }
	END
}

app 4 first
printf 'app: app.c\n\t$(CC) -O1 -g -fno-omit-frame-pointer -o app app.c\n' >Makefile
printf '/app\n/reports/\n' >.gitignore
make -s app || exit 2
git add .
git commit -qm "a program"
git checkout -qb adopt
check "init writes a workload and a workflow" exits 0 "$PROFILE_RUN" init --workflow "$uses" -- ./app
check "that uses the action" contains .github/workflows/performance.yml "uses: $uses"
check "with the command that builds the program" contains workloads/app.yaml 'build: "make"'
sed -i 's/runs: 10 .*/runs: 4\n  repeat: 1/; s/max_runs: 30 .*/max_runs: 6/' config/profile_run.yaml
git add .
git commit -qm "its gate"

# A pull request as GitHub checks it out, merged into its base; the steps behind the build, with the
# input that the workflow has.
pull() { # BRANCH
	git checkout -qB merge main && git merge -q --no-ff -m merge "$1" || return 9
	AGAINST=$(sed -n 's/^ *against: //p' .github/workflows/performance.yml)
	GITHUB_SHA=$(git rev-parse HEAD)
	export AGAINST GITHUB_SHA
	action_steps
}

check "the pull request that adds them is green" exits 0 pull adopt
check "as it has a new workload" contains reports/latest/report.txt "new workload"
git checkout -q main && git merge -q adopt
git checkout -qb harmless main
app 4 second
git commit -qam "another comment"
check "a pull request that changes a comment passes" exits 0 pull harmless
check "without a run" contains out.txt "nothing to measure"

git checkout -qb slow main
app 9 first
git commit -qam "lex does more"
check "one that makes a function slower fails" exits 1 pull slow
check "which is named" contains out.txt "lex"
check "at its line" grep -q "^::error file=app.c,line=" out.txt
check "the summary begins with it" contains "$GITHUB_STEP_SUMMARY" "lex"
check "the verdict is an output" grep -qx 'verdict=fail' "$GITHUB_OUTPUT"
check "the report has the picture of the difference" test -s "$REPORT/app/diff.svg"
finish
