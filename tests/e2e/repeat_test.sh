# Commands of milliseconds: a run is many executions of them, and costs are those of one.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "short commands" "this machine does not let us sample"
	finish
fi

# Some 3 ms, of which lex takes ROUNDS parts and build ten.
compile() { # ROUNDS INTO
	mkdir -p "$(dirname "$2")"
	cat >short.c <<-END
		static volatile unsigned long sink;
		#define WORK(name) __attribute__((noinline)) void name(long n) { \
			unsigned long x = n; \
			while (n--) { x ^= x << 13; x ^= x >> 7; x ^= x << 17; } \
			sink += x; }
		WORK(lex) WORK(build)
		int main(void) { lex($1 * 100000L); build(10 * 100000L); return 0; }
	END
	gcc -O1 -g -fno-omit-frame-pointer -o "$2" short.c
}

# value EXPRESSION: of the newest verdict.json.
value() {
	python3 -c "import json, sys
w = json.load(open('reports/latest/verdict.json'))['workloads'][0]
print($1)"
}

mkdir -p workloads
compile 10 base/short && compile 10 now/short || exit 2
cat >workloads/short.yaml <<-END
	name: short
	run: [now/short]
	capture: {runs: 3, max_runs: 6, callgraph: fp}
	gate: {policy: {missing_baseline: fail}}
END
cat >base.yaml <<-END
	now/short: base/short
END

runs_are_usable() {
	exits 0 "$PROFILE_RUN" baseline update --no-counts --quiet || return 1
	exits 0 "$PROFILE_RUN" gate --measure-anyway || return 1
	contains err.txt "executions make a run" && contains reports/latest/report.txt " executions" || return 1
	value "[r['executions'] for r in w['candidate_runs']]" >executions
	value "min(r['samples'] for r in w['candidate_runs'])" >samples
	cat executions samples
	# As many as the baseline has, where they still take as long.
	[ "$(value "min(r['executions'] for r in w['candidate_runs'])")" -ge 20 ] &&
		[ "$(cat samples)" -ge 500 ]
}

is_the_cost_of_one() {
	local cost
	cost=$(value "sum(r['cost_total'] for r in w['candidate_runs']) / len(w['candidate_runs']) / 1e6")
	# shellcheck disable=SC2016
	perf stat -x, -r 20 -e task-clock:u now/short 2>perf.csv || return 1
	echo "$cost ms per execution; $(cat perf.csv)"
	awk -F, -v c="$cost" '/task-clock/ { exit !(c > 0.6 * $1 && c < 2.5 * $1) }' perf.csv
}

# A lex of 20 parts takes twice its time, and the program's growth is that: starting it costs as much
# as before, which on some machines is half of all.
is_found_in_pairs() {
	compile 20 now/short || return 1
	sed -i 's/callgraph/repeat: 40, callgraph/' workloads/short.yaml
	"$PROFILE_RUN" gate --runs 5 --against base.yaml >out.txt 2>err.txt
	local status=$?
	cat out.txt err.txt
	# A line of the report may end between the words.
	tr -s '[:space:]' ' ' <reports/latest/report.txt >words.txt
	[ $status -eq 1 ] && contains words.txt "per execution" &&
		contains reports/latest/report.txt "lex (self)" || return 1
	value "[f['effect'] for f in w['findings'] if f['subject'] == 'lex'][0]" >effect
	near "$(value "100 * $(cat effect)['change']")" 100 25 || return 1
	near "$(value "100 * w['comparison']['whole']['change']")" \
		"$(value "100 * $(cat effect)['change'] * $(cat effect)['before_share']")" 10 || return 1
	# So does the growth of its lines, in milliseconds of one execution: they are parts of it.
	value "[f['reason'] for f in w['findings'] if f['subject'] == 'lex'][0]" |
		sed -n 's/.*[ms] of +\([0-9.]*\) ms.*/\1/p' >growth
	near "$(cat growth)" "$(value "($(cat effect)['after_cost'] - $(cat effect)['before_cost']) / 1e6")" 0.006
}

fails_in_its_fifth() {
	cat >workloads/short.yaml <<-END
		name: short
		run: "echo x >>times.log; [ \$(wc -l <times.log) -lt 5 ] || { echo no room >&2; exit 7; }"
		capture: {runs: 3, max_runs: 6, warmup: 0, callgraph: fp, repeat: 8}
	END
	exits 2 "$PROFILE_RUN" gate --measure-anyway || return 1
	contains err.txt "exited with status 7" && contains err.txt "no room" &&
		contains err.txt "in execution 5 of 8 of the run" && [ "$(wc -l <times.log)" -eq 5 ]
}

# A command of a user may do something each time.
is_captured_once_unless_told() {
	rm -f times.log
	exits 0 "$PROFILE_RUN" capture -F 4999 -o once -- \
		sh -c 'echo x >>times.log; exec base/short' || return 1
	[ "$(wc -l <times.log)" -eq 1 ] && contains out.txt "Capture with --repeat auto" || return 1
	exits 0 "$PROFILE_RUN" capture -F 4999 --repeat auto -o often -- base/short || return 1
	contains out.txt "1 run of " && contains often/flamegraph.svg " executions"
}

check "runs of a command of milliseconds have samples enough, and the gate passes" runs_are_usable
if command -v perf >/dev/null; then
	check "a cost is that of one execution" is_the_cost_of_one
else
	skip "a cost is that of one execution" "perf is not there"
fi
check "a build that is 50 % slower is found in pairs, per execution" is_found_in_pairs
check "an execution that fails is named by its number" fails_in_its_fifth
check "a command is captured once unless it is to be repeated" is_captured_once_unless_told
finish
