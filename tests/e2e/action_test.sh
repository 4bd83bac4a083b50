# The scripts of the GitHub action, with files in the place of what GitHub gives a step.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "the action's gate" "perf_event_open is refused here"
	finish
fi
action=$ROOT/.github/actions/profile-run
export PROGRAM=$PROFILE_RUN GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_JOB=job
export WORKLOADS='' CONFIG='' BASELINES=baselines AGAINST='' REPORTS=reports ARTIFACT='' FAIL_ON=fail
unset GITHUB_EVENT_NAME GITHUB_SHA
export POLICY_FROM=''
export ARGS=$'--runs 3\n--max-runs 3'
mkdir workloads
for name in one two three; do
	cat >workloads/$name.yaml <<-END
		name: $name
		run: "i=0; while [ \$i -lt 100000 ]; do i=\$((i+1)); done"
		capture: {repeat: 1}
	END
done

export WORKLOADS=$'one\ntwo'
check "where there is no baseline the job goes on" exits 0 action_steps
check "with a warning" contains out.txt "::warning title=profile_run%3A warn::"
check "that says that nothing was compared" contains out.txt "no baseline"
check "workloads on their own lines are all measured" \
	test -e reports/latest/one/report.txt -a -e reports/latest/two/report.txt
check "and no others" test ! -e reports/latest/three
check "the verdict is an output" grep -qx 'verdict=warn' output
check "so are the counts" grep -qx \
	'counts={"pass": 0, "warn": 2, "inconclusive": 0, "fail": 0, "error": 0, "skipped": 0}' output
check "the report is the gate's own" test "$(sed -n 's/^report=//p' output)" = \
	"reports/$(readlink reports/latest)"
check "the artifact has its own name" grep -q '^artifact=profile-run-job-.*Z-[0-9]*$' output
check "the summary is the report's" cmp summary reports/latest/summary.md
fails_on_warnings() {
	FAIL_ON=warn exits 1 action_steps
}
export ARTIFACT=mine
check "a stricter job fails" fails_on_warnings
check "an artifact is named as asked" grep -qx 'artifact=mine' output
check "an undecided gate fails the job" exits 3 env CODE=3 REPORT= FAIL_ON=inconclusive \
	"$action/verdict.sh"
check "unless only a regression is to" exits 0 env CODE=3 VERDICT=inconclusive REPORT= FAIL_ON=fail \
	"$action/verdict.sh"
check "a verdict that there is not is refused" exits 2 env REPORT= FAIL_ON=never "$action/verdict.sh"

# Two jobs of a matrix, and the one that merges.
export ARTIFACT='' SHARD MERGE=''
ARGS+=$'\n--durations durations.json'
echo '{"workloads": [{"name": "one", "measure_s": 2}, {"name": "two", "measure_s": 1}]}' >durations.json
SHARD=1/2
check "a shard's job goes on" exits 0 action_steps
check "it has its workload" test -e reports/latest/one/report.txt -a ! -e reports/latest/two
check "and leaves the verdict to the merge" contains out.txt "the verdict is that of all shards"
check "its artifact is named by it" grep -qx 'artifact=profile-run-shard-1-of-2' output
mkdir -p shards
cp -r reports/latest/ shards/profile-run-shard-1-of-2
MERGE=shards SHARD=''
check "a shard that is missing fails the job" exits 2 action_steps
check "and is named" contains err.txt "1 of 2 shards is missing: 2"
MERGE='' SHARD=2/2
check "the other shard's job goes on" exits 0 action_steps
cp -r reports/latest/ shards/profile-run-shard-2-of-2
MERGE=shards SHARD=''
check "all shards are one gate" exits 0 action_steps
check "with the counts of all" grep -qx \
	'counts={"pass": 0, "warn": 2, "inconclusive": 0, "fail": 0, "error": 0, "skipped": 0}' output
MERGE=nowhere
check "where no shard is the job fails" exits 2 action_steps
check "and says so" contains out.txt "no shard.bin below 'nowhere'"
unset MERGE SHARD
ARGS=${ARGS%$'\n'*}

# A pull request, as GitHub checks it out: its merge into the base.
git init -q -b main repo
cd repo || exit 2
git config user.name tester
git config user.email tester@localhost
mkdir config workloads
cp ../workloads/one.yaml workloads
echo 'gate: {total: {warn: 3%, fail: 5%}}' >config/profile_run.yaml
git add .
git commit -qm base
base=$(git rev-parse HEAD)
git checkout -qb change
echo 'gate: {total: {warn: 3%, fail: 500%}}' >config/profile_run.yaml
git commit -qam change
git checkout -q main
git merge -q --no-ff -m merge change
export WORKLOADS='' POLICY_FROM='' GITHUB_EVENT_NAME=pull_request GITHUB_EVENT_PATH=$PWD/.git/event
GITHUB_SHA=$(git rev-parse HEAD)
export GITHUB_SHA
check "a pull request is judged by the policy of its base" exits 0 action_steps
check "and what it changed is printed" contains out.txt "gate.total.fail: 5%25 -> 500%25"
check "with the base" contains reports/latest/report.txt "policy        ${base:0:12}"
replays() {
	exits 0 "$PROGRAM" replay --quiet reports/latest --output again &&
		diff -r --exclude='*.perf.data' reports/latest/ again
}
check "replay makes the same report of it" replays
git checkout -q change
echo "{\"pull_request\": {\"base\": {\"sha\": \"$base\"}}}" >.git/event
check "in another checkout the event names the base" exits 0 action_steps
check "and not the parents" contains reports/latest/report.txt "policy        ${base:0:12}"
export POLICY_FROM=none
check "the policy can be the pull request's own" exits 0 action_steps
check "without a word about it" lacks reports/latest/report.txt "policy"
export POLICY_FROM=
echo '{"pull_request": {"base": {"sha": "0123456789012345678901234567890123456789"}}}' >.git/event
check "a base that cannot be had fails the job" exits 2 action_steps
check "and the error says what to do" contains out.txt "fetch-depth: 2"
cd ..
unset GITHUB_EVENT_NAME

