# The operations of a service: how many, how long they took, and what each costs the server. A delay
# that is added to the server is found, the same server passes, and of four times as many operations
# each costs the same.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "the latency of a service is judged" "perf_event_open is refused here"
	finish
fi
needs "the latency of a service is judged" cc python3

# responder SOCKET: answers each byte after DELAY_US, some work and an allocation.
cat >responder.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static volatile unsigned sink;

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;
	char byte;

	(void)argc;
	strcpy(address.sun_path, argv[1]);
	unlink(argv[1]);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 8))
		return 4;
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		while (read(fd, &byte, 1) == 1) {
			char *volatile memory = malloc(BYTES);

			memory[0] = byte;
			usleep(DELAY_US);
			for (unsigned i = 0; i < 1000000; i++)
				sink += i;
			free(memory);
			if (write(fd, &byte, 1) != 1)
				break;
		}
		close(fd);
	}
	return 0;
}
END
# As many operations as operations.txt says, so that the workload is the same.
cat >drive.py <<'END'
import socket, sys, time
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
times = []
for _ in range(int(open("operations.txt").read())):
    start = time.monotonic()
    connection.send(b"x")
    connection.recv(1)
    times.append(time.monotonic() - start)
times.sort()
out = open(sys.argv[2], "w") if len(sys.argv) > 2 else sys.stdout
print("a driver's own words: p50 is below", file=out)
print("operations", len(times), file=out)
for name, share in ("p50", .5), ("p90", .9), ("p99", .99), ("max", 1):
    print(name, round(times[max(0, int(share * len(times)) - 1)] * 1e6, 1), "us", file=out)
END
build() { "${CC:-cc}" -O1 -g -fno-omit-frame-pointer -DDELAY_US="$2" -DBYTES="$3" -o "$1" responder.c; }
build responder 1000 1000 || exit 2
echo 24 >operations.txt
mkdir workloads
# workload FORMAT [DRIVER'S FILE]
workload() {
	cat >workloads/served.yaml <<-END
		name: served
		service: {start: [./responder, socket], ready: {unix: socket}}
		run: [python3, drive.py, socket${2:+, $2}]
		latency: {format: $1${2:+, file: $2}}
		measure: [cpu, alloc]
		capture: {runs: 3, max_runs: 6, warmup: 0, callgraph: fp}
		gate:
		  disturbed: 100%
		  total: {warn: 250%, fail: 250%}
		  functions: {min_share: 60%, warn: 250%, fail: 250%}
		  latency: {p50: {fail: 150%}, max: {max: 30s}}
		  per_op: {cpu: {fail: 250%}, alloc: {fail: 20%}}
		  alloc: {total: {warn: never, fail: never}, functions: {warn: never, fail: never}}
	END
}

workload lines
check "a baseline with latencies is recorded" exits 0 "$PROFILE_RUN" baseline update --no-counts
check "and has them" contains "$(find baselines -path '*/served/cpu/baseline.json')" '"latency_p50"'
check "the same server passes" exits 0 "$PROFILE_RUN" gate
# status FINDING [WORKLOAD]: of a counter, in the latest report; and value NAME: mean after.
status() {
	python3 - "$1" "${2:-served}" <<-END
		import json, sys
		for w in json.load(open("reports/latest/verdict.json"))["workloads"]:
		    for f in w["findings"]:
		        if w["name"] == sys.argv[2] and f["subject"] == sys.argv[1]:
		            print(f["status"])
	END
}
value() {
	python3 - "$1" "${2:-served}" <<-END
		import json, sys
		for w in json.load(open("reports/latest/verdict.json"))["workloads"]:
		    if w["name"] == sys.argv[2]:
		        counter = w["counters"][sys.argv[1]]
		        print(counter and counter["after"])
	END
}
is() { echo "$1, expected $2"; [ "$1" = "$2" ]; }
check "its p50 is judged" is "$(status latency_p50)" pass
check "and its CPU time per operation" is "$(status cpu_per_op)" pass
check "and what each allocates" is "$(status alloc_per_op served.alloc)" pass
check "the operations are counted" is "$(value operations)" 24
check "a percentile that is not reported is unknown" is "$(value latency_p99.9)" None
# It sleeps for 1 ms and works for about as long, or for many times as long where others run, too.
check "an operation takes as long as the server" near "$(value latency_p50)" 100e6 99e6
check "both distributions are drawn" grep -q '<title>before: p50 .*, max .*; after: p50 .*, max ' \
	reports/latest/index.html
check "coordinated omission of a closed loop is named" contains reports/latest/report.txt "coordinated"

# A run costs four times as much, an operation the same.
echo 96 >operations.txt
"$PROFILE_RUN" gate >out.txt 2>&1
check "four times as many operations have the same cost each" is "$(status cpu_per_op)" pass
check "and allocate the same each" is "$(status alloc_per_op served.alloc)" pass
echo 24 >operations.txt

# Its delay is many times as long as an operation that waits for a CPU of a busy machine.
build responder 200000 1300
later_fails() {
	exits 1 "$PROFILE_RUN" gate && is "$(status latency_p50)" fail
}
check "a server that answers later and allocates more fails, by its p50" later_fails
# A server that has slept for longer needs up to 40 % more, as it finds its caches cold.
check "and not by its CPU time" is "$(status cpu_per_op)" pass
check "and by what an operation allocates" is "$(status alloc_per_op served.alloc)" fail
build responder 1000 1000

workload lines times.txt
sed -i '/measure/d; /alloc/d; /per_op/d' workloads/served.yaml
check "a file has them as well" exits 0 "$PROFILE_RUN" baseline update --no-counts --baselines others
sed -i 's/, times.txt\]/, other.txt]/' workloads/served.yaml
check "a file of another run is refused" exits 2 "$PROFILE_RUN" gate --baselines others
check "and named" contains err.txt "'times.txt' was not written by this run"
workload wrk
check "a driver that reports nothing of the kind is refused" exits 2 "$PROFILE_RUN" gate
check "and said so" contains err.txt "no latencies were found"
check "with its name" contains err.txt "while reading the output of 'python3'"

cat >workloads/served.yaml <<-'END'
	name: alone
	run: "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo operations 100000; echo p50 3 us"
	latency: {format: lines}
	capture: {runs: 3, max_runs: 6, warmup: 0, callgraph: none}
	gate: {per_op: {cpu: {max: 1s}}}
END
"$PROFILE_RUN" gate >out.txt 2>&1
check "a program reports its own" is "$(value operations alone) $(value latency_p50 alone)" "100000 3000"
check "and what each costs has a limit" is "$(status 'cpu_per_op (limit)' alone)" pass

if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	cat >workloads/served.yaml <<-END
		name: redis
		service:
		  start: [redis-server, --unixsocket, redis.socket, --port, "0", --save, ""]
		  ready: {unix: redis.socket}
		run: [redis-benchmark, -s, redis.socket, -n, "10000", -c, "4", -t, get]
		latency: {format: redis-benchmark}
		capture: {runs: 3, max_runs: 6, warmup: 0, callgraph: fp}
		gate: {latency: {p50: {fail: 400%}, p99: {max: 60s}}, per_op: {cpu: {fail: 400%}}}
	END
	"$PROFILE_RUN" baseline update --no-counts --baselines others >/dev/null 2>&1
	"$PROFILE_RUN" gate --baselines others >out.txt 2>&1
	check "redis-benchmark's operations are read" is "$(value operations redis)" 10000
	check "and judged" is "$(status 'latency_p99 (limit)' redis)" pass
else
	skip "redis-benchmark's operations are read" "redis is not installed"
fi
finish
