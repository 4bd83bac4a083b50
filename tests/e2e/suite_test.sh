# Suites: each benchmark of an unmodified program is a workload, by google-benchmark, by go test and by
# commands of the user's own. A slower function is found in each benchmark that uses it, costs are
# those of an iteration, and what a program lists is not trusted.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a suite is measured" "perf_event_open is refused here"
	finish
fi
needs "a suite is measured" cc git make

begin_suites

# By hand: a list, and a run by name. A name goes through no shell.
cat >own.c <<'END'
#include <stdio.h>
#include <string.h>

#ifndef WORK
#define WORK 30000000
#endif

static volatile unsigned sink;

static __attribute__((noinline)) void used(void)
{
	for (unsigned i = 0; i < WORK; i++)
		sink += i;
}

static __attribute__((noinline)) void other(void)
{
	for (unsigned i = 0; i < 30000000; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		puts("A<int, 8>/$(touch pwned)'\"\nother/x");
	else if (strcmp(argv[1], "other/x") == 0)
		other();
	else if (strcmp(argv[1], "A<int, 8>/$(touch pwned)'\"") == 0)
		used();
	else
		return 3;
	return 0;
}
END
cat >workloads/own.yaml <<'END'
name: own
build: mkdir -p bin && cc -O1 -g -o bin/own own.c
suite: {list: [bin/own], run: [bin/own, "{name}"]}
capture: {runs: 3, repeat: 2}
gate: {functions: {fail: 25%}}
END
commit first
echo words >README
commit documentation
check "a documentation commit passes, and nothing is measured" \
	exits 0 "$PROFILE_RUN" gate own --against HEAD~1
check "each benchmark passes by name" contains reports/latest/report.txt "own/other/x: pass"
check "and is the same program" contains out.txt "same program in both builds: nothing to measure"
check "nothing ran what a name holds" test ! -e pwned
sed -i 's/define WORK 30000000/define WORK 60000000/' own.c
commit slower
check "a slower function fails" exits 1 "$PROFILE_RUN" gate own --against HEAD~1
check "in the benchmark that uses it" grep -qE "^FAIL +own/A<.*used" out.txt
check "and not in the other one" lacks out.txt "FAIL  own/other"
check "one benchmark is measured by its name" \
	exits 1 "$PROFILE_RUN" gate "own/A<int, 8>/\$(touch pwned)'\"" --against HEAD~1
check "and no other one" lacks out.txt own/other
check "a report is judged again" exits 1 "$PROFILE_RUN" replay reports/latest
check "a benchmark that is not there is an error that says so" \
	exits 2 "$PROFILE_RUN" gate own/none --against HEAD~1
check "of the suite" contains out.txt "none of the 2 benchmarks that the suite lists is 'none'"
check "a plan builds nothing, and says why it is short" exits 0 "$PROFILE_RUN" gate own --plan
check "by a line for the suite" contains out.txt "suite: benchmarks are listed after the build"

# What a program lists is hostile.
lists() { # NAME COMMAND: a suite whose list is what a shell command prints.
	printf 'name: %s\nsuite: {list: [sh, -c, %s], run: ["true", "{name}"]}\n' "$1" "'$2'" \
		>"workloads/$1.yaml"
}
lists escapes 'printf "a\\033[31m\\n"'
lists large 'head -c 100000 /dev/zero | tr "\\0" x'
lists many 'seq 100000'
lists endless 'yes'
lists nothing 'true'
lists fails 'echo a; exit 7'
check "lists that cannot be are errors" \
	exits 2 "$PROFILE_RUN" gate escapes large many endless nothing fails --against HEAD~1
for line in "name with control characters" "name of 100000 bytes" "has 100000 benchmarks" \
	"list of benchmarks has 16 MiB" "lists no benchmark" "exited with status 7"; do
	check "one says: $line" grep -qF "$line" out.txt err.txt
done
rm workloads/{escapes,large,many,endless,nothing,fails}.yaml

# A baseline of each, and one that vanishes.
check "baselines are stored" exits 0 "$PROFILE_RUN" baseline update --no-counts own
check "in folders of safe names" test -d baselines/*/own@other_x-*/cpu
check "a gate by the baselines measures nothing of the same program" \
	exits 0 "$PROFILE_RUN" gate own
sed -i 's/\\nother\/x"/"/' own.c
commit "a benchmark less"
check "a gate goes on without it" exits 0 "$PROFILE_RUN" gate own
check "a warning names a benchmark that vanished" contains err.txt "no longer listed: 'baselines/"
check "a gate against the commit before goes on, too" exits 0 "$PROFILE_RUN" gate own --against HEAD~1
check "and warns of the benchmark" contains err.txt "lists this benchmark, the working tree does not"

# google-benchmark
if ! has_google_benchmark; then
	skip "google-benchmark is measured" "libbenchmark-dev is not installed"
else
	cat >suite.cc <<'END'
#include <benchmark/benchmark.h>

#ifndef WORK
#define WORK 1000
#endif

static volatile unsigned sink;

static __attribute__((noinline)) void used()
{
	for (unsigned i = 0; i < WORK; i++)
		sink = sink + i;
}

static __attribute__((noinline)) void load_tables()
{
	for (unsigned i = 0; i < 5000000; i++)
		sink = sink + i;
}

template <class T, int N> static void BM_Used(benchmark::State &state)
{
	for (auto _ : state)
		used();
}

static void BM_Fails(benchmark::State &state)
{
	state.SkipWithError("no data");
	for (auto _ : state)
		;
}

BENCHMARK_TEMPLATE(BM_Used, int, 8)->Arg(3);
BENCHMARK(BM_Fails);
#ifdef NEW
static void BM_New(benchmark::State &state)
{
	for (auto _ : state)
		used();
}
BENCHMARK(BM_New);
#endif

int main(int argc, char **argv)
{
	if (argc > 2)
		load_tables();
	benchmark::Initialize(&argc, argv);
	return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 0;
}
END
	cat >workloads/google.yaml <<'END'
name: google
build: mkdir -p bin && g++ -O1 -g -o bin/suite suite.cc -lbenchmark -lpthread
suite: google-benchmark
run: [bin/suite, --benchmark_min_time=0.1]
capture: {runs: 3, repeat: 1}
gate: {functions: {fail: 40%}}
END
	commit google
	sed -i 's/define WORK 1000/define WORK 2000\n#define NEW/' suite.cc
	commit slower
	check "its kind is found, and its benchmarks are timed" exits 0 "$PROFILE_RUN" init --suite \
		--workload found --build "$(sed -n 's/^build: //p' workloads/google.yaml)" -- bin/suite
	check "one by one" grep -qE "^ +[0-9]+\.[0-9]+ s  BM_Used<int, 8>/3$" out.txt
	check "and why one fails" contains out.txt "fails  BM_Fails: the benchmark failed: 'no data'"
	check "what is written is measured" exits 0 "$PROFILE_RUN" gate found/BM_New --measure-anyway
	rm -r config workloads/found.yaml
	check "a slower function of a benchmark fails" \
		exits 1 "$PROFILE_RUN" gate google --against HEAD~1
	check "costs are those of an iteration" grep -qE "per iteration" out.txt
	check "a benchmark that fails is an error that says why" \
		contains out.txt "the benchmark failed: 'no data'"
	check "a warning names a new benchmark" contains err.txt "google/BM_New: new benchmark: nothing to compare"
	check "what main() does before is not compared" \
		lacks reports/latest/google@BM_Used_int__8__3-*/folded.txt load_tables
	check "stacks begin at the benchmark" \
		grep -qE "^suite;BM_Used<int, 8>;used " reports/latest/google@BM_Used_int__8__3-*/folded.txt
	if command -v valgrind >/dev/null; then
		# Runs differ in their iterations; counts are those of one.
		sed -i 's/^capture:.*/include: ["BM_Used*"]\nmeasure: [instructions]/' workloads/google.yaml
		check "instructions are counted by iteration" \
			exits 1 "$PROFILE_RUN" gate google --against HEAD~1
		check "so that twice the work is twice as many" \
			grep -qE "whole program (\+(9[5-9]|10[0-3])|(1\.9[5-9]|2\.0[0-3])x)" out.txt
		git checkout -q workloads/google.yaml
	fi
fi

# go test
if ! command -v go >/dev/null; then
	skip "go test is measured" "go is not installed"
	finish
fi
mkdir gosuite
cat >gosuite/a.go <<'END'
package a

var sink uint32

//go:noinline
func Used(n uint32) {
	for i := uint32(0); i < n; i++ {
		sink = sink*1664525 + i
	}
}
END
cat >gosuite/a_test.go <<'END'
package a

import "testing"

func BenchmarkUsed(b *testing.B) {
	b.Run("n=1.5", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			Used(2000)
		}
	})
	b.Run("fails", func(b *testing.B) { b.Fatal("no data") })
}
END
printf 'module example.org/a\n\ngo 1.19\n' >gosuite/go.mod
cat >workloads/go.yaml <<'END'
name: go
build: mkdir -p bin && cd gosuite && GOFLAGS= go test -c -o ../bin/a.test .
suite: go
run: [bin/a.test, -test.benchtime=100ms]
capture: {runs: 3, repeat: 1}
gate: {functions: {fail: 40%}}
END
commit go
sed -i 's/i < n; i/i < 2*n; i/' gosuite/a.go
commit slower
check "a folder of Go is a suite" exits 0 "$PROFILE_RUN" init --suite gosuite
check "with its own build" contains workloads/gosuite_bench.yaml "go test -c -buildvcs=false -trimpath"
check "a benchmark within a benchmark is listed" contains out.txt "BenchmarkUsed/n=1.5"
rm -r config workloads/gosuite_bench.yaml gosuite/gosuite.test
check "a slower function of a Go benchmark fails" exits 1 "$PROFILE_RUN" gate go --against HEAD~1
check "in a benchmark within a benchmark" grep -qE "^FAIL +go/BenchmarkUsed/n=1.5 .*Used" out.txt
check "and one that fails is an error" grep -qE "^ERROR +go/BenchmarkUsed/fails" out.txt
finish
