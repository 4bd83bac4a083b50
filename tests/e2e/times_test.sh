# Views of time of real captures: what other viewers read has the weights of the capture, and its order.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "views of time" gcc python3
if ! can_capture; then
	skip "views of time" "this machine does not let us sample"
	finish
fi

# The main thread computes and sleeps alternately; another, whose name is hostile, does so in between.
cat >turns.c <<-'END'
	#define _GNU_SOURCE
	#include <pthread.h>
	#include <time.h>
	#include <unistd.h>
	static volatile unsigned long sink;
	static double now(void)
	{
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		return t.tv_sec + t.tv_nsec / 1e9;
	}
	#define SPIN(name) __attribute__((noinline)) void name(double s) { \
		for (double end = now() + s; now() < end;) for (long i = 0; i < 20000; i++) sink += i; }
	SPIN(first) SPIN(then) SPIN(beside)
	static void *thread(void *unused)
	{
		(void)unused;
		for (int i = 0; i < 8; i++) { beside(0.03); usleep(30000); }
		return NULL;
	}
	int main(void)
	{
		pthread_t id;
		pthread_create(&id, NULL, thread, NULL);
		pthread_setname_np(id, "t\"<&>\\x");
		for (int i = 0; i < 8; i++) { first(0.03); usleep(20000); then(0.03); }
		pthread_join(id, NULL);
		return 0;
	}
END
gcc -O1 -g -fno-omit-frame-pointer -pthread -o turns turns.c || exit 2

cat >check.py <<-'END'
	import json, sys

	def folded(path):
	    return sum(float(line.rsplit(" ", 1)[1]) for line in open(path) if not line.startswith("# "))

	def near(a, b):
	    assert abs(a - b) <= 1e-6 * max(a, b, 1), (a, b)

	def firefox(path, whole):
	    p = json.load(open(path))
	    s = p["shared"]
	    frames, stacks, functions = s["frameTable"], s["stackTable"], s["funcTable"]
	    for table in frames, stacks, functions, s["resourceTable"], s["nativeSymbols"], s["sources"]:
	        for key, column in table.items():
	            assert key == "length" or len(column) == table["length"], key
	    assert all(f < frames["length"] for f in stacks["frame"])
	    assert all(q is None or q < i for i, q in enumerate(stacks["prefix"]))
	    assert all(n < len(s["stringArray"]) for n in functions["name"])
	    assert all(c < len(p["meta"]["categories"]) for c in frames["category"])
	    total = waits = 0
	    for t in p["threads"]:
	        samples, markers = t["samples"], t["markers"]
	        for table in samples, markers:
	            for key, column in table.items():
	                assert key in ("length", "weightType") or len(column) == table["length"], key
	        assert samples["time"] == sorted(samples["time"])
	        assert all(x is None or x < stacks["length"] for x in samples["stack"])
	        assert all(a <= b for a, b in zip(markers["startTime"], markers["endTime"]))
	        assert all(m["cause"]["stack"] < stacks["length"] for m in markers["data"])
	        total += sum(samples["weight"]) * (1e6 if samples["weightType"] == "tracing-ms" else 1)
	        waits += markers["length"]
	    near(total, whole)
	    assert any(t["name"] == "t\"<&>\\x" for t in p["threads"]), [t["name"] for t in p["threads"]]
	    return waits

	def chrome(path):
	    open_calls = {}
	    for e in json.load(open(path))["traceEvents"]:
	        if e["ph"] == "M":
	            continue
	        begin, end = e["ts"], e["ts"] + e["dur"]
	        assert begin == int(begin) and end > begin
	        stack = open_calls.setdefault((e["pid"], e["tid"]), [])
	        while stack and stack[-1][1] <= begin:
	            stack.pop()
	        assert not stack or (stack[-1][0] <= begin and end <= stack[-1][1]), (stack, e)
	        stack.append((begin, end))
	    assert len(open_calls) >= 2

	whole = folded("folded.txt")
	near(folded("speedscope.txt"), whole)
	waits = firefox("firefox.json", whole)
	chrome("chrome-trace.json")
	if sys.argv[1] == "wall":
	    assert waits >= 20, waits
	else:
	    assert waits == 0
END

is_read_by_others() { # METRIC
	rm -rf cap
	exits 0 "$PROFILE_RUN" capture --quiet --frequency 999 --metric "$1" --output cap -- ./turns || return 1
	"$PROFILE_RUN" convert --input cap/perf.data --output folded.txt || return 1
	for format in speedscope firefox chrome-trace; do
		"$PROFILE_RUN" convert --input cap/perf.data --to $format --output $format.json || return 1
	done
	"$PROFILE_RUN" convert --input speedscope.json --output speedscope.txt || return 1
	python3 check.py "$1"
}

# Two parts of a capture have all of it, also of the waits that lie across.
parts_are_the_whole() {
	for side in "--to 0.25" "--from 0.25"; do
		# shellcheck disable=SC2086
		"$PROFILE_RUN" flamegraph --input cap/perf.data $side --output "part.svg" || return 1
		sed -n 's/.*<metadata class="boxes">0 1 \([0-9.e+]*\).*/\1/p' part.svg
	done >parts
	"$PROFILE_RUN" convert --input cap/perf.data | awk '{ s += $NF } END { printf "%.0f\n", s }' >whole
	cat parts whole
	awk 'FNR == NR { sum += $1; next } { exit !(sum > 0 && sum / $1 > 0.9999 && sum / $1 < 1.0001) }' parts whole
}

check "samples are read by other viewers, thread by thread in order" is_read_by_others cpu
if "$PROFILE_RUN" capture --quiet --metric wall --output try -- ./turns >/dev/null 2>&1; then
	check "so are waits, each with a marker" is_read_by_others wall
	check "two parts of a capture are the whole" parts_are_the_whole
else
	skip "waits" "this machine does not let us record context switches"
fi
finish
