# Selection: of a suite, a gate measures the benchmarks that the change can reach. A benchmark that executes
# no changed function and reads no changed data passes without a run; what cannot be known is measured.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "benchmarks are selected" "perf_event_open is refused here"
	finish
fi
if [ "$(uname -m)" != x86_64 ]; then
	skip "benchmarks are selected" "machine code is compared by function on x86-64 only"
	finish
fi
needs "benchmarks are selected" cc git

begin_suites

# By hand: all that a run executes counts. Each benchmark calls by another way: `direct` by name, `pointer` by
# a variable, `table` by a table of functions, and reads one variable of its own.
cat >own.c <<'END'
#include <stdio.h>
#include <string.h>

static volatile unsigned sink;
static volatile unsigned numbers[4] = {1, 2, 3, 4};
static const char *const words[] = {"one", "two"};

static __attribute__((noinline)) unsigned work(unsigned n)
{
	for (unsigned i = 0; i < 300000; i++)
		sink += i + n;
	return n;
}

static __attribute__((noinline)) unsigned direct(unsigned n) { return work(n) + 1; }
static __attribute__((noinline)) unsigned by_pointer(unsigned n) { return work(n) + 2; }
static __attribute__((noinline)) unsigned by_table(unsigned n) { return work(n) + 3; }
__attribute__((noinline)) unsigned unused(unsigned n) { return work(n) + 4; }

unsigned (*chosen)(unsigned) = by_pointer;
static unsigned (*const table[])(unsigned) = {by_table, unused};
static __attribute__((noinline)) unsigned call_chosen(void) { return chosen(1) + 7; }
static __attribute__((noinline)) unsigned call_table(volatile unsigned i) { return table[i](1) + 7; }

static __attribute__((noinline)) unsigned read_data(void) { return work(numbers[2]); }
static __attribute__((noinline)) size_t read_words(volatile unsigned i)
{
	return strlen(words[i]) + work(i);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		puts("data\ndirect\npointer\ntable\nwords");
	else if (strcmp(argv[1], "data") == 0)
		sink = read_data();
	else if (strcmp(argv[1], "direct") == 0)
		sink = direct(1);
	else if (strcmp(argv[1], "pointer") == 0)
		sink = call_chosen();
	else if (strcmp(argv[1], "table") == 0)
		sink = call_table(0);
	else if (strcmp(argv[1], "words") == 0)
		sink = (unsigned)read_words(1);
	return 0;
}
END
cat >workloads/own.yaml <<'END'
name: own
build: mkdir -p bin && cc -O1 -g -o bin/own own.c
suite: {list: [bin/own], run: [bin/own, "{name}"]}
capture: {runs: 3, max_runs: 3, warmup: 1, repeat: 2, frequency: 4000}
gate: {total: never, functions: never}
END
commit first

# Whether these benchmarks, with a blank behind each, are measured after a change by sed, and no others.
only() { # NAMES FILE SCRIPT [OPTION...]
	local names=$1 file=$2 script=$3 suite=${2%.c*} found
	shift 3
	sed -i "$script" "$file"
	git diff --quiet && return 1
	# So few runs decide nothing.
	"$PROFILE_RUN" gate "$suite" --against HEAD "$@" >out.txt 2>err.txt || [ $? = 3 ] || return 1
	git checkout -q "$file"
	found=$(grep -oE "^$suite/[A-Za-z_/0-9]+: [0-9]+ (pairs?|runs?)" err.txt |
		sed "s|^$suite/||; s|:.*||" | sort -u | tr '\n' ' ')
	[ "$found" = "$names" ] || { echo "measured: $found"; return 1; }
}
check "a function that no benchmark executes" only "" own.c 's/+ 4; }/+ 5; }/'
check "is no reason to measure one" contains out.txt "no benchmark of 5 reaches the change"
check "the report says why" contains reports/latest/report.txt \
	"cannot reach the change: 1 function changed, none is executed or read"
