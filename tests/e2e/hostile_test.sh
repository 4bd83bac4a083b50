# Bad inputs and bad circumstances: each is reported with its cause and exit code 2, nothing half-written
# or running is left, and memory and time stay bounded.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

# What stands for a full disk is taken away again however we end.
trap 'umount full 2>/dev/null' EXIT

# workload NAME RUN [MORE]: writes NAME.yaml
workload() {
	printf 'name: %s\nrun: %s\ncapture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1, timeout: %s}\n%s\n' \
		"$1" "$2" "${timeout:-30s}" "${3:-}" >"$1.yaml"
}

gate() {
	local wanted=$1 name=$2
	shift 2
	exits "$wanted" timeout -k 5 60 "$@" "$PROFILE_RUN" gate --measure-anyway "$name.yaml" --baselines baselines \
		--reports reports
}

# pgrep would find this very script, which says the marker, were it not in two parts.
marker=marker_of_hostile
marker=${marker}_test_$$
no_leftovers() {
	find tmp reports baselines -mindepth 1 -name '.*' ! -name .gitignore | grep . && return 1
	! pgrep -f "$marker" >leftover.txt || { cat leftover.txt; return 1; }
}

refused() {
	exits 2 timeout -k 5 20 "$PROFILE_RUN" "${@:2}" && contains err.txt "$1"
}

mkdir baselines reports tmp
export TMPDIR=$PWD/tmp

# --- profiles ---

{ head -c 4000000 /dev/zero | tr '\0' 'a' | sed 's/aa/a;/g'; echo ' 1'; } >deep.folded
check "a stack of two million frames is refused" refused "deep.folded:1:2000001" \
	analyze -i deep.folded
awk 'BEGIN {
	print "# runs: 10000"
	for (line = 0; line < 50; line++) {
		printf "r;f" line
		for (i = 0; i < 1000; i++) printf ";x"
		for (i = 0; i < 10000; i++) printf " 1"
		print ""
	}
}' >wide.folded
limited() {
	(ulimit -v 3000000 && refused "too many frames for so many runs" analyze -i wide.folded)
}
# A sanitizer reserves more address space than any limit leaves.
case $(ldd "$PROFILE_RUN") in
*asan*) LIMITS= ;;
*) LIMITS=1 ;;
esac
if [ "$LIMITS" ]; then
	check "runs times frames are bounded" limited
else
	skip "runs times frames are bounded" "the sanitizer reserves address space"
fi
printf 'a;b\tx\x9b31m y\n' >raw.folded
raw_is_tamed() {
	exits 2 "$PROFILE_RUN" analyze -i raw.folded && ! LC_ALL=C grep -q "$(printf '\x9b')" err.txt
}
check "the excerpt of a broken file holds no raw bytes" raw_is_tamed
memory_short() {
	exits 2 bash -c "ulimit -v 60000; exec $PROFILE_RUN convert -i big.folded -o big.out" &&
		contains err.txt "out of memory" && [ ! -e big.out ]
}
awk 'BEGIN { for (i = 0; i < 400000; i++) print "root;frame" i ";leaf" i " 1" }' >big.folded
if [ "$LIMITS" ]; then
	check "running out of memory is reported" memory_short
else
	skip "running out of memory is reported" "the sanitizer reserves address space"
fi
check "and leaves no draft" test -z "$(find . -maxdepth 1 -name '.big*')"

# cut and flipped perf.data: an error in words or a profile, never a crash or a hang
workload spins '[sh, -c, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]'
seeds() {
	local size at status
	size=$(stat -c %s captured/perf.data)
	for seed in $(seq 60); do
		at=$(((seed * 7919 + seed * seed * 31) % size))
		if [ $((seed % 2)) -eq 0 ]; then
			head -c "$at" captured/perf.data >hurt.data
		else
			cp captured/perf.data hurt.data
			head -c $((seed % 9 + 1)) /dev/urandom |
				dd of=hurt.data bs=1 seek="$at" conv=notrunc status=none
		fi
		timeout -k 5 20 "$PROFILE_RUN" analyze -i hurt.data >out.txt 2>err.txt
		status=$?
		if [ $status -ne 0 ] && { [ $status -ne 2 ] || ! grep -q hurt.data err.txt; }; then
			cp hurt.data "hurt.$seed"
			echo "seed $seed at $at of $size: status $status"
			cat err.txt
			return 1
		fi
	done
}
if can_capture; then
	CAPTURE=1
	"$PROFILE_RUN" capture --workload spins.yaml --frequency 4999 --output captured \
		>out.txt 2>err.txt
	check "sixty hurt captures are read or refused" seeds
