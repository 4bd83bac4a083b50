# Waits have the times that the program itself measures, by reason; with a clock besides, a thread's
# whole time is there; locks have theirs, their memory and who releases them; perf's recordings are read
# the same; gates find 80 ms more in a lock.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! "$PROFILE_RUN" capture --metric offcpu -o .can -q -- sleep 0.01 >.can.txt 2>err.txt; then
	skip "waits are timed" "$(head -n 1 err.txt)"
	finish
fi
make -s -C "$ROOT/workloads" known_waits || exit 2
known=$ROOT/workloads/bin/known_waits

# waited FOLDED FUNCTION REASON: ns of that reason below the function; "" stands for any.
waited() {
	awk -v function_name="$2" -v reason="$3" '{ weight = $NF; sub(/ [^ ]*$/, "")
		n = split($0, frames, ";"); found = function_name == ""
		for (i = 1; i <= n; i++) found = found || frames[i] == function_name
		if (found && (reason == "" ? frames[n] ~ /_\[w\]$/ : frames[n] == reason "_[w]"))
			sum += weight } END { printf "%.0f\n", sum }' "$1"
}

# The time off the CPU of a function, by its own word; the report follows in the same file.
truth() {
	awk -v name="$2" '$1 == name && NF == 3 && $3 ~ /^[0-9]+$/ { print $3; exit }' "$1"
}

# For a capture, the main thread's stacks: a child inherits its name and the functions it was forked in.
main_stacks() {
	"$PROFILE_RUN" convert --input "$1/perf.data" --by tid --output by_tid.folded &&
		awk -F ';' 'NR == FNR { if (/;wait_sleep;/) main = $1; next } $1 == main' \
			by_tid.folded by_tid.folded
}

# agrees FOUND TRUTH: within 3 %, or 3 ms.
agrees() {
	awk -v found="$1" -v truth="$2" 'BEGIN {
		print "found", found, "ns; by its own clock", truth, "ns"
		off = found > truth ? found - truth : truth - found
		exit !(off <= 3e6 || off <= 0.03 * truth) }'
}

# mostly PART WHOLE: nearly all of it, as other load makes threads wait for a CPU.
mostly() {
	awk -v part="$1" -v whole="$2" 'BEGIN { print part, "of", whole; exit !(part >= 0.8 * whole) }'
}

if grep -q 'blocked_\[w\]' .can/folded.txt; then
	skip "each reason has its time" "the kernel may not be sampled here"
else
	# for_its REASON FUNCTION: with the delay until it had a CPU again, for as much as that is.
	for_its() {
		local queued=0
		[ "$1" = 'run queue' ] || queued=$(waited main.folded "$2" 'run queue')
		echo $(($(waited main.folded "$2" "$1") + queued))
	}
	functions="wait_sleep wait_mutex wait_pipe wait_socket wait_poll wait_file wait_child wait_run_queue"
	all_agree() {
		for function in $functions; do
			agrees "$(waited main.folded "$function" "")" "$(truth off.txt "$function")" || return 1
		done
	}
	# A virtual machine can stop between the reading of two clocks: once is no error.
	for _ in 1 2 3; do
		check "known waits are captured" \
			"$PROFILE_RUN" capture --metric offcpu -q -o off -- "$known" --truth
		cp .check.log off.txt
		main_stacks off >main.folded
		all_agree >agree.txt && break
	done
	for function in $functions; do
		total=$(truth off.txt "$function")
		reason=$(awk -v name="$function" '$1 == name && NF == 3 { sub(/-/, " ", $2); print $2; exit }' \
			off.txt)
		check "$function waits as long as it says" \
			agrees "$(waited main.folded "$function" "")" "$total"
		# Storage that answers at once is no wait.
		[ "$total" -lt 5000000 ] ||
			check "for its reason: $reason" mostly "$(for_its "$reason" "$function")" "$total"
	done
	check "the report says what was waited for" grep -q 'of the time is waiting: ' off/report.txt
	check "the picture has a colour for it" grep -q '>waiting<' off/flamegraph.svg
	check "the stacks are whole" sh -c \
		"grep -c '^known_waits;_start;' off/folded.txt | awk '{ exit !(\$1 > 8) }'"
fi

# What waits for locks, and who releases them: at one place each.
if ! "$PROFILE_RUN" capture --metric locks -q -o locks -- "$known" --truth >locks.txt 2>err.txt; then
	skip "waits for locks have their time" "$(head -n 1 err.txt)"
