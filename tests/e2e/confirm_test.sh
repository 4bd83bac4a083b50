# A stored gate whose baseline flags something is decided by pairs with a build of its commit.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "pairs that decide" gcc git
if ! can_capture; then
	skip "pairs that decide" "perf_event_open is refused here"
	finish
fi
enter_repository
cat >work.c <<-'END'
	#include <stdlib.h>
	#ifndef MORE
	#define MORE 1
	#endif
	volatile unsigned long sink;
	__attribute__((noinline)) void slow(long n) { for (long i = 0; i < n; i++) sink += i; }
	__attribute__((noinline)) void rest(long n) { for (long i = 0; i < n; i++) sink += i; }
	int main(void) { slow(10000000L * MORE); rest(20000000); return 0; }
END
# shellcheck disable=SC2016 # expanded by the build
commit_work "runs: 5, max_runs: 10" '${CFLAGS:-}'
check "a baseline is recorded" exits 0 "$PROFILE_RUN" baseline update --no-counts work
git add baselines && git commit -qm baseline

sed -i 's/10000000L/30000000L/' work.c
git commit -qam slower
check "a slower program fails" exits 1 "$PROFILE_RUN" gate
check "by pairs with the baseline's commit" contains err.txt "pairs with commit ${first:0:12} decide"
check "which are the report's" contains reports/latest/work/report.txt "paired mode"
says_who_decided() {
	tr -s ' \n' ' ' <reports/latest/report.txt >report.txt
	contains report.txt "by the stored baseline of" &&
		contains report.txt "pairs with its commit ${first:0:12}, built here"
}
check "and it says what flagged and what decided" says_who_decided
records_the_looks() {
	python3 -c 'import json
w = json.load(open("reports/latest/verdict.json"))["workloads"][0]
assert [f for f in w["flagged"] if f["subject"] == "slow"], w["flagged"]
assert 3 <= w["looks"][0]["pairs"] <= w["pairs_at_most"] <= 10, w["looks"]
assert sum(l["alpha"] for l in w["looks"]) < 0.0500001'
}
check "verdict.json has what was flagged, and the looks at the pairs" records_the_looks
check "the plan was the stored time" grep -q '"kind":[[:space:]]*"stored_time"' reports/latest/verdict.json
names_the_function() {
	grep -m1 '<failure' reports/latest/junit.xml | grep 'main' &&
		grep 'Grew with it: slow' reports/latest/junit.xml
}
check "the function that changed is named first, and the one that grew" names_the_function
check "replay makes the same report" replays 1

git clone -q --depth 1 "file://$PWD" ../shallow
cd ../shallow || exit 2
says_what_is_missing() {
	"$PROFILE_RUN" gate >out.txt 2>err.txt
	tr -s ' \n' ' ' <reports/latest/report.txt >report.txt
	contains report.txt "pairs could not decide it: its commit ${first:0:12} is not in this clone"
}
check "where the commit is not there, the candidate alone decides" says_what_is_missing
cd ../repo || exit 2

# The same sources with other flags: the commit, built with them, is the candidate's program.
git checkout -q "$first" -- work.c
export CFLAGS=-DMORE=3 XDG_CACHE_HOME=$PWD/../other-cache
check "what another compiler option made slower only warns" exits 0 "$PROFILE_RUN" gate
check "as the baseline's commit builds the same program" \
	contains err.txt "its compiler, libraries or options have changed"
check "it is measured alone" lacks reports/latest/report.txt "paired mode"
check "the screen says what to do" contains out.txt "builds this program: record a new baseline"
check "replay makes the same report" replays 0
finish