else
	CAPTURE=
	skip "sixty hurt captures are read or refused" "this machine does not let us sample"
fi

# --- streams ---

check "a full standard output is noticed by --help" exits 2 \
	bash -c "$PROFILE_RUN --help >/dev/full"
check "and a closed one" exits 2 bash -c "$PROFILE_RUN --version >&-"
if [ "$CAPTURE" ]; then
	closed() {
		bash -c "timeout 60 $PROFILE_RUN gate spins.yaml --baselines baselines --reports \
			closed <&- >&- 2>&-"
		echo "status $?"
		lacks closed/latest/report.txt "could not be measured"
	}
	check "closed streams do not end a workload" closed
	hung_up() {
		bash -c "set -o pipefail; $PROFILE_RUN gate running.yaml --baselines baselines \
			--reports reports 2>&1 >/dev/null | head -n 1"
		no_leftovers
	}
	workload running \
		"[sh, -c, 'sh -c \"sleep 300; : $marker\" & i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done']"
	check "a reader of the progress that goes leaves nothing running" hung_up
fi

# --- signals ---

timeout=30s workload busy "[sh, -c, 'sh -c \"sleep 300; : $marker\" & while :; do :; done']"
# signalled NAME STATUS
signalled() {
	local pid status
	"$PROFILE_RUN" gate --measure-anyway busy.yaml --baselines baselines --reports reports >out.txt 2>err.txt &
	pid=$!
	soon pgrep -f "$marker" >/dev/null
	kill -s "$1" $pid
	wait $pid
	status=$?
	cat err.txt
	echo "status $status"
	[ $status -eq "$2" ] && no_leftovers
}
if [ "$CAPTURE" ]; then
	set -m
	check "SIGHUP ends the gate, its children and its files" signalled HUP 129
	check "so does SIGTERM" signalled TERM 143
	set +m
	killed() {
		"$PROFILE_RUN" gate --measure-anyway busy.yaml --baselines baselines --reports reports >out.txt 2>&1 &
		local pid=$!
		soon pgrep -f "$marker" >/dev/null
		kill -KILL $pid
		wait $pid
		# Nobody is left to end what the program had started: a group of processes.
		local group
		for group in $(pgrep -f "$marker" | xargs -r ps -o pgid= -p | sort -u); do
			kill -KILL -- "-$group"
		done
		find reports -mindepth 1 -name '.*' ! -name .gitignore | grep -q . || { echo "no draft"; return 1; }
		timeout 60 "$PROFILE_RUN" gate --measure-anyway spins.yaml --baselines baselines --reports reports \
			>out.txt 2>&1
		no_leftovers
	}
	check "what a killed gate leaves is removed by the next" killed
	at_once() {
		for _ in 1 2 3; do
			timeout 60 "$PROFILE_RUN" gate --measure-anyway spins.yaml --baselines baselines \
				--reports together >/dev/null 2>&1 &
		done
		wait
		ls together
		[ "$(find together -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 3 ]
	}
	check "gates of one second keep their reports" at_once
else
	skip "signals end the gate, its children and its files" "this machine does not let us sample"
fi

# --- baselines ---

if [ "$CAPTURE" ]; then
	workload short '[true]'
	check "runs of a few samples do not become a baseline" exits 2 "$PROFILE_RUN" baseline \
		update short.yaml --baselines baselines
	check "(and that is said)" contains out.txt "unusable"
	# A run that the machine disturbs is repeated.
	sed 's/max_runs: 3/max_runs: 9/' spins.yaml >steady.yaml && mv steady.yaml spins.yaml
	check "a workload has a baseline" exits 0 "$PROFILE_RUN" baseline update --no-counts spins.yaml \
		--baselines stored
	folder=$(dirname "$(find stored -name baseline.json)")
	# broken TEXT COMMAND: in a copy of the store, with COMMAND run in the baseline's folder
	broken() {
		rm -rf baselines
		cp -r stored baselines
		(cd "baselines${folder#stored}" && eval "$2") || return 1
		gate 2 spins && contains err.txt "$1"
	}
	check "a pipe in the place of baseline.json is reported" broken "not an ordinary file" \
		'rm baseline.json && mkfifo baseline.json'
	check "a loop of links is no missing baseline" broken "symbolic links" \
		'cd .. && rm -r cpu && ln -s cpu cpu'
	check "a file in the place of the folder is reported" broken "is not a folder" \
		'cd .. && rm -r cpu && touch cpu'
	check "an edited runs.stacks is reported" broken "is not the file that baseline.json was written" \
		'echo "x;y 1 1 1" >>runs.stacks'
	check "another format is reported" broken "this program reads format" \
		'sed -i "s/\"format_version\":[^,]*/\"format_version\": 99/" baseline.json'
	check "a NaN is pointed at" broken "baseline.json:" \
		'sed -i "s/\"cpu_ns\":[^[]*\[[0-9]*/\"cpu_ns\": [NaN/" baseline.json'
	check "a number beyond all is reported" broken "cpu_ns" \
		'sed -i "s/\"cpu_ns\":[^[]*\[[0-9]*/\"cpu_ns\": [1e999/" baseline.json'
	rm -rf baselines
	mkdir baselines
fi

# --- the machine ---

if [ "$CAPTURE" ]; then
	check "a file size limit is reported" gate 2 spins prlimit --fsize=4096
	check "(with its name)" contains err.txt "File too large"
	check "(nothing is left of it)" no_leftovers
	timeout=2s workload forks "[sh, -c, 'trap \"\" TERM; while :; do sh -c \"trap \\\\\"\\\\\" TERM; sleep 300; : $marker\" & sleep 0.02; done']"
	check "a program that forks and ignores SIGTERM is ended" gate 2 forks
	check "(with all it started)" no_leftovers
	timeout=2s workload stops "[sh, -c, 'kill -STOP \$\$; : $marker']"
	check "a program that stops itself runs into its timeout" gate 2 stops
	check "(and is ended)" no_leftovers
	timeout=2s workload shouts "[sh, -c, 'while :; do echo $marker; done >&2']"
	check "endless output runs into the timeout" gate 2 shouts
	check "(and is ended, too)" no_leftovers
	hangs() {
		timeout -s INT 2 "$PROFILE_RUN" gate --measure-anyway hangs.yaml --baselines baselines \
			--reports reports >out.txt 2>err.txt
		contains err.txt "nterrupted" && no_leftovers
	}
	workload hangs '[true]' "setup: 'sleep 300; : $marker'"
	check "a setup that hangs can be interrupted" hangs
fi
if [ "$(id -u)" -eq 0 ] && [ "$CAPTURE" ] && mkdir full; then
	# For each size another file is the one that does not fit.
	filled() {
		for size in 4 40 120 240 400; do
			mount -t tmpfs -o size=${size}k none full || return 1
			exits 2 timeout 60 "$PROFILE_RUN" gate --measure-anyway spins.yaml --baselines stored \
				--reports full/reports --keep-perfdata || return 1
			contains err.txt "No space left" || return 1
			[ -z "$(find full -name '.*' ! -name .gitignore)" ] || { find full; return 1; }
			umount full
		done
	}
	if mount -t tmpfs none full 2>/dev/null; then
		umount full
		check "whatever a full disk stops, nothing half-written is left" filled
else
		skip "whatever a full disk stops, nothing half-written is left" "no tmpfs here"
	fi
	readonly_store() {
		mount -t tmpfs none full && cp -r stored full/ && mount -o remount,ro full || return 1
		refused "Read-only" baseline update --no-counts spins.yaml --baselines full/stored
		local status=$?
		umount full
		[ $status -eq 0 ] && lacks err.txt "run 1"
	}
	check "a read-only store is found before measuring" readonly_store
else
	skip "whatever a full disk stops, nothing half-written is left" "not root"
fi
finish