else
	"$PROFILE_RUN" convert --input locks/perf.data --event context-switches --output all.folded
	"$PROFILE_RUN" convert --input locks/perf.data --event locks:number --output number.folded
	total=$(truth locks.txt wait_mutex)
	check "waits for locks have their time" mostly \
		"$(waited locks/folded.txt wait_mutex 'static lock')" "$total"
	check "and no more than there are in all" agrees \
		"$(waited locks/folded.txt wait_mutex "")" "$(waited all.folded wait_mutex lock)"
	check "which are those of the program" agrees "$(waited all.folded wait_mutex "")" "$total"
	check "no other wait is among them" lacks locks/folded.txt wait_sleep
	# Each of 100, unless one more or less was woken for nothing.
	check "they are counted" sh -c \
		"n=$(waited number.folded wait_mutex lock); echo \$n; [ \$n -ge 98 ] && [ \$n -le 102 ]"
	if "$PROFILE_RUN" convert --input locks/perf.data --event locks:wakers \
		--output wakers.folded 2>err.txt; then
		released() {
			awk '/;run_partner;/ { sum += $NF } END { printf "%.0f\n", sum }' wakers.folded
		}
		check "who releases them is known" mostly "$(released)" "$total"
		check "and nobody else" lacks wakers.folded "futex_wait_[k]"
	else
		skip "who releases them is known" "$(head -n 1 err.txt)"
	fi
	if command -v perf >/dev/null; then
		check "perf reads the capture" sh -c \
			"perf script --input locks/perf.data 2>&1 | grep -q wait_mutex"
	fi
fi

# A thread that has its CPU only when nobody else wants it, beside one that always does.
if ! "$PROFILE_RUN" doctor 2>&1 | grep -q 'apart from what follows in the run queue'; then
	skip "the delay behind a wake-up is in the run queue" "wake-ups are not recorded here"
else
	cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
	taskset -c "$cpu" timeout 120 sh -c 'while :; do :; done' &
	hog=$!
	trap 'kill $hog 2>/dev/null' EXIT
	# It sleeps 60 ms in all, by 30 naps: all that its own clock has beyond that is for the CPU.
	asked=60000000
	delay_is_queued() {
		total=$(truth late.txt wait_sleep)
		slept=$(waited late/folded.txt wait_sleep sleep)
		queued=$(waited late/folded.txt wait_sleep 'run queue')
		echo "$slept slept and $queued queued of $total"
		[ "$slept" -gt $((asked - 1000000)) ] && [ "$queued" -gt 5000000 ] &&
			mostly "$queued" $((total - asked)) &&
			agrees "$(waited late/folded.txt wait_sleep "")" "$total"
	}
	# Where a virtual machine stops, its timers are late, too: once is no error.
	for _ in 1 2 3; do
		check "a thread that does not get its CPU back is captured" \
			"$PROFILE_RUN" capture --metric offcpu -q -o late -- taskset -c "$cpu" chrt --idle 0 \
			"$known" --truth sleep=60 lock=0 pipe=0 socket=0 poll=0 io=0 child=0 run-queue=0
		cp .check.log late.txt
		delay_is_queued >agree.txt && break
	done
	kill "$hog"
	check "its waits are as long as it says" \
		agrees "$(waited late/folded.txt wait_sleep "")" "$(truth late.txt wait_sleep)"
	check "the delay behind a wake-up is in the run queue" delay_is_queued
fi

sum() { # FOLDED PATTERN : of the lines that match
	awk -v pattern="$2" '$0 ~ pattern { sum += $NF } END { printf "%.0f\n", sum }' "$1"
}
# Below main(): the program is loaded before, and prints after the end of its own time.
near_wall() {
	on=$(grep ';main;' wall/folded.txt | grep -v '_\[w\] ' | sum - .)
	off=$(sum wall/folded.txt ';main;.*_\\[w\\] ')
	awk -v found="$((on + off))" -v truth="$(truth wall.txt main)" 'BEGIN {
		print found, "of", truth
		exit !(found > 0.995 * truth && found < 1.005 * truth + 5e6) }'
}
for _ in 1 2 3; do
	check "running and waiting are captured together" \
		"$PROFILE_RUN" capture --metric wall --frequency 999 -q -o wall -- "$known" --truth
	cp .check.log wall.txt
	near_wall >agree.txt && break
done
check "they are the main thread's whole time" near_wall
check "and its alone" lacks wall/folded.txt "partner;"
check "both parts are there" test "$on" -gt 100000000
check "its waiting time is counted" test "$off" -gt 500000000
check "another thread's are captured" "$PROFILE_RUN" capture --metric wall --thread partner -q \
	-o partner -- "$known" sleep=20 lock=0 pipe=40 socket=0 poll=0 io=0 child=0 run-queue=0
