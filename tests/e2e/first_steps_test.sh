# What somebody does first: look at a command, set up a repository, judge in it from anywhere.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

if ! can_capture; then
	skip "first steps lead somewhere" "perf_event_open is refused here"
	finish
fi
loop='i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'

# shellcheck disable=SC2016
check "a command is captured with its own options" exits 0 "$PROFILE_RUN" capture -F 999 -- \
	sh -c "$loop"
check "the folder is named" contains out.txt "Written to 'capture-sh'"
check "and has what was captured" test -s capture-sh/flamegraph.svg
check "a second one gets its own folder" exits 0 "$PROFILE_RUN" capture sh -c "$loop"
check "with a number" test -s capture-sh-2/folded.txt
check "a command that cannot be run leaves no folder" exits 2 "$PROFILE_RUN" capture -- ./nothing
check "none at all" test ! -e capture-nothing

mkdir -p repository/workloads repository/src/lib
cd repository || exit 2
git init -q .
printf 'name: loop\nrun: "%s"\ncapture: {runs: 3, max_runs: 6, repeat: 1}\n' "$loop" >workloads/loop.yaml
cd src/lib || exit 2
check "a baseline is stored from a subfolder" exits 0 "$PROFILE_RUN" baseline update --no-counts
check "which is a first session" contains out.txt "(session 1 of 5)"
check "and wants more" contains out.txt "4 more sessions are wanted"
check "or none, for a pull request" contains out.txt "profile_run gate loop --against COMMIT"
check "it says what is detectable" contains out.txt "detectable here: whole program from +"
check "and listed from there" exits 0 "$PROFILE_RUN" baseline list
check "in the store of the root" test -d ../../baselines
check "the gate finds both" exits 0 "$PROFILE_RUN" gate --reports mine
check "and takes paths as they are here" test -s mine/latest/verdict.json
check "as it does a workload's file" exits 0 "$PROFILE_RUN" capture -w ../../workloads/loop.yaml
check "the folder of a capture is made here" test -s capture-loop/perf.data
check "a report is replayed from here" exits 0 "$PROFILE_RUN" replay mine/latest -o again
check "into here" test -s again/verdict.json
cd ../../.. || exit 2
cd repository || exit 2
mkdir config
echo '- {workload: loop}' >config/waivers.yaml
check "waivers count without a configuration" exits 2 "$PROFILE_RUN" gate
check "and are checked" contains err.txt "config/waivers.yaml:1:"
rm -r config
echo baselines >.gitignore
check "a baseline that git ignores is stored" exits 0 "$PROFILE_RUN" baseline update --no-counts
check "with a warning" contains err.txt "git ignores 'baselines"
cd .. || exit 2
mkdir empty && cd empty && git init -q . || exit 2
check "without workloads the gate says what makes one" exits 2 "$PROFILE_RUN" gate
check "by name" contains err.txt "'profile_run init'"
check "init writes them" exits 0 "$PROFILE_RUN" init
check "its workload gets a baseline" exits 0 "$PROFILE_RUN" baseline update --no-counts --runs 3
check "and is judged" exits 0 "$PROFILE_RUN" gate --runs 3
# On a machine whose speed halves meanwhile, the whole program is warned of, as the same.
check "as the same program" \
	grep -qE "same program as the baseline|: both sides are the same program$" out.txt
check "while it runs, it says the verdict" grep -q '^\(pass\|warn\|undecided\)  *example' err.txt
check "and how long its runs took" grep -q '^example: [3-9] runs, [0-9.]* s$' err.txt
finish
