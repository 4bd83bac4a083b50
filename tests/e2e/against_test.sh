# A gate against another build of the same program: a commit, a folder, a map of programs.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

if ! can_capture; then
	skip "a slower function fails the gate" "perf_event_open is refused here"
	finish
fi
needs "a slower function fails the gate" git cc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir project
cd project || exit 2

# slow_by PERCENT: makes the program whose `walk`, a third of it, is slower by that much.
slow_by() {
	cat >work.c <<-END
		#define ROUNDS 14
		static volatile unsigned sink;
		static unsigned long spin(unsigned long n, unsigned x)
		{
			while (n--) {
				x ^= x << 13; x ^= x >> 17; x ^= x << 5;
			}
			return x;
		}
		__attribute__((noinline)) void walk(void) { sink += spin(1800000ul * (100 + $1) / 100, 7); }
		__attribute__((noinline)) void parse(void) { sink += spin(1900000, 9); }
		__attribute__((noinline)) void print(void) { sink += spin(2000000, 11); }
		int main(void)
		{
			for (int i = 0; i < ROUNDS; i++) { walk(); parse(); print(); }
			return 0;
		}
	END
}
# Alike in both: the loop in each is a copy of the same code, aligned alike.
cat >Makefile <<-'END'
	work: work.c; $(CC) -O2 -g -fno-omit-frame-pointer -falign-functions=64 -falign-loops=32 -o $@ $< && echo built >>$(BUILDS)
END
mkdir workloads
cat >workloads/work.yaml <<-'END'
	name: work
	build: make -s work
	run: [./work]
	capture: {runs: 5, max_runs: 12, repeat: 1}
	gate:
	  paired:
	    functions: {warn: 8%, fail: 12%}
	    total: {warn: 12%, fail: 25%}
END
printf '%s\n' work reports '*.txt' .check.log __pycache__ >.gitignore
export BUILDS=$PWD/../builds
git init -q .
git config user.email nobody@example.com
git config user.name nobody
slow_by 0
git add -A && git commit -qm base
slow_by 40
git commit -qam slower

verdict() {
	python3 - "$@" <<-'END'
		import json, sys
		workload = json.load(open("reports/latest/verdict.json"))["workloads"][0]
		print(json.dumps(workload["findings"], indent=1))
		for claim in sys.argv[1:]:
		    assert eval(claim), claim
	END
}

check "a commit that made a function slower fails" exits 1 "$PROFILE_RUN" gate --against HEAD~1
check "the report says what it was measured against" contains reports/latest/report.txt "with HEAD~1"
check "after so many pairs" grep -qE "after [0-9]+ (of at most [0-9]+ )?pairs" reports/latest/report.txt
if command -v python3 >/dev/null; then
	check "the function is named first, and no other fails" verdict \
		'workload["mode"] == "paired"' \
		'workload["findings"][0]["subject"] == "walk"' \
		'[f["subject"] for f in workload["findings"] if f["status"] == "fail" and f["rule"] == "functions"] == ["walk"]'
else
	skip "the function is named first, and no other fails" "python3 is not installed"
fi
screen_says() { # LINE...: each is one of what was printed, as an extended regular expression
	local line
	for line; do
		grep -qxE "$line" out.txt || { cat out.txt; echo "missing: $line"; return 1; }
	done
	[ "$(wc -l <out.txt)" -le 12 ] && [ "$(wc -L <out.txt)" -le 100 ]
}
check "the first screen is enough" screen_says 'FAIL  work  walk \+[0-9.]+ % \(95 % CI [^)]*\), .*' \
	'      .*work.c:[0-9]+.*' '      confirmed by [0-9]+ interleaved pairs with HEAD~1 .*' \
	'      reports/latest/work/diff.svg' '1 of 1 workload failed, against HEAD~1 .*' \
	"Reproduce: profile_run gate --against 'HEAD~1' workloads/work.yaml  # on any machine" \
	'Accept: profile_run waive work walk  # accepts up to [0-9.]+ % for 90 days: commit config/waivers.yaml'
