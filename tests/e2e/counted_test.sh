# Gates on counted instructions: the same build passes with every function of it as it was, and 0.1 %
# more in one function is found.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "a gate of instructions is exact" valgrind python3
mkdir here there grown
cat >here/work.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) void scan(void) { for (unsigned i = 0; i < 60000; i++) sink += i; }
__attribute__((noinline)) void parse(void) { for (unsigned i = 0; i < ROUNDS; i++) sink += i; }
__attribute__((noinline)) void print(void) { for (unsigned i = 0; i < 30000; i++) sink += i; }
int main(void) { for (int i = 0; i < 10; i++) { scan(); parse(); print(); } return 0; }
END
build() { # FOLDER ROUNDS
	"${CC:-cc}" -O1 -g -fno-inline -fno-optimize-sibling-calls -DROUNDS="$2" here/work.c \
		-o "$1/work" || exit 2
}
build here 50000
build grown 50055
cp here/work there/work
cd here || exit 2
mkdir workloads
cat >workloads/work.yaml <<'END'
name: work
run: [./work]
capture: {metric: instructions}
END

# verdict CLAIM...: of the last gate; `functions` are those of the program, by name.
verdict() {
	python3 - "$@" <<-'END'
		import json, sys
		workload = json.load(open("reports/latest/verdict.json"))["workloads"][0]
		functions = {f["name"]: f for f in workload["functions"]
			if f["name"] in ("scan", "parse", "print", "main")}
		flagged = [f["subject"] for f in workload["findings"] if f["status"] != "pass"]
		print(json.dumps([functions, workload["findings"]], indent=1))
		for claim in sys.argv[1:]:
		    assert eval(claim), claim
	END
}

check "the same build passes" exits 0 "$PROFILE_RUN" gate --against ../there --measure-anyway
check "each function has the same number on both sides" verdict 'len(functions) == 4' \
	'all(f["self"]["before_cost"] == f["self"]["after_cost"] > 0 for f in functions.values())' \
	'flagged == []' 'workload["mode"] == "paired"'
check "nothing is called a sample" lacks reports/latest/report.txt sample
mv work work.before
cp ../grown/work work
check "0.1 % more in a function is found" exits 0 "$PROFILE_RUN" gate --against ../there
check "it warns, and no other function does" verdict 'flagged == ["parse"]' \
	'0.00105 < functions["parse"]["self"]["change"] < 0.00115' \
	'functions["scan"]["self"]["before_cost"] == functions["scan"]["self"]["after_cost"]'
echo 'gate: {functions: {fail: 0.1%}}' >>workloads/work.yaml
check "it fails where that is requested" exits 1 "$PROFILE_RUN" gate --against ../there
check "and there is no need to measure it again" verdict \
	'[f["subject"] for f in workload["findings"] if f["status"] == "fail"] == ["parse"]'
mv work.before work
check "a baseline is taken" "$PROFILE_RUN" baseline update
check "and its unit is stored" grep -rqE '"unit":.*"instructions"' baselines
check "the program passes against it" exits 0 "$PROFILE_RUN" gate
check "with the same numbers" verdict 'workload["mode"] == "stored"' \
	'all(f["self"]["before_cost"] == f["self"]["after_cost"] > 0 for f in functions.values())'
cp ../grown/work work
check "and the other one fails" exits 1 "$PROFILE_RUN" gate
finish