# A shallow clone, with a baseline of another class of machines: its commit is fetched and built.
git -C repo checkout -q main && git -C repo clean -fdq
other=repo/baselines/other-class/one/cpu
(cd repo && "$PROGRAM" baseline update --no-counts one --runs 3 >/dev/null 2>&1)
mkdir -p $other
cp repo/baselines/*/one/cpu/* $other && rm -r repo/baselines/x* repo/baselines/a* 2>/dev/null
sed -i 's/"machine_class":.*/"machine_class": "other-class",/' $other/baseline.json
recorded=$(git -C repo rev-parse HEAD)
git -C repo add baselines && git -C repo commit -qm baseline
git -C repo config uploadpack.allowAnySHA1InWant true
git clone -q --depth 1 "file://$PWD/repo" shallow
cd shallow || exit 2
check "a shallow clone lacks the baseline's commit" exits 128 git cat-file -e "$recorded^{commit}"
check "its gate is judged all the same" exits 0 action_steps
check "by the commit that was fetched" contains reports/latest/report.txt "compared with its commit ${recorded:0:12}"
cd ..

export CONFIG=nowhere.yaml
check "a gate that dies early fails the job" exits 2 action_steps
check "with no older report's summary" contains summary "profile_run wrote no report"
check "nor its verdict" lacks output verdict=
check "nor its files" grep -qx 'report=' output
check "and says so" contains out.txt "::error title=profile_run::no verdict"
export CONFIG=''
old=$(readlink reports/latest)
# nothing_published: neither the older report nor its summary, verdict and files
nothing_published() {
	contains summary "profile_run wrote no report" && lacks output verdict= && lacks output counts= &&
		grep -qx 'report=' output && [ "$(readlink reports/latest)" = "$old" ] &&
		contains out.txt "::error title=profile_run::no verdict"
}
echo 'name: [' >workloads/broken.yaml
WORKLOADS=broken
check "so does a workload that cannot be read" exits 2 action_steps
check "without an older report" nothing_published
rm workloads/broken.yaml
WORKLOADS=nowhere
check "so does one that is not there" exits 2 action_steps
check "without an older report" nothing_published
echo '{name: missing, run: [./no-such-program]}' >workloads/missing.yaml
WORKLOADS=missing
ARGS+=$'\n--measure-anyway'
check "a missing program has its own report" exits 2 action_steps
check "which is published" cmp summary "reports/$(readlink reports/latest)/summary.md"
check "and not the older one" test "$(sed -n 's/^report=//p' output)" != "reports/$old"
check "its verdict is an error" grep -qx 'verdict=error' output
# A build that ends the gate, and makes an older report the latest one, or something else.
pretends() { # LATEST
	ln -sfn "$old" reports/latest
	echo "{name: pretends, run: ['true'], build: 'ln -sfn \"$1\" reports/latest; kill -KILL \$PPID'}" \
		>workloads/pretends.yaml
	WORKLOADS=pretends exits 137 action_steps &&
		lacks output verdict= && grep -qx 'report=' output && [ "$(readlink reports/latest)" = "$1" ] &&
		contains summary "profile_run wrote no report"
}
for name in reports/*Z*; do
	[ "${name#reports/}" = "$old" ] || other=${name#reports/}
done
check "another older report that is made the latest is not published" pretends "$other"
mkdir elsewhere
check "nor is a folder elsewhere" pretends ../elsewhere
rm workloads/missing.yaml workloads/pretends.yaml
ARGS=${ARGS%$'\n'*}

# A machine whose settings are files, and which refuses to set those named in `refused`.
mkdir bin settings
echo 3 >settings/kernel.perf_event_paranoid
echo 1 >settings/kernel.kptr_restrict
echo kernel.kptr_restrict >refused
cat >bin/sysctl <<'END'
#!/bin/bash
[ "$1" = -n ] && exec cat "settings/$2"
setting=${!#}
grep -qx "${setting%=*}" refused && exit 1
echo "${setting#*=}" >"settings/${setting%=*}"
END
cat >bin/sudo <<'END'
#!/bin/bash
shift
exec "$@"
END
chmod +x bin/*
prepare() {
	PATH=$PWD/bin:$PATH SAVED=$PWD/saved "$action/prepare.sh" "$@"
}
check "sampling is allowed" exits 0 prepare
check "where the machine can" grep -qx 1 settings/kernel.perf_event_paranoid
check "and where it cannot, that is a notice" \
	contains out.txt "::notice title=profile_run::kernel.kptr_restrict is 1"
: >refused
check "changed settings are restored" exits 0 prepare --restore
check "to what it was" grep -qx 3 settings/kernel.perf_event_paranoid
check "and nothing else" grep -qx 1 settings/kernel.kptr_restrict
check "once" test ! -e saved
printf '%s\n' kernel.core_pattern=x kernel.kptr_restrict=2x -w 'kernel.perf_event_paranoid=2 kernel.core_pattern=x' \
	'kernel.kptr_restrict=$(touch ran)' kernel.kptr_restrict=2 >saved
check "a list that was altered is read" exits 0 prepare --restore
check "no other setting is made" test ! -e settings/kernel.core_pattern
check "nothing of it is run" test ! -e ran
check "one that it can have written is restored" grep -qx 2 settings/kernel.kptr_restrict
check "no other value is" grep -qx 3 settings/kernel.perf_event_paranoid
check "which is said" contains out.txt "are not its own"
finish
