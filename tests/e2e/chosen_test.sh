# A function of which the program chooses one of several as it is loaded (STT_GNU_IFUNC) is one function for
# comparing, though no name says that they belong together.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a chosen function" gcc git python3
if ! can_capture; then
	skip "a chosen function" "perf_event_open is refused here"
	finish
fi
enter_repository
cat >work.c <<-'END'
	volatile unsigned long sink;
	volatile int pick = 1;
	typedef void sums(long);
	__attribute__((noinline)) static void quick(long n) { for (long i = 0; i < n; i++) sink += i; }
	__attribute__((noinline)) static void plain(long n)
	{
		for (long i = 0; i < n; i++) { sink += 3 * i; sink ^= i; sink += i; }
	}
	static sums *choose(void) { return pick ? quick : plain; }
	void add(long n) __attribute__((ifunc("choose")));
	__attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += 5 * i; }
	int main(void) { spin(50000000); add(50000000); return 0; }
END
gcc -O1 -o work work.c 2>/dev/null || { skip "a chosen function" "no indirect functions here"; finish; }
commit_work "runs: 5, max_runs: 10"
check "a baseline is recorded" exits 0 "$PROFILE_RUN" baseline update --no-counts work
check "it keeps which functions are chosen" grep -q '"quick => add"' baselines/*/*/cpu/baseline.json
sed -i 's/pick = 1/pick = 0/' work.c

one_function() {
	python3 - <<-'END'
		import json
		findings = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"]
		print(json.dumps(findings, indent=1))
		assert not [f for f in findings if f["subject"] in ("quick", "plain", "choose")]
		add = [f for f in findings if f["subject"] == "add" and f["of"] == "self"][0]
		assert add["status"] == "fail" and add["effect"]["change"] > 0.5, add
		assert (add["causes"]["variant_before"], add["causes"]["variant_after"]) == ("quick", "plain"), add
	END
}

stored() { # a busy machine may leave it undecided
	"$PROFILE_RUN" gate --config <(echo 'gate: {stored: {confirm: false}, decide: none}')
	python3 - <<-'END'
		import json
		findings = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"]
		print(json.dumps(findings, indent=1))
		assert not [f for f in findings if f["subject"] in ("quick", "plain", "choose")]
		add = [f for f in findings if f["subject"] == "add" and f["of"] == "self"][0]
		assert add["effect"]["change"] > 0.5, add
	END
}
check "against it, both choices are one function that grew" stored
check "a slower choice fails beside the other" exits 1 "$PROFILE_RUN" gate --against HEAD
check "as one function that grew" one_function
check "which says which it was" contains reports/latest/report.txt "plain here, quick in the baseline"
check "replay makes the same report" replays 1
finish
