#!/bin/bash
# How often real paired gates err: what they find where nothing has changed, and how often they miss
# what has.
#
# usage: gate_rates.sh aa GATES               of a shipped workload against a copy of the same build
#        gate_rates.sh slower PERCENT GATES   of known_split whose thirty_percent() does that much more
#        gate_rates.sh metrics GATES          of waits, SQLite with flushes and redis, in every metric
#        gate_rates.sh lock GATES             of the same waits with 20 ms more in one lock
#        gate_rates.sh latency GATES          of redis, nginx and PostgreSQL, whose latencies are judged
#        gate_rates.sh served PERCENT GATES   of a redis-server under the same driver, which a command of
#                                             a module makes slower
#        gate_rates.sh pool FUNCTION GATES SEED REPORT...
#
# Without arguments it is `aa 10`: one gate of each.
#
# aa rotates over WORKLOADS (all that are shipped), one workload a gate; metrics over those of
# gate_rates/, a row a metric, whose gates of redis judge latencies and costs per operation, too; latency
# over those of gate_rates/latency. All keep CPUs busy that the program is not pinned to, with a loop on
# each that compiles and spins, LOAD=0 without. GATE_OPTIONS are for the gate, as in
# GATE_OPTIONS="--runs 10 --max-runs 10". With KEEP=DIR the reports and the captures stay in DIR, one
# folder a gate. A gate takes 20 to 40 runs of a second.
#
# pool draws GATES gates from the pairs of runs in such REPORTs (DIR/*/latest), workload by workload,
# by SEED: 10 pairs, more where a gate would take more, and as many again to confirm what is found
# (gate_pool.c). Gates share their runs then: the rate is that of these runs, and its interval does not
# show how far others differ. FUNCTION "-" draws which of a pair is the base as well, for reports
# where nothing has changed; else it is the function that is expected to fail. The CPU time of a run
# is that of its report, the samples are read from the captures again.
#
# Prints verdicts counted, with a 95 % interval of the part that failed (Wilson), and how often the
# changed function failed, or a wait of it ("named"), and was the first finding ("first"), and how many
# gates measured again what their first runs had found ("again"): where a pool is too small for that,
# they warn. PROFILE_RUN names the program to use, CC the compiler; needs python3. Promises nothing:
# asked is at most 1 of 100 that fails where nothing has changed, 95 of 100 found of 10 % and 90 of 5 %.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
program=$(realpath "${PROFILE_RUN:-build/profile_run}") || exit 2
export PROFILE_RUN=$program
dir=$(mktemp -d) || exit 2
loads=()
stop_loads() {
	local pid
	for pid in "${loads[@]}"; do
		kill -- "-$pid" 2>/dev/null
	done
}
trap 'stop_loads; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
keep=${KEEP:-$dir/kept}

usage() {
	sed -n 's/^# usage: //p; s/^#        gate/gate/p' "$0" >&2
	exit 64
}

