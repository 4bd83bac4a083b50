# Pairs end at the first look that decides, also with `confirm: false`, and a workload that fails takes no
# more for what else is suspected.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a decided workload ends" "perf_event_open is refused here"
	finish
fi
needs "a decided workload ends" cc python3
mkdir base head
cat >work.c <<'END'
static volatile unsigned sink;
static unsigned long spin(unsigned long n, unsigned x)
{
	while (n--) {
		x ^= x << 13; x ^= x >> 17; x ^= x << 5;
	}
	return x;
}
__attribute__((noinline)) void walk(void) { sink += spin(WALK, 7); }
__attribute__((noinline)) void parse(void) { sink += spin(PARSE, 9); }
int main(void)
{
	for (int i = 0; i < 40; i++) { walk(); parse(); }
	return 0;
}
END
cat >base/work.yaml <<'END'
name: work
run: [./work]
capture: {runs: 10, max_runs: 30, callgraph: fp, repeat: 1}
gate: {functions: {warn: 3%, fail: 5%}, confirm: false, policy: {self_check: pass}, decide: none}
END
cp base/work.yaml head/
cc -O2 -g -fno-omit-frame-pointer -DWALK=700000 -DPARSE=700000 -o base/work work.c
# One is four times as slow; 5 % more of the other is at its threshold.
cc -O2 -g -fno-omit-frame-pointer -DWALK=2800000 -DPARSE=735000 -o head/work work.c
cd head || exit 2
check "a fourfold slowdown fails" exits 1 "$PROFILE_RUN" gate work.yaml --against ../base \
	--reports ../reports
check "after the first block of pairs, whatever else is suspected" python3 - <<'END'
import json
work = json.load(open("../reports/latest/verdict.json"))["workloads"][0]
assert [look["pairs"] for look in work["looks"]] == [6], work["looks"]
status = {f["subject"]: f["status"] for f in work["findings"]}
assert status["walk"] == "fail", status
assert status.get("parse") != "fail", status
END
finish
