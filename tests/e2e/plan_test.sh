# The plan of a gate: how each workload is judged on this machine, said before anything is measured.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "the plan of a gate" gcc git
if ! can_capture; then
	skip "the plan of a gate" "perf_event_open is refused here"
	finish
fi
enter_repository
cat >work.c <<-'END'
	#include <stdlib.h>
	#ifndef ROUNDS
	#define ROUNDS 20000000
	#endif
	volatile unsigned long sink;
	__attribute__((noinline)) void spin(long n)
	{
		unsigned long x = sink;

		for (long i = 0; i < n; i++)
			x = x * 31 + i;
		sink = x;
	}
	int main(void) { spin(ROUNDS); return 0; }
END
commit_work "runs: 5, max_runs: 10"

nothing_was_measured() {
	[ ! -e reports ]
}
store() {
	exits 0 "$PROFILE_RUN" baseline update --no-counts work
}

check "without a baseline and another commit it is not judged" plan not_judged
check "which names two commands" contains plan.json "profile_run baseline update work"
check "one command measures it all the same" contains plan.json "profile_run gate work --measure-anyway"
check "and nothing was measured" nothing_was_measured
check "nor built" test ! -e work
quick() {
	local start end
	start=$(date +%s%N)
	exits 0 "$PROFILE_RUN" gate || return
	end=$(date +%s%N)
	echo "$(((end - start) / 1000000)) ms"
	contains out.txt "not judged: no baseline"
}
check "a gate of it warns at once" quick
check "without building it" test ! -e work
check "an error can be demanded" exits 2 "$PROFILE_RUN" gate --config <(
	echo 'gate: {policy: {missing_baseline: error}}'
)
check "measured anyway it has a picture" exits 0 "$PROFILE_RUN" gate --measure-anyway
check "the report has one run" test -s reports/latest/work/flamegraph.svg -a "$(grep -c '"wall_ns"' reports/latest/verdict.json)" = 1
rm -r reports

check "a baseline is recorded" store
check "the commit is recorded as clean" grep -q '"working_tree":[[:space:]]*"clean"' baselines/*/*/cpu/baseline.json
git add baselines && git commit -qm baseline
check "the program is the one of the baseline" plan same_program
git clone -q --depth 1 "file://$PWD" ../alone
cd ../alone || exit 2
check "also in a clone that lacks its commit" plan same_program
check "as the text says" exits 0 "$PROFILE_RUN" gate --quiet --plan
check "with the reason" contains out.txt "same program: all files that run are those of the baseline of"
echo data >data.bin
git add data.bin && git -c user.name=t -c user.email=t@localhost commit -qm data
check "where data have changed since, it is measured" plan stored_time
cd ../repo || exit 2
echo text >>README.md
check "a document is no change" plan same_program
sed -i '1i /* A comment. */' work.c
check "nor is a comment, though its debug information makes another file" plan same_program
git checkout -q work.c
check "measured anyway it is not asked" plan stored_time --measure-anyway
check "a gate takes no run" exits 0 "$PROFILE_RUN" gate
check "and says why" contains out.txt "same program as the baseline's: nothing to measure"
check "with its plan" grep -q '"kind":[[:space:]]*"same_program"' reports/latest/verdict.json
check "replay makes the same report of it" replays 0
rm -rf reports again README.md
sed -i 's/x \* 31/x * 33/' work.c
check "a changed program is judged by the stored time" plan stored_time
check "which takes about so long" grep -q '"seconds":[[:space:]]*[0-9.]' plan.json
counting_is_planned() {
	grep -q '"count_seconds":[[:space:]]*[0-9.]' plan.json &&
		exits 0 "$PROFILE_RUN" gate --quiet --plan && contains out.txt "; counting instructions, if needed, about "
}
if command -v valgrind >/dev/null; then
	check "and counting, by the time of its runs" counting_is_planned
else
	skip "and counting, by the time of its runs" "valgrind is missing"
