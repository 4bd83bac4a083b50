# A watch keeps windows of the whole machine, alerts when a function's share grows, pushes them to a
# store, ends in order, and goes on after it was killed.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "the machine is watched" cc curl python3

# busy: 70 % of its time in grown(), until it is ended.
cat >busy.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) static void grown(void) { for (int i = 0; i < 700000; i++) sink++; }
__attribute__((noinline)) static void other(void) { for (int i = 0; i < 300000; i++) sink++; }
int main(void) { for (;;) { grown(); other(); } }
END
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o busy busy.c || exit 2
./busy &
busy=$!
trap 'kill $busy $store $watch 2>/dev/null' EXIT
# An idle machine has no samples.
if ! "$PROFILE_RUN" capture --cpus all --duration 0.5 --frequency 99 -o .can -q >.can.txt 2>err.txt; then
	skip "the machine is watched" "$(head -n 1 err.txt)"
	finish
fi

# What one profiler asks of every process, Linux may tell others as if they had asked for it.
beside_capture() {
	"$PROFILE_RUN" capture --cpus all --duration 2 --frequency 99 -o .beside -q >/dev/null 2>&1 &
	sleep 0.5
	for _ in 1 2 3; do
		perf record -q -e cpu-clock -o beside.data sh -c 'ls; ls' >/dev/null || return 1
	done
	wait $!
}
if perf record -q -e cpu-clock -o beside.data true >/dev/null 2>&1; then
	check "perf records beside a capture of the machine" beside_capture
else
	skip "perf records beside a capture of the machine" "perf is not here, or cannot record"
fi

# Twenty windows, of which the last three are as busy is now: 30 % of grown() before, 70 % since.
mkdir windows
now=$(date +%s)
for ((i = 20; i > 0; i--)); do
	share=$((i <= 3 ? 70 : 30))
	noise=$((i * 7 % 5))
	printf '# runs: 1\n# event: cpu-clock\nbusy;main;grown %d\nbusy;main;other %d\n' \
		$((share * 3 + noise)) $((300 - share * 3)) \
		>"windows/$(date -u -d "@$((now - i * 600))" +%Y%m%dT%H%M%SZ).folded"
done
check "there is no alert yet" exits 0 "$PROFILE_RUN" trend --history windows
once() { "$PROFILE_RUN" watch --once --for "${seconds:-0.5}s" --frequency 499 "$@"; }
# Beside other programs there are some hundred samples a second of it only.
seconds=2
check "a window in which the share is still larger is an alert" exits 1 once --keep 20 windows
seconds=
check "which names the function" grep -q 'busy *grown *cpu' out.txt
check "so does the trend" exits 1 "$PROFILE_RUN" trend --history windows
check "and alerts.json" contains windows/alerts.json '"function":	"grown"'
check "the metrics have the share" awk -F '[ ]' '
	/^profile_run_share_ratio{program="busy",function="grown"}/ { found = $2 > 0.5 && $2 < 0.9 }
	END { exit !found }' windows/openmetrics.prom
check "and the alert" grep -q '^profile_run_alert_ratio{program="busy",function="grown"} ' \
	windows/openmetrics.prom
windows() { find "$1" -name '*.folded' | sort; }
check "the oldest window is gone" test "$(windows windows | wc -l)" -eq 20
check "and nothing but windows and reports is left" test "$(find windows -type f | wc -l)" -eq 22

python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && python=$candidate
done
if [ -n "$python" ]; then
	check "Prometheus' parser takes the metrics" "$python" -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
names = [family.name for family in parse(open(sys.argv[1]).read())]
assert "profile_run_share_ratio" in names and "profile_run_own_cpu_ratio" in names, names
' windows/openmetrics.prom
else
	skip "Prometheus' parser takes the metrics" "python3-prometheus-client is not installed"
fi

# What a store gets; it refuses the first request.
mkdir store
python3 "$ROOT/tests/e2e/store.py" store 1 &
store=$!
soon test -s store/port
port=$(cat store/port)
check "a window is pushed to Pyroscope, once it takes it" once \
	--push "http://127.0.0.1:$port/ingest" pushed
check "with its times" grep -qx "/ingest profile_run{hostname=$(hostname)} format=pprof rate=499 \
seconds=[01] samples/count cpu/nanoseconds" store/log
check "after one that was refused" grep -qx refused store/log
stacks() { sed '/^#/d; /^$/d' "$(windows pushed | head -n 1)" | sort; }
same_stacks() { diff <(stacks) <(sed 's/ [^ ]*$//' store/folded | sort); }
check "and all of its stacks" same_stacks
check "a name of one's own is kept" once --push "http://127.0.0.1:$port/ingest?name=mine" pushed
check "a window is pushed to Parca" once --push "http://127.0.0.1:$port/profiles/writeraw" pushed
check "as its own series" contains store/log \
	"/profiles/writeraw __name__=profile_run hostname=$(hostname) samples/count cpu/nanoseconds"
check "a store that refuses ends nothing" exits 0 once --push "http://127.0.0.1:$port/no/ingest" away
check "but is a warning" contains err.txt "the window was not pushed: curl ended with status 22"
check "and counted" contains away/openmetrics.prom "profile_run_push_failures 1"

decoded() {
	"$PROFILE_RUN" convert --to pprof --input "$1" | python3 "$ROOT/tests/e2e/store.py" - >decoded.txt
	diff <(sed '/^#/d; /^$/d; s/ [^ ]*$//' "$1" | sort) <(sed 's/ [^ ]* [^ ]*$//' decoded.txt | sort)
}
check "a window is converted to pprof" decoded "$(windows pushed | head -n 1)"
if command -v go >/dev/null && "$PROFILE_RUN" convert --to pprof \
	--input "$(windows windows | tail -n 1)" --output busy.pb.gz; then
	check "go tool pprof reads it" sh -c 'go tool pprof -top busy.pb.gz | grep -w grown'
else
	skip "go tool pprof reads it" "go is not installed"
fi

# Rotating windows.
"$PROFILE_RUN" watch --every 1s --for 0.3s --frequency 199 --keep 2 rotating >/dev/null 2>&1 &
watch=$!
several() { [ "$(windows rotating 2>/dev/null | wc -l)" -ge 2 ]; }
check "windows follow one another" soon several
check "a second watch of a folder is refused" exits 2 once rotating
kill -TERM $watch
wait $watch
check "SIGTERM ends it" test $? -eq 0
check "with as many windows as are to be kept" test "$(windows rotating | wc -l)" -eq 2
last=$(windows rotating | tail -n 1)
"$PROFILE_RUN" watch --every 1s --for 0.3s --frequency 199 --keep 2 rotating >/dev/null 2>&1 &
watch=$!
newer() { [ "$(windows rotating | tail -n 1)" != "$last" ]; }
check "the next one goes on" soon newer
kill -9 $watch
wait $watch 2>/dev/null
whole() { windows rotating | while read -r file; do "$PROFILE_RUN" analyze --input "$file" || exit; done; }
check "SIGKILL leaves whole windows" whole
check "and the next start goes on" once rotating
finish
