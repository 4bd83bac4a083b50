# A build measured against itself, in as few pairs as it can be.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a build is measured against itself" "perf_event_open is refused here"
	finish
fi
needs "a build is measured against itself" cc
cat >work.c <<'END'
static volatile unsigned sink;
static unsigned long spin(unsigned long n, unsigned x)
{
	while (n--) {
		x ^= x << 13; x ^= x >> 17; x ^= x << 5;
	}
	return x;
}
__attribute__((noinline)) void walk(void) { sink += spin(1800000, 7); }
__attribute__((noinline)) void parse(void) { sink += spin(1900000, 9); }
int main(void)
{
	for (int i = 0; i < 12; i++) { walk(); parse(); }
	return 0;
}
END
cat >work.yaml <<'END'
name: work
build: echo built >>steps && cc -O2 -g -fno-omit-frame-pointer -o work work.c
setup: echo set up >>steps && mkdir data
teardown: echo torn down >>steps && rmdir data
run: [./work]
capture: {runs: 3, max_runs: 6, callgraph: fp, repeat: 1}
END
cat >broken.yaml <<'END'
name: broken
build: exit 3
run: [./work]
END

check "a build is measured against itself" exits 0 "$PROFILE_RUN" calibrate work.yaml --pairs 6 \
	--gates 20 --output all.json
cp out.txt text.txt
check "it is built, set up and torn down once" test "$(tr '\n' ' ' <steps)" = "built set up torn down "
for part in "6 pairs of one build" "noise of whole runs" "verdicts of 20 gates with runs: 3" \
	"pairs on average" "detectable growth by the most pairs of a gate" "whole program" "Settings of work"; do
	check "it tells: $part" contains text.txt "$part"
done
if command -v python3 >/dev/null; then
	check "the same is there for programs" python3 - <<'END'
import json
all = json.load(open("all.json"))
work = all["workloads"][0]
assert work["noise"]["pairs"] == 6
assert work["noise"]["cpu_s"] > 0
tally = work["false_alarms"]
assert tally["gates"] == 20
assert 3 <= tally["mean_pairs"] <= 6
assert sum(tally[s]["gates"] for s in ("pass", "warn", "inconclusive", "fail")) == 20
assert "walk" in [s["subject"] for s in work["power"]["subjects"]]
assert work["advice"]["runs"] >= 3
END
fi
check "a failing build is a separate error" exits 2 "$PROFILE_RUN" calibrate broken.yaml
check "it says why" contains out.txt "broken: not calibrated"
finish