fi
check "where the policy decides by time alone, none is planned" plan stored_time --config <(
	echo 'gate: {decide: none}'
)
check "as null says" grep -q '"count_seconds":[[:space:]]*null' plan.json
echo data >data.bin
git checkout -q work.c
check "a new file that a run may read is a change" plan stored_time
rm data.bin

make_foreign
git add -A && git commit -qm "another class"
check "a baseline of another class is built here" plan rebuilt_base
check "by its commit" grep -q "\"commit\":[[:space:]]*\"$first\"" plan.json
check "as the text says" exits 0 "$PROFILE_RUN" gate --quiet --plan
check "with its class" contains out.txt "the baseline is of other-class; compared with its commit ${first:0:12}, built here"
check "where that is ruled out, it is not judged" plan not_judged --config <(
	echo 'gate: {stored: {fallback: []}}'
)
check "a fallback that there is not is refused" exits 2 "$PROFILE_RUN" gate --plan --config <(
	echo 'gate: {stored: {fallback: [guess]}}'
)
check "an unchanged program is found by building both" exits 0 "$PROFILE_RUN" gate
check "which takes no run" contains out.txt "same program in both builds"
echo data >data.bin
git add data.bin && git commit -qm data
check "a file that no run uses is no change" exits 0 "$PROFILE_RUN" gate
check "by the files that the runs used" contains out.txt "same program in both builds"
rm -r reports
check "measured anyway, the same program has a picture" exits 0 "$PROFILE_RUN" gate --measure-anyway
check "the one run is not judged" contains reports/latest/verdict.json "one run was taken, for its picture"
check "and is there" test -s reports/latest/work/flamegraph.svg -a "$(grep -c '"wall_ns"' reports/latest/verdict.json)" = 1
rm -r reports
sed -i 's|gcc -O1|gcc -DFOLDER="\\"$PWD/work.c\\"" -O1|' workloads/work.yaml
sed -i 's|return 0|return *(const char *volatile){FOLDER} == 0|' work.c
git commit -qam "the folder of the build is in the program" && folder_commit=$(git rev-parse HEAD)
echo '/* A comment. */' >>work.c
check "built in another folder it is the same program" exits 0 "$PROFILE_RUN" gate --against "$folder_commit"
check "by its code" contains out.txt "same program in both builds"
git reset -q --hard HEAD~1
rm -rf reports
sed -i 's/20000000/40000000/' work.c
check "a slower one fails against the rebuilt base" exits 1 "$PROFILE_RUN" gate
check "interleaved with it" contains reports/latest/report.txt "paired mode"
check "which the report explains" contains reports/latest/report.txt "compared with its commit ${first:0:12}"
check "replay makes the same report" replays 1
rm -r again reports
git checkout -q work.c
git commit -q --allow-empty -m later

git clone -q --depth 1 "file://$PWD" ../shallow
cd ../shallow || exit 2
check "in a shallow clone the commit is missing" plan not_judged --config <(
	echo 'gate: {stored: {fallback: [rebuild]}}'
)
check "and the command that fetches it is named" contains plan.json "git fetch --depth=1 origin $first"
check "which works" git fetch -q --depth=1 origin "$first"
check "then it is built" plan rebuilt_base
cd ../repo || exit 2

git checkout -qb change
echo '/* changed */' >>work.c
git rm -qr baselines && git commit -qam change
check "without a baseline the merge base is built" plan rebuilt_base
check "the base is the merge base with the default branch" contains plan.json "the merge base with main"
check "which is not HEAD" grep -q "\"commit\":[[:space:]]*\"$(git rev-parse main)\"" plan.json
echo '/* not committed */' >>work.c
check "a baseline is recorded of a changed tree" store
check "with a warning" contains err.txt "commit first, then record it"
check "and kept as such" grep -q '"working_tree":[[:space:]]*"changed"' baselines/*/*/cpu/baseline.json
make_foreign
check "its commit is no base, but the merge base is" plan rebuilt_base
check "as it says" contains plan.json "recorded from a changed working tree"
finish
