# A workload that has another name than its stored baseline: nothing is compared silently with
# nothing.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "renamed workloads" git valgrind
export GIT_CONFIG_GLOBAL=$PWD/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name tester && git config --global user.email tester@localhost
git init -q -b main . && mkdir workloads || exit 2
cat >workloads/a.yaml <<-'END'
	name: a
	summary: counts to some hundreds in a shell
	run: [sh, -c, 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); done']
	capture: {metric: instructions, runs: 3, max_runs: 3, warmup: 0}
END
printf '/reports\n/.check.log\n/*.txt\n' >.gitignore
"$PROFILE_RUN" baseline update --no-counts --quiet a >/dev/null 2>first.txt || { cat first.txt; exit 2; }
git add . && git commit -q -m "a workload and its baseline" || exit 2
class=$(basename baselines/*)
move="git mv baselines/$class/a baselines/$class/b"

# words FILE: as one line; reports wrap theirs.
words() {
	tr -s '[:space:]' ' ' <"$1"
}

is_silent_before() {
	exits 0 "$PROFILE_RUN" baseline list && lacks out.txt orphan || return 1
	exits 0 "$PROFILE_RUN" baseline check && lacks out.txt orphan
}

# is_told WHY [COMMAND]
is_told() {
	exits 0 "$PROFILE_RUN" baseline list && contains out.txt "orphan  baselines/$class/a" &&
		contains out.txt "$1" && contains out.txt "${2-$move}" || return 1
	exits 0 "$PROFILE_RUN" baseline check b && contains out.txt "$1" || return 1
	exits 0 "$PROFILE_RUN" gate --quiet b || return 1
	words reports/latest/report.txt >report.txt
	contains report.txt "Not judged: no baseline" && contains report.txt "$1" &&
		contains report.txt "'${2-$move}' keeps it"
}

update_warns() {
	exits 0 "$PROFILE_RUN" baseline update --baselines other b && lacks err.txt "no workload is named" || return 1
	cp -r baselines kept || return 1
	exits 0 "$PROFILE_RUN" baseline update b && contains err.txt "$move" || return 1
	# Now it has its own.
	exits 0 "$PROFILE_RUN" baseline check && contains out.txt "'b' has its own baseline" &&
		contains out.txt "git rm -r baselines/$class/a" || return 1
	rm -r baselines other && mv kept baselines
}

# What was advised, and then there is a baseline to compare with.
command_works() {
	$move || return 1
	exits 0 "$PROFILE_RUN" gate --quiet b || return 1
	words reports/latest/report.txt >report.txt
	lacks report.txt "There is no baseline" || return 1
	is_silent_before
}

check "a baseline with its workload is no orphan" is_silent_before
git mv workloads/a.yaml workloads/b.yaml && sed -i 's/^name: a$/name: b/' workloads/b.yaml || exit 2
check "a renamed workload's baseline is named with the command that keeps it" \
	is_told "workloads/a.yaml was renamed to workloads/b.yaml"
check "an update warns before it makes another one" update_warns
git commit -q -a -m "rename the workload" || exit 2
check "so it is once the renaming is committed" \
	is_told "workloads/a.yaml was renamed to workloads/b.yaml"
mv .git hidden
check "without git, it is found by its command" \
	is_told "it is probably of 'b', which has the same command" "mv baselines/$class/a baselines/$class/b"
sed -i 's/lt 300/lt 200/' workloads/b.yaml
without_evidence() {
	exits 0 "$PROFILE_RUN" baseline list && contains out.txt "to remove it: rm -r baselines/$class/a" || return 1
	exits 0 "$PROFILE_RUN" gate --quiet b || return 1
	words reports/latest/report.txt >report.txt
	contains report.txt "No workload has the name of baselines/$class/a: if that baseline is of this workload, 'mv"
}
check "an orphan that nothing connects with the workload is only possible" without_evidence
mv hidden .git && git checkout -q . || exit 2
check "the printed command gives the workload its baseline" command_works

# `b` measures a further metric, named b.instructions: both are in the folder of `b`.
sed -i -e 's/metric: instructions, //' -e '$a measure: [alloc, instructions]' workloads/b.yaml
check "a further metric of a workload is no orphan" is_silent_before
finish
