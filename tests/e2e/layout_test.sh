# A gate against a commit knows what became of the machine code: what no change of code can have
# made slower warns, and of a function that changed it is said.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a changed function is reported" "perf_event_open is refused here"
	finish
fi
needs "a changed function is reported" git cc python3
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir project
cd project || exit 2

# work AHEAD ROUNDS: a program with AHEAD in front of its functions
work() {
	cat >work.c <<-END
		#include <stdio.h>
		static volatile unsigned sink;
		$1
		__attribute__((noinline)) void parse(unsigned long n)
		{
			unsigned x = 7;
			while (n--) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
			sink += x;
		}
		__attribute__((noinline)) void print(unsigned long n)
		{
			unsigned x = 9;
			while (n--) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
			for (n = 0; n < $2; n++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }
			sink += x;
		}
		int main(void)
		{
			unsigned long n = 0;
			FILE *input = fopen("input", "r");
			if (!input || fscanf(input, "%lu", &n) != 1) return 1;
			fclose(input);
			for (int i = 0; i < 20; i++) { parse(n); print(2000000); }
			return 0;
		}
	END
}
mkdir workloads
cat >workloads/work.yaml <<-'END'
	name: work
	build: cc -O2 -g -fno-omit-frame-pointer -falign-functions=64 -falign-loops=32 -o work work.c
	run: [./work]
	capture: {runs: 4, max_runs: 8, repeat: 1}
	gate:
	  paired:
	    functions: {warn: 12%, fail: 20%}
	    total: {warn: 12%, fail: 20%}
END
printf 'work\nreports\n' >.gitignore
git init -q .
git config user.email nobody@example.com
git config user.name nobody
work "" 0
echo 2000000 >input
git add -A && git commit -qm base
work '__attribute__((used)) int unrelated(int x) { return x / 3 + 5; }' 0
git commit -qam "an unrelated function"

no_failure() {
	"$PROFILE_RUN" gate --against "$1" >out.txt 2>err.txt
	local status=$?
	cat out.txt err.txt
	[ $status -eq 0 ] || [ $status -eq 3 ]
}
verdict() {
	python3 - "$@" <<-'END'
		import json, sys
		workload = json.load(open("reports/latest/verdict.json"))["workloads"][0]
		findings = {f["subject"]: f for f in workload["findings"]}
		print(json.dumps(workload["findings"], indent=1))
		for claim in sys.argv[1:]:
		    assert eval(claim), claim
	END
}

check "an unrelated function fails nothing" no_failure HEAD~1
echo 3600000 >input
git commit -qam "more to parse"
"$PROFILE_RUN" gate --against HEAD~1 >out.txt 2>err.txt
check "where no code changed a slower function warns" verdict \
	'findings["parse"]["status"] == "warn"' \
	'findings["parse"]["causes"]["code"] == "same"' \
	'findings["parse"]["causes"]["unreachable"]' \
	'findings["parse"]["causes"]["changed_input"].startswith("input (8 B, other contents)")'
check "the report says why" contains reports/latest/report.txt \
	"No function that changed is on any sampled path to it."
check "and names the input, not layout" lacks reports/latest/report.txt "layout"
work '__attribute__((used)) int unrelated(int x) { return x / 3 + 5; }' 1600000
git commit -qam "more to print"
check "a function that does more fails" exits 1 "$PROFILE_RUN" gate --against HEAD~1
check "its code changed" verdict \
	'findings["print"]["status"] == "fail"' \
	'findings["print"]["causes"]["code"] == "changed"' \
	'not findings["print"]["causes"]["unreachable"]'
check "the report says so" contains reports/latest/report.txt "Its machine code changed."
check "it is named where it is here" lacks reports/latest/report.txt "/cache/profile_run/"
finish
