# A baseline recorded on a busy machine: disturbed runs are repeated, and those that are disturbed all
# the same are stored with a warning and their number. Runs have a raised priority where that is permitted.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a busy baseline says so" "perf_event_open is refused"
	finish
fi
cat >spins.yaml <<-'END'
	name: spins
	run: [sh, -c, 'nice >>nices; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done']
	capture: {runs: 3, max_runs: 9, warmup: 0, repeat: 1}
END
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
loops=()
for ((i = 0; i < 3; i++)); do
	taskset -c "$cpu" timeout 120 sh -c 'while :; do :; done' &
	loops+=($!)
done
trap 'kill "${loops[@]}" 2>/dev/null' EXIT
# At a priority that was set, which stays; but for the last one.
priority=(nice -n 1)
update() {
	"${priority[@]}" timeout 100 "$PROFILE_RUN" baseline update --no-counts spins.yaml --pin "$cpu" \
		--baselines baselines --verbose "$@" >out.txt 2>err.txt
}
priorities() {
	sort -u nices
}
json() {
	grep -qE "\"$1\":[[:space:]]*$2," "$(find baselines -name baseline.json)"
}

check "a baseline of a busy machine is stored" update
check "(its runs were repeated)" contains err.txt "disturbed by other load, will be repeated"
check "(no more of them than are wanted)" test "$(grep -c 'disturbed by other load, will be repeated' err.txt)" = 3
check "(a warning says so, and the remedy)" contains err.txt \
	"3 of the baseline's 3 runs lost more than 10 % of their CPU time to other load, also when repeated"
check "(also how)" contains err.txt "baseline update --replace --wait-quiet 10m --baselines baselines --pin $cpu spins.yaml"
check "(the result, too)" contains out.txt "stored with 3 runs, 3 of them disturbed"
check "(their number is stored)" json disturbed_runs 3
check "(and shown)" bash -c "'$PROFILE_RUN' baseline show --baselines baselines | grep -q 'disturbed  3 of 3 runs'"
check "the wait for a quiet machine ends" update --replace --wait-quiet 2s
check "(with a warning)" contains err.txt "did not become quiet in time"
check "(runs have the priority of profile_run)" test "$(priorities)" = "$(nice -n 1 nice)"
priority=()
rm nices
if [ "$(nice)" = 0 ] && [ "$(nice -n -20 nice 2>/dev/null)" = -20 ]; then
	# Gates of other tests may run at the same priority.
	check "where a priority may be raised, a baseline is stored" update --replace
	check "(its runs were raised)" test "$(priorities)" = -20
else
	skip "runs have a raised priority" "raising the priority is not permitted"
fi
kill "${loops[@]}" 2>/dev/null
finish