check "and no other's" [ "$(sum partner/folded.txt .)" = "$(sum partner/folded.txt '^partner;')" ]
check "without more of the file" sh -c \
	"'$PROFILE_RUN' convert --input partner/perf.data --output - | grep -q '^known_waits;'"
check "a metric of other costs has no thread" exits 64 \
	"$PROFILE_RUN" capture --thread main -o none -- true
for event in cpu-clock context-switches; do
	check "of which one part is read: $event" \
		"$PROFILE_RUN" convert --input wall/perf.data --event $event --output "$event.folded"
done
check "the clock alone is samples" lacks cpu-clock.folded '_[w]'
check "a capture that ends first counts what still waits" sh -c \
	"'$PROFILE_RUN' capture --metric offcpu -q -d 0.5 -o slept -- sleep 60 >/dev/null &&
	awk '{ sum += \$NF } END { exit !(sum > 0.4e9 && sum < 0.7e9) }' slept/folded.txt"
if command -v perf >/dev/null &&
	perf record -q -e context-switches -c 1 --switch-events -g -o perf.data \
		"$known" --truth >perf.txt 2>err.txt; then
	"$PROFILE_RUN" convert --input perf.data --output perf.folded
	all=$(awk '/ [0-9]+$/ && $1 != "main" { sum += $3 } END { printf "%.0f\n", sum }' perf.txt)
	check "perf's recordings have times" agrees \
		"$(awk '/^known_waits;/ && !/(sleep|run queue)_\[w\]/ { sum += $NF }
			END { printf "%.0f\n", sum }' perf.folded)" \
		"$((all - $(truth perf.txt wait_sleep) - $(truth perf.txt wait_run_queue)))"
else
	skip "perf's recordings have times" "perf is not here, or cannot record them"
fi
if setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	mkdir -m 777 unprivileged
	cp "$known" "$PROFILE_RUN" unprivileged/
	ask() {
		env -C unprivileged setpriv --reuid=65534 --regid=65534 --clear-groups \
			./profile_run capture --metric offcpu -q -o out -- \
			./known_waits io=0 run-queue=0 --truth
	}
	if ask >unprivileged.txt 2>err.txt || ! grep -q 'perf_event_paranoid is' err.txt; then
		all=$(awk '/ [0-9]+$/ && $1 != "main" { sum += $3 }
			END { printf "%.0f\n", sum }' unprivileged.txt)
		"$PROFILE_RUN" convert --input unprivileged/out/perf.data --by tid --output by_tid.folded
		main=$(awk '/^known_waits-/ && $NF > most { most = $NF }
			END { printf "%.0f\n", most }' by_tid.folded)
		check "without rights there are the times of each thread" mostly "$main" "$all"
	else
		skip "without rights there are the times of each thread" "$(head -n 1 err.txt)"
	fi
else
	skip "without rights there are the times of each thread" "setpriv does not work here"
fi

# The same program, which holds its lock for 360 ms more.
mkdir -p here/workloads there
script() { # FOLDER MS
	printf '#!/bin/sh\nexec "%s" sleep=20 lock=%s pipe=20 socket=20 poll=20 io=0 child=0 run-queue=0\n' \
		"$known" "$2" >"$1/run.sh"
	chmod +x "$1/run.sh"
}
script here 400
script there 40
cat >here/workloads/waits.yaml <<'END'
name: waits
run: [./run.sh]
capture: {metric: offcpu}
END
cd here || exit 2
"$PROFILE_RUN" gate --against ../there -q >out.txt 2>err.txt
# flagged: whether the lock is among what failed
flagged() {
	cat out.txt err.txt
	python3 - <<-'END'
		import json
		workload = json.load(open("reports/latest/verdict.json"))["workloads"][0]
		failed = [f["subject"] for f in workload["findings"] if f["status"] == "fail"]
		assert any("lock_[w]" in name or name.startswith("blocked_[w]") for name in failed), failed
	END
}
check "a gate names what waits longer" flagged
if grep -q 'lock_\[w\]' reports/latest/report.txt; then
	check "and where in the program" contains reports/latest/report.txt "called from wait_mutex"
fi
if [ -d ../locks ]; then
	sed -i 's/offcpu/locks/' workloads/waits.yaml
	"$PROFILE_RUN" gate --against ../there -q >out.txt 2>err.txt
	check "so does one of locks only" flagged
fi
finish
