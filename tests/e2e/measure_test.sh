# One workload measured in two metrics: two baselines, one build, one verdict, thresholds of each.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a workload is measured in two metrics" valgrind python3 git
mkdir workloads
cat >prog.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) void scan(void) { for (unsigned i = 0; i < 400000; i++) sink += i; }
__attribute__((noinline)) void parse(void) { for (unsigned i = 0; i < ROUNDS; i++) sink += i; }
int main(void) { for (int i = 0; i < 5; i++) { scan(); parse(); } return 0; }
END
cat >build.sh <<'END'
echo built >>builds
exec "${CC:-cc}" -O1 -g -static -fno-inline -DROUNDS="$(cat rounds)" prog.c -o prog
END
echo 300000 >rounds
cat >workloads/prog.yaml <<'END'
name: prog
build: sh build.sh
run: [./prog]
measure: [cpu, instructions]
capture: {runs: 3, max_runs: 6, repeat: 12}
gate:
  functions: {warn: 90%, fail: 90%}
  total: {warn: 90%, fail: 90%}
  instructions: {functions: {fail: 0.2%}}
END
printf 'prog\nbuilds\nreports\n' >.gitignore
git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm base

# verdict CLAIM...: of the last gate; `w` has its workloads by name.
verdict() {
	python3 - "$@" <<-'END'
		import json, sys
		verdict = json.load(open("reports/latest/verdict.json"))
		w = {x["name"]: x for x in verdict["workloads"]}
		print({n: (x["status"], x["error"]) for n, x in w.items()})
		for claim in sys.argv[1:]:
		    assert eval(claim), claim
	END
}

check "baselines are taken" "$PROFILE_RUN" baseline update --no-counts
check "each metric has one, under the name of the file" \
	test -f "$(echo baselines/*/prog/instructions/baseline.json)" \
	-a -f "$(echo baselines/*/prog/cpu/baseline.json)"
check "the program is built once" test "$(wc -l <builds)" -eq 1
check "the same program passes in both" exits 0 "$PROFILE_RUN" gate
check "as two workloads of one gate" verdict 'set(w) == {"prog", "prog.instructions"}' \
	'w["prog.instructions"]["status"] == "pass"'
check "one of them is measured alone" exits 0 "$PROFILE_RUN" gate prog.instructions
check "and no other" verdict 'set(w) == {"prog.instructions"}'
echo 302000 >rounds
check "0.3 % more instructions fail" exits 1 "$PROFILE_RUN" gate
check "by the thresholds of that metric" verdict 'w["prog.instructions"]["status"] == "fail"' \
	'w["prog"]["status"] != "fail"' \
	'"parse" in [f["subject"] for f in w["prog.instructions"]["findings"] if f["status"] == "fail"]'
check "each has its pictures" test -f reports/latest/prog/diff.svg \
	-a -f reports/latest/prog.instructions/diff.svg
check "and it fails in pairs, too" exits 1 "$PROFILE_RUN" gate --against HEAD
check "where the other build is made once" verdict 'w["prog.instructions"]["mode"] == "paired"'
check "the policy of a commit holds for each metric" exits 1 "$PROFILE_RUN" gate --policy-from HEAD
sed -i 's/0.2%/5%/' workloads/prog.yaml
check "so that it is not loosened here" exits 1 "$PROFILE_RUN" gate --policy-from HEAD
check "and the change is printed once" contains out.txt "Policy changed in 1 place"
check "also where one metric is judged" exits 1 \
	"$PROFILE_RUN" gate --policy-from HEAD prog.instructions
check "which says so, too" contains out.txt "Policy changed in 1 place"
check "which it would be" exits 0 "$PROFILE_RUN" gate prog.instructions
finish