# build_waits FOLDER LOCK_MS
build_waits() {
	mkdir -p "$dir/$1" && cp -r "$root/workloads" "$root/config" "$dir/$1/" &&
		rm "$dir/$1"/workloads/*.yaml && cp "$root"/tests/bench/gate_rates/*.yaml "$dir/$1/workloads/" &&
		sed -i "s/wait_mutex, STEP_MS, 200/wait_mutex, STEP_MS, $2/" \
			"$dir/$1/workloads/src/known_waits/known_waits.c" &&
		make -s -C "$dir/$1/workloads" known_waits sqlite_fsync >"$dir/log" 2>&1 && return
	tail -n 5 "$dir/log"
	exit 2
}

# build_drivers FOLDER
build_drivers() {
	mkdir -p "$dir/$1" && cp -r "$root/workloads" "$root/config" "$dir/$1/" &&
		rm "$dir/$1"/workloads/*.yaml &&
		cp "$root"/tests/bench/gate_rates/latency/*.yaml "$dir/$1/workloads/" || exit 2
}

# build_served FOLDER ROUNDS: a redis-server whose command `work` takes so many turns of a loop.
build_served() {
	mkdir -p "$dir/$1/workloads" && cp "$root/tests/bench/gate_rates/served/served.yaml" "$dir/$1/workloads/" &&
		"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fPIC -shared -DROUNDS="$2" \
			-o "$dir/$1/work.so" "$root/tests/bench/gate_rates/served/work.c" >"$dir/log" 2>&1 && return
	tail -n 5 "$dir/log"
	exit 2
}

# served_ticks FOLDER: CPU time of its server for the driver of the workload, in ticks.
served_ticks() {
	local server
	cd "$dir/$1" || exit 2
	redis-server --port 0 --unixsocket redis.sock --save '' --appendonly no \
		--loadmodule "$PWD/work.so" >"$dir/log" 2>&1 &
	server=$!
	while ! [ -S redis.sock ]; do
		kill -0 $server || exit 2
		sleep 0.1
	done
	redis-benchmark -s redis.sock -c 1 -n 100000 work >/dev/null
	awk '{ print $14 + $15 }' "/proc/$server/stat"
	kill $server
	wait
}

# rounds_of PERCENT: those that make the server's CPU time so much longer than LEAST rounds do, without a
# capture; in a gate the part is smaller, since capturing costs the server time, too.
LEAST=200
rounds_of() {
	local many=$((LEAST * 20)) few_ticks many_ticks
	build_served few $LEAST
	build_served many $many
	few_ticks=$(served_ticks few)
	many_ticks=$(served_ticks many)
	awk -v p="$1" -v few="$few_ticks" -v many="$many_ticks" -v a=$LEAST -v b=$many \
		'BEGIN { printf "%d\n", a + few * p / 100 / ((many - few) / (b - a)) }'
}

# build FOLDER PERCENT: all programs, and the workloads without their own build.
build() {
	mkdir -p "$dir/$1" && cp -r "$root/workloads" "$root/config" "$dir/$1/" &&
		make -s -C "$dir/$1/workloads" clean >"$dir/log" 2>&1 &&
		make -s -C "$dir/$1/workloads" DEMO_SLOWDOWN="$2" >"$dir/log" 2>&1 &&
		sed -i '/^build:/d' "$dir/$1"/workloads/*.yaml && return
	tail -n 5 "$dir/log"
	exit 2
}

# All functions but the changed one must be where they were.
same_places() {
	local file=workloads/bin/known_split
	cmp -s <(nm "$dir/base/$file") <(nm "$dir/head/$file") ||
		echo "functions have moved: what is found may be layout"
}

load() {
	while :; do
		"${CC:-cc}" -O2 -g -c -o /dev/null "$root/workloads/src/sqlite_mix/sqlite_mix.c" 2>/dev/null
		for ((i = 0; i < 200000; i++)); do :; done
	done
}

# start_loads PROGRAM_CPU: on each other CPU, by turns a compiler and a loop that stays in registers.
start_loads() {
	local cpu
	export -f load
	export root
	for cpu in $(cpus); do
		[ "$cpu" = "$1" ] && continue
		setsid taskset -c "$cpu" bash -c load &
		loads+=($!)
	done
}

# Those that may be used here: "0-1,4" has 0, 1 and 4.
cpus() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status | tr ',' '\n' |
		while IFS=- read -r first last; do
			seq "$first" "${last:-$first}"
		done
}

# gate NUMBER WORKLOAD CPU
gate() {
	local report
	report=$keep/$(printf '%03d' "$1")
	# shellcheck disable=SC2086 # words
	(cd "$dir/head" && "$program" gate "$2" --against ../base --measure-anyway --pin "$3" \
		--keep-perfdata --quiet \
		--reports "$report" ${GATE_OPTIONS:-}) >"$dir/log" 2>&1
	if ! [ -s "$report/latest/verdict.json" ]; then
		tail -n 5 "$dir/log"
		exit 2
	fi
	reports+=("$report/latest")
}

# gates NUMBER FUNCTION WORKLOAD...
gates() {
	local number=$1 function=$2 cpu
	shift 2
	cpu=$(cpus | tail -n 1)
	mkdir -p "$keep" && keep=$(realpath "$keep") || exit 2
	[ "${LOAD:-1}" = 0 ] || start_loads "$cpu"
	reports=()
	for ((i = 0; i < number; i++)); do
		gate "$i" "${@:i % $# + 1:1}" "$cpu"
	done
	stop_loads
	python3 "$root/tests/bench/gate_rates.py" count "$function" "${reports[@]}"
}

pool() { # FUNCTION GATES SEED REPORT...
	local function=$1 number=$2 seed=$3 workload names counts
	shift 3
	make -s -C "$root" build/bench/gate_pool || exit 2
	names=$(python3 "$root/tests/bench/gate_rates.py" runs "$dir" "$@") || exit 2
	cd "$root" || exit 2
	python3 tests/bench/gate_rates.py head
	for workload in $names; do
		counts=$("$root/build/bench/gate_pool" "$workload" "$function" "$dir/$workload.pairs" "$number" "$seed")
		# shellcheck disable=SC2086 # numbers
		[ -z "$counts" ] || python3 tests/bench/gate_rates.py rate "$workload" $counts
	done
}

command -v python3 >/dev/null || {
	echo "absent: python3, which reads the verdicts"
	exit 0
}
[ $# -gt 0 ] || set -- aa 10
case "$1 $#" in
"aa 2")
	build base 0
	build head 0
	if [ -z "${WORKLOADS:-}" ]; then
		WORKLOADS=$(cd "$root/workloads" && for file in *.yaml; do echo "${file%.yaml}"; done)
	fi
	# shellcheck disable=SC2086 # one workload a word
	gates "$2" - $WORKLOADS
	;;
"slower 3")
	build base 0
	build head "$2"
	same_places
	gates "$3" thirty_percent known_split
	;;
"metrics 2")
	build_waits base 60
	build_waits head 60
	# shellcheck disable=SC2086 # one workload a word
	gates "$2" - ${WORKLOADS:-waits sqlite redis}
	;;
"lock 2")
	build_waits base 60
	build_waits head 80
	gates "$2" wait_mutex waits
	;;
"latency 2")
	build_drivers base
	build_drivers head
	# shellcheck disable=SC2086 # one workload a word
	gates "$2" - ${WORKLOADS:-redis nginx postgres}
	;;
"served 3")
	rounds=$(rounds_of "$2") || exit 2
	build_served base $LEAST
	build_served head "$rounds"
	gates "$3" work_command served
	;;
pool\ *)
	[ $# -ge 5 ] || usage
	pool "${@:2}"
	;;
*) usage ;;
esac
