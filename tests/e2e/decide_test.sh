# `decide: instructions` tells a function that does more from one that only takes longer.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "more work and slower work are distinguished" "perf_event_open is refused here"
	finish
fi
needs "more work and slower work are distinguished" git c++ python3 valgrind
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir project
cd project || exit 2

# work STEP FACTOR: `walk` reads memory with that step; `count`, whose name valgrind prints with its
# parameters, does that many times as many rounds
work() {
	cat >work.cc <<-END
		static unsigned memory[1 << 22];
		static volatile unsigned sink;
		extern "C" __attribute__((noinline, noclone)) void walk(unsigned step, unsigned n)
		{
			unsigned at = 0, sum = 0;
			while (n--) { sum += memory[at]; at = (at + step + (sum & 1)) & ((1 << 22) - 1); }
			sink += sum;
		}
		__attribute__((noinline)) void count(int rounds)
		{
			unsigned x = 9;
			for (int n = 0; n < $2 * rounds; n++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
			sink += x;
		}
		int main(void)
		{
			for (unsigned i = 0; i < 1 << 22; i++) memory[i] = 2 * i;
			for (int i = 0; i < 10; i++) { walk($1, 600000); count(400000); }
			return 0;
		}
	END
}
mkdir workloads
cat >workloads/work.yaml <<-'END'
	name: work
	build: c++ -O2 -g -fno-omit-frame-pointer -falign-functions=64 -falign-loops=32 -o work work.cc
	run: [./work]
	capture: {runs: 3, max_runs: 9, repeat: 1}
	gate:
	  decide: instructions
	  confirm: false
	  paired:
	    functions: {warn: 12%, fail: 20%}
END
printf 'work\nreports\n' >.gitignore
git init -q .
git config user.email nobody@example.com
git config user.name nobody
work 1 2
git add -A && git commit -qm base
work 50021 4
git commit -qam slower

verdict() {
	python3 - "$@" <<-'END'
		import json, sys
		workload = json.load(open("reports/latest/verdict.json"))["workloads"][0]
		findings = {f["subject"]: f for f in workload["findings"]}
		print(json.dumps(workload["findings"], indent=1))
		def more(name):
		    counted = findings[name]["causes"]["instructions"]
		    return counted["after"] / counted["before"] - 1
		for claim in sys.argv[1:]:
		    assert eval(claim), claim
	END
}

check "a function that does twice as much fails" exits 1 "$PROFILE_RUN" gate --against HEAD~1
check "it executes twice the instructions" verdict 'findings["count"]["status"] == "fail"' \
	'0.9 < more("count") < 1.1'
check "the report says so" contains reports/latest/report.txt "instructions: more work."
check "one whose memory is slower warns" verdict 'findings["walk"]["status"] == "warn"' \
	'findings["walk"]["causes"]["code"] == "same"' 'abs(more("walk")) < 0.001'
check "and of that, too" contains reports/latest/report.txt "It executes the same instructions"
check "no counts are left" test ! -e reports/latest/work/instructions
finish