check "and so does verdict.json, in the plan" grep -q '"kind":[[:space:]]*"not_reached"' reports/latest/verdict.json
wrapper=$(mktemp -d)
printf '#!/bin/sh\necho "$*" >>%s/log\nexec %s "$@"\n' "$wrapper" "$(command -v git)" >"$wrapper/git"
chmod +x "$wrapper/git"
PATH=$wrapper:$PATH "$PROFILE_RUN" gate own --against HEAD >out.txt 2>err.txt
check "a suite is looked up in git once" test "$(grep -c 'ls-files --error-unmatch' "$wrapper/log")" = 1
rm -r "$wrapper"
check "a function that is called by name" only "direct " own.c 's/+ 1; }/+ 6; }/'
check "one that is called by a variable" only "pointer " own.c 's/+ 2; }/+ 6; }/'
check "one that is called by a table" only "table " own.c 's/+ 3; }/+ 6; }/'
check "another function in that variable" only "pointer " own.c 's/chosen)(unsigned) = by_pointer/chosen)(unsigned) = unused/'
check "another function in that table" only "table " own.c 's/{by_table, unused}/{unused, by_table}/'
check "a variable that one benchmark reads" only "data " own.c 's/{1, 2, 3, 4}/{1, 2, 9, 4}/'
check "a text that a table leads to" only "words " own.c 's/"one", "two"/"one", "three"/'
check "a function that all call" only "data direct pointer table words " own.c 's/300000/300001/'
check "--all measures all" only "data direct pointer table words " own.c 's/+ 4; }/+ 5; }/' --all
sed -i 's/functions: never/functions: never, select: false/' workloads/own.yaml
commit "no selection"
check "the policy can forbid selection" only "data direct pointer table words " own.c 's/+ 4; }/+ 5; }/'

# google-benchmark: what runs ahead of the benchmark is not its own, unless it sets what that reads.
if ! has_google_benchmark; then
	skip "benchmarks of google-benchmark are selected" "libbenchmark-dev is not installed"
	finish
fi
cat >google.cc <<'END'
#include <benchmark/benchmark.h>

static volatile unsigned sink;

struct shape {
	virtual ~shape() = default;
	virtual unsigned area(unsigned n) = 0;
};
struct square : shape {
	unsigned area(unsigned n) override { return n * n; }
};
struct circle : shape {
	unsigned area(unsigned n) override { return n * 3; }
};

static __attribute__((noinline)) shape *make(bool round)
{
	if (round)
		return new circle;
	return new square;
}

static void BM_Shape(benchmark::State &state)
{
	shape *one = make(state.range(0) != 0);

	for (auto _ : state)
		sink = one->area(3);
	delete one;
}

static __attribute__((noinline)) unsigned first(unsigned n) { return n * 7; }
static unsigned filled[4];
struct filler {
	filler() { for (unsigned i = 0; i < 4; i++) filled[i] = first(i); }
} fills;

static void BM_Filled(benchmark::State &state)
{
	for (auto _ : state)
		sink = filled[2];
}

BENCHMARK(BM_Shape)->Arg(0)->Arg(1);
BENCHMARK(BM_Filled);
BENCHMARK_MAIN();
END
cat >workloads/google.yaml <<'END'
name: google
build: mkdir -p bin && g++ -O1 -g -o bin/suite google.cc -lbenchmark -lpthread
suite: google-benchmark
run: [bin/suite, --benchmark_min_time=0.02]
capture: {runs: 3, max_runs: 3, warmup: 1, repeat: 1}
gate: {total: never, functions: never}
END
commit google
check "a virtual function of one class, a constructor that fills a variable, and a new benchmark" \
	only "BM_Filled BM_Shape/1 BM_Shape/2 " google.cc \
	's/n \* 3/n * 5/; s/n \* 7/n * 9/; s/^BENCHMARK(BM_Filled);/&BENCHMARK(BM_Shape)->Arg(2);/'
check "are measured, and another class is not" \
	contains out.txt "PASS  google/BM_Shape/0  cannot reach the change"
finish
