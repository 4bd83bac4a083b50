# Counted allocations: known programs have exactly the numbers that they must have, also those that
# make it hard, and a gate finds one malloc more in a loop.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

cp "$ROOT"/tests/e2e/alloc/*.c .
build() { # NAME OPTION...
	"${CC:-cc}" -O2 -g -fno-builtin -fno-optimize-sibling-calls -fomit-frame-pointer -pthread \
		"${@:2}" -o "$1" "${1%%.*}.c" || exit 2
}
for name in known threads signals forks loading own_malloc blocks; do
	build $name
done
build library.1.so -shared -fPIC -DNAME=lib_one
build library.2.so -shared -fPIC -DNAME=lib_two
build known.static -static

# counts EVENT COMMAND...: captures it; its stacks are in capture/folded.txt.
counts() {
	rm -rf capture
	exits 0 "$PROFILE_RUN" capture --quiet --metric alloc --event "$1" --output capture -- "${@:2}"
}
# sums WANTED PATTERN: what the stacks that match have together.
sums() {
	local got
	got=$(grep -E "$2" capture/folded.txt | awk '{ total += $NF } END { printf "%d", total }')
	cat capture/folded.txt
	echo "$2 has $got, expected $1"
	[ "$got" = "$1" ]
}

# known.c says what each of its functions asks for.
check "a program is captured" counts auto ./known
check "requested bytes are counted" sums 1028100 .
check "a stack has its own, inlined functions are frames" sums 24000 ';main;many;take_\[i\] [0-9]+$'
check "realloc() counts what it asks for" sums 1000600 ';main;resize [0-9]+$'
check "so do the others of the family" sums 3500 ';main;aligned [0-9]+$'
check "the report is in bytes" grep -qx 'bytes  *1,028,100' capture/report.txt
check "perf.data has the other events" "$PROFILE_RUN" analyze --input capture/perf.data \
	--event alloc:count
check "it draws a graph" "$PROFILE_RUN" flamegraph --input capture/perf.data --output graph.svg
check "in bytes" grep -qE '[0-9.]+ [KM]iB  ·  alloc:bytes' graph.svg
cp capture/folded.txt first.txt
check "a second run is captured" counts auto ./known
check "with the same stacks and bytes" cmp first.txt capture/folded.txt
check "as they are without following what is freed" counts bytes ./known
check "with the same stacks and bytes again" cmp first.txt capture/folded.txt
check "requests are counted" counts count ./known
check "all of them" sums 1008 .
check "live blocks are counted" counts live ./known
check "memory that was not freed" sums 4800 .
check "by stack" sums 4800 ';many;take_\[i\] [0-9]+$'
check "the peak is counted" counts peak ./known
check "as the most that was live at one time" sums 1024000 .
check "by stack at that moment" sums 24000 ';many;take_\[i\] [0-9]+$'

check "a program of 1,000 threads is captured" counts count ./threads 1000
check "each of them is counted" sums 100000 ';worker;take [0-9]+$'
check "a program that signals interrupt is captured" counts auto ./signals
sums_count() { "$PROFILE_RUN" convert --input capture/perf.data --event alloc:count --output capture/folded.txt && sums "$@"; }
check "all of its requests are counted" sums_count 200500 .
check "signal handlers below what they interrupted" sums 500 \
	';main;interrupted;.*;on_signal;take [0-9]+$'
check "a threaded program that forks is captured" counts count ./forks
check "its children count what they ask for" sums 18 '^forks;.*;child;take [0-9]+$'
check "executed programs are counted" sums 1008 '^known;'
check "a program that loads libraries is captured" counts auto ./loading
check "the first at an address has its bytes" sums 10000 ';use;lib_one [0-9]+$'
check "the next one at that address, too" sums 20000 ';use;lib_two [0-9]+$'

# largest COMMAND...: KiB of memory of the largest process that it waited for.
largest() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}
# Blocks of 32 bytes with their header: half of that, and 2 MiB for all else.
grows_by_half() {
	local plain counted
	plain=$(largest ./blocks 2000000) && counted=$(largest "$PROFILE_RUN" capture --quiet \
		--metric alloc --event live --output capture -- ./blocks 2000000 2>&1 | tail -n 1)
	echo "$plain KiB, counted $counted KiB"
	[ "$counted" -gt "$plain" ] && [ "$counted" -le $((plain + 2000000 / 1024 * 16 + 2048)) ]
}
check "two million live blocks take half of their memory more" grows_by_half

refused() { # TEXT COMMAND...
	exits 2 "$PROFILE_RUN" capture --metric alloc --output capture -- "${@:2}" &&
		contains err.txt "$1"
}
check "a malloc of the program's own is named" refused "it has its own malloc" ./own_malloc
check "a static program is refused" refused "linked statically" ./known.static
cp known setuid
if chown 1:1 setuid 2>/dev/null && chmod u+s setuid; then
	check "a setuid program is refused" refused "rights of another user" ./setuid
else
	skip "a setuid program is refused" "not root"
fi

# A gate: two runs that agree suffice.
mkdir workloads before
"${CC:-cc}" -O1 -g -fno-builtin -fno-inline loop.c -o before/work || exit 2
cp before/work .
cat >workloads/work.yaml <<'END'
name: work
run: [./work]
capture: {metric: alloc}
gate: {total: {fail: 0.1%}, rules: [{function: print, of: self, max_cost: 100KiB}]}
END
check "the same build passes" exits 0 "$PROFILE_RUN" gate --against before --measure-anyway
"${CC:-cc}" -O1 -g -fno-builtin -fno-inline -DEXTRA='free(malloc(24))' loop.c -o work || exit 2
check "one malloc of 24 bytes more in a loop fails" exits 1 "$PROFILE_RUN" gate --against before
check "with its function and line" grep -E 'loop\.c:[0-9]+, called from main' reports/latest/report.txt
check "and its bytes" grep -E 'parse.* KiB -> .* (KiB|MiB)' reports/latest/report.txt
check "a baseline is stored" exits 0 "$PROFILE_RUN" baseline update --no-counts
check "and judged against" exits 0 "$PROFILE_RUN" gate

# limited LIMITS STATUS EXTRA: the gate of a build that does EXTRA each time.
limited() {
	sed -i "s/^gate: .*/gate: $1/" workloads/work.yaml
	"${CC:-cc}" -O1 -g -fno-builtin -fno-inline "-DEXTRA=$3" loop.c -o work || exit 2
	exits "$2" "$PROFILE_RUN" gate --against before
}
leak='{leaks: 200B, total: never, functions: never}'
check "two blocks of 100 bytes that are not freed are allowed" limited "$leak" 0 \
	'static int n; if (n++ < 2) (void)!malloc(100)'
check "and three are not" limited "$leak" 1 'static int n; if (n++ < 3) (void)!malloc(100)'
check "which is said of the counter" grep -E 'alloc_live.*300' reports/latest/report.txt
peak='{peak: 5%, total: never, functions: never}'
check "4 % more at the peak pass" limited "$peak" 0 'static void *p; if (!p) p = malloc(4000)'
check "and 6 % fail" limited "$peak" 1 'static void *p; if (!p) p = malloc(6000)'
finish
