# A function of about 30 % made 30 % slower: the gate must fail and name it first.
# shellcheck disable=SC2317  # functions are called through check
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a slower function fails the gate" "perf_event_open is refused here"
	finish
fi
needs "a slower function fails the gate" git
mkdir project
cp -r "$ROOT/workloads" "$ROOT/config" project/
rm -rf project/workloads/bin
sed -i 's|^run: .*bin/known_split|&, --rounds, "20000"|' project/workloads/known_split.yaml
echo 'capture: {repeat: 1}' >>project/workloads/known_split.yaml
export XDG_CACHE_HOME=$PWD/cache
cd project || exit 2
git init -q . && printf '/reports/\n/baselines/\nout.txt\nerr.txt\n.check.log\ngate.txt\n' >>.gitignore && commit one
check "a baseline is stored" exits 0 "$PROFILE_RUN" baseline update --no-counts known_split
sed -i 's/^DEMO_SLOWDOWN ?= 0/DEMO_SLOWDOWN ?= 30/' workloads/Makefile && commit two || exit 2
gate() {
	"$PROFILE_RUN" gate known_split >gate.txt 2>&1
	local status=$?
	cat gate.txt
	[ "$status" -eq 1 ]
}
check "the gate exits with 1" gate

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
