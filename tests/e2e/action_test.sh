# The scripts of the GitHub action, with files in the place of what GitHub gives a step.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# May run beside others.

if ! can_capture; then
	skip "the action's gate" "perf_event_open is refused here"
	finish
fi
action=$ROOT/.github/actions/profile-run
export PROGRAM=$PROFILE_RUN GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_JOB=job
export WORKLOADS='' CONFIG='' BASELINES=baselines AGAINST='' REPORTS=reports ARTIFACT='' FAIL_ON=fail
export ARGS=$'--runs 3\n--max-runs 3'
mkdir workloads
for name in one two three; do
	cat >workloads/$name.yaml <<-END
		name: $name
		run: "i=0; while [ \$i -lt 100000 ]; do i=\$((i+1)); done"
		capture: {repeat: 1}
	END
done

# The steps behind the build, as action.yml has them; each runs though one before it failed.
act() {
	: >output
	: >summary
	"$action/gate.sh" || return 9
	export CODE VERDICT REPORT
	CODE=$(sed -n 's/^exit-code=//p' output)
	VERDICT=$(sed -n 's/^verdict=//p' output)
	REPORT=$(sed -n 's/^report=//p' output)
	"$action/summary.sh" || return 9
	"$action/verdict.sh"
}

export WORKLOADS=$'one\ntwo'
check "where there is no baseline the job goes on" exits 0 act
check "with a warning" contains out.txt "::warning title=profile_run%3A warn::"
check "that says that nothing was compared" contains out.txt "no baseline"
check "workloads on lines of their own are all measured" \
	test -e reports/latest/one/report.txt -a -e reports/latest/two/report.txt
check "and no others" test ! -e reports/latest/three
check "the verdict is an output" grep -qx 'verdict=warn' output
check "so are the counts" grep -qx \
	'counts={"pass": 0, "warn": 2, "inconclusive": 0, "fail": 0, "error": 0}' output
check "the report is the gate's own" test "$(sed -n 's/^report=//p' output)" = \
	"reports/$(readlink reports/latest)"
check "the artifact has a name of its own" grep -q '^artifact=profile-run-job-.*Z-[0-9]*$' output
check "the summary is the report's" cmp summary reports/latest/summary.md
fails_on_warnings() {
	FAIL_ON=warn exits 1 act
}
export ARTIFACT=mine
check "a stricter job fails" fails_on_warnings
check "an artifact is named as asked" grep -qx 'artifact=mine' output
check "a verdict that there is not is refused" exits 2 env REPORT= FAIL_ON=never "$action/verdict.sh"

export CONFIG=nowhere.yaml
check "a gate that dies early fails the job" exits 2 act
check "with no older report's summary" contains summary "profile_run wrote no report"
check "nor its verdict" lacks output verdict=
check "nor its files" grep -qx 'report=' output
check "and says so" contains out.txt "::error title=profile_run::no verdict"

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
check "what was changed is put back" exits 0 prepare --restore
check "to what it was" grep -qx 3 settings/kernel.perf_event_paranoid
check "and nothing else" grep -qx 1 settings/kernel.kptr_restrict
check "once" test ! -e saved
finish
