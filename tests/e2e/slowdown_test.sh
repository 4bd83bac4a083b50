# A function of about 30 % made 30 % slower: the gate must fail and name it first.
#
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a slower function fails the gate" "perf_event_open is refused here"
	finish
fi
here=$PWD
cd "$ROOT" || exit 2
check "a baseline is stored" exits 0 "$PROFILE_RUN" baseline update --no-counts known_split --runs 5 \
	--baselines "$here/baselines"
gate() {
	DEMO_SLOWDOWN=30 "$PROFILE_RUN" gate known_split --runs 5 --max-runs 15 \
		--baselines "$here/baselines" --reports "$here/reports" >"$here/gate.txt" 2>&1
	local status=$?
	cat "$here/gate.txt"
	[ "$status" -eq 1 ]
}
check "the gate exits with 1" twice gate
make -s -C workloads known_split >/dev/null
rm -f out.txt err.txt .check.log
cd "$here" || exit 2

first_failure() {
	grep -m1 '<failure' -B1 reports/latest/junit.xml
	grep -m1 -i 'fail.*thirty_percent' gate.txt
}
check "the report names the function" first_failure
first_finding() {
	python3 - <<-'END'
		import json
		finding = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"][0]
		print(finding)
		assert finding["status"] == "fail" and finding["subject"] == "thirty_percent"
	END
}
if command -v python3 >/dev/null; then
	check "it is the first finding" first_finding
else
	skip "it is the first finding" "python3 is not installed"
fi
check "the differential flame graph is there" test -s reports/latest/known_split/diff.svg
finish
