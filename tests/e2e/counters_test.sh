# gate.counters: one write more fails where time says nothing, and the same program passes.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "counters of a gate" "this machine does not let us sample"
	finish
fi

# Some 100 ms of work, MIB of memory and WRITES calls of 100 bytes.
build() { # INTO MIB WRITES
	mkdir -p "$(dirname "$1")"
	cat >work.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		int main(void)
		{
			volatile long sink = 0;
			char *memory = malloc((size_t)$2 << 20);
			FILE *out = fopen("/dev/null", "w");
			memset(memory, 1, (size_t)$2 << 20);
			setvbuf(out, NULL, _IONBF, 0);
			for (int i = 0; i < $3; i++)
				fwrite(memory, 1, 100, out);
			for (long i = 0; i < 100000000; i++)
				sink += i;
			return 0;
		}
	END
	gcc -O1 -g -o "$1" work.c
}

# finding SUBJECT: its status in the newest report.
finding() {
	python3 -c "import json
w = json.load(open('reports/latest/verdict.json'))['workloads'][0]
print([f['status'] for f in w['findings'] if f['rule'] == 'counter' and f['subject'] == '$1'])"
}

# is WANTED FOUND
is() {
	echo "expected $1, found $2"
	[ "$1" = "$2" ]
}

mkdir -p workloads
cat >workloads/work.yaml <<-END
	name: work
	run: [now/work]
	capture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1}
	gate:
	  total: {warn: never, fail: never}
	  functions: {warn: never, fail: never}
	  counters:
	    max_rss: {fail: 5%, max: 64MiB}
	    write_bytes: {fail: 0.1%}
	    write_calls: {fail: never, max: 500}
END
build base/now/work 20 1000 && build now/work 23 1002 || exit 2
"$PROFILE_RUN" gate work --quiet --against base >out.txt 2>&1
check "a gate of counters fails" is 1 $?
check "3 MiB of 20 more fail" is "['fail']" "$(finding max_rss)"
check "within the limit of 64 MiB they pass" is "['pass']" "$(finding 'max_rss (limit)')"
check "2 writes of 1,000 more fail" is "['fail']" "$(finding write_bytes)"
check "a limit is of the candidate alone" is "['fail']" "$(finding 'write_calls (limit)')"
check "the report names what differs" contains reports/latest/report.txt "write_calls 1,000 -> 1,002"
check "the report can be made again" exits 1 "$PROFILE_RUN" replay reports/latest --quiet -o again
check "with the same verdict" cmp again/verdict.json reports/latest/verdict.json

sed -i 's/, max: 500//' workloads/work.yaml
build now/work 20 1000 || exit 2
"$PROFILE_RUN" gate work --quiet --measure-anyway --against base >out.txt 2>&1
check "the same work passes" is 0 $?
check "with as much memory" is "['pass']" "$(finding max_rss)"
check "and as many bytes" is "['pass']" "$(finding write_bytes)"
finish