check "the differential flame graph is there" test -s reports/latest/work/diff.svg
check "base and head were built once each" test "$(wc -l <"$BUILDS")" -eq 2

check "the same commit passes" exits 0 "$PROFILE_RUN" gate --against HEAD
check "without a run" contains out.txt "same program in both builds: nothing to measure"
prints_json() {
	exits 0 "$PROFILE_RUN" gate --against HEAD --json - &&
		python3 -c "import json, sys; sys.exit(json.load(open('out.txt'))['status'] != 'pass')"
}
check "the verdict is printed for programs" prints_json
# What the gate's own output goes to, its reports and what the build makes are no data.
sed -i '1i /* A comment. */' work.c
git commit -qam "a comment"
printf '%s\n' '*.txt' __pycache__ .check.log >.gitignore
rm -rf reports
check "a comment changes nothing" \
	sh -c '"$PROFILE_RUN" gate --against HEAD~1 >gate.out 2>&1 && grep "nothing to measure" gate.out'
git status --porcelain >status.txt
check "reports are not committed by accident" lacks status.txt reports
rm gate.out
echo 1 >data.json
check "a new file that no run reads is none either" exits 0 "$PROFILE_RUN" gate --against HEAD~1
check "as no run was taken" contains out.txt "same program in both builds: nothing to measure"
rm data.json
git checkout -q .gitignore
git reset -q --hard HEAD~1
check "and is measured where that is requested" exits 0 "$PROFILE_RUN" gate --against HEAD \
	--runs 4 --max-runs 4 --measure-anyway
check "as what it is" contains reports/latest/report.txt "same program as the base"
(echo '/* nothing */'; cat work.c) >commented.c && mv commented.c work.c
check "a changed comment passes" exits 0 "$PROFILE_RUN" gate --against HEAD
check "without a run as well" contains out.txt "nothing to measure"
git checkout -q work.c
builds=$(wc -l <"$BUILDS")
"$PROFILE_RUN" gate --against HEAD~1 --runs 3 --max-runs 3 --budget 20s >out.txt 2>err.txt
check "the base is not built again" test "$(wc -l <"$BUILDS")" -le $((builds + 1))

mkdir -p ../other
git -C "$PWD" show HEAD~1:work.c >../other/work.c
(cd ../other && cc -O2 -g -fno-omit-frame-pointer -o work work.c)
check "a folder with another build does" exits 1 "$PROFILE_RUN" gate --against ../other
echo './work: ../other/work' >../map.yaml
check "and so does a map of programs" exits 1 "$PROFILE_RUN" gate --against ../map.yaml
if command -v python3 >/dev/null; then
	cat >workloads/script.yaml <<-'END'
		name: script
		run: [python3, run.py]
		capture: {runs: 3, max_runs: 6, repeat: 1}
	END
	printf 'import part\npart.work()\n' >run.py
	printf 'def work():\n    sum(i * i for i in range(300000))\n' >part.py
	git add -A && git commit -qm script
	check "an unchanged script passes" exits 0 "$PROFILE_RUN" gate script --against HEAD
	check "without a run" contains out.txt "nothing to measure"
	echo '# a change of what the script loads' >>part.py
	"$PROFILE_RUN" gate script --against HEAD >out.txt 2>err.txt
	check "one that loads a changed script is measured" \
		grep -q "[3-6] pairs of runs" reports/latest/report.txt
	check "as another program" lacks reports/latest/report.txt "same program"
else
	skip "a script's program is identified by what it loads" "python3 is not installed"
fi
check "a commit that is not there is reported" exits 2 "$PROFILE_RUN" gate --against no-such-branch
check "with what to do about it" contains err.txt "fetch"
check "an option is no commit" exits 64 "$PROFILE_RUN" gate --against=--all
finish
