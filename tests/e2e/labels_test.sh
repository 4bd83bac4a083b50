# Labels: a program whose phases take known shares is cut by them, told through the pipe with and without
# its own time, by a shell, and by functions; pprof files carry labels; redacted files compare.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "captures are cut by labels" cc
cc -O1 -g -fno-omit-frame-pointer -o phased "$ROOT/tests/e2e/labels/phased.c" -pthread || exit 2
can_capture || { skip "captures are cut by labels" "perf_event_open is refused here"; finish; }

# of FILE LABEL: the per cent of the weight below the first frame LABEL.
of() {
	awk -v label="$2" '{ weight = $NF; total += weight; sub(/ [^ ]*$/, "")
		split($0, frames, ";"); if (frames[1] == label) sum += weight
	} END { printf "%.2f\n", total ? 100 * sum / total : 0 }' "$1"
}

# strays FILE: the per cent of the samples of solve() or print() that are not in their phase.
strays() {
	awk '{ weight = $NF; phase = ""; total += weight
		if ($0 ~ /;(solve|print_all)[; ]/) phase = $0 ~ /;solve[; ]/ ? "phase=solve" : "phase=print"
		split($0, frames, ";"); if (phase != "" && frames[1] != phase) stray += weight
	} END { printf "%.2f\n", total ? 100 * stray / total : 0 }' "$1"
}

capture() {
	"$PROFILE_RUN" capture -q -F 999 -o "$1" "${@:2}" >"$1.txt" 2>&1 &&
		"$PROFILE_RUN" convert -i "$1/perf.data" --by phase -o "$1.phases"
}

check "a program tells of its phases" capture pipe --phases pipe -- ./phased
check "the program itself says how long they took" near "$(of pipe.phases phase=solve)" 70 8
check "phases that state their time have no strays" near "$(strays pipe.phases)" 0 0.5
check "pictures and reports are cut by them" grep -q '^phase=solve;' pipe/folded.txt
check "analyze has a table of them" "$PROFILE_RUN" analyze -i pipe/perf.data --by phase,thread
"$PROFILE_RUN" heatmap -i pipe/perf.data -o pipe.svg
check "a heat map has them" grep -q '>solve: ' pipe.svg
"$PROFILE_RUN" heatmap -i pipe/perf.data -o pipe.html
check "its page has the time of each" grep -q '^<li data-from="[0-9]*" data-to="[0-9]*">.*solve' pipe.html
# shellcheck disable=SC2016
check "a shell tells of its phases" capture shell --phases pipe -- sh -c \
	'echo count >>"$PROFILE_RUN_PHASES"; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
check "all that it does then is in it" near "$(of shell.phases phase=count)" 100 10

if "$PROFILE_RUN" capture -q -F 999 -o marks --phases solve,print=print_all -- ./phased >marks.txt 2>&1; then
	"$PROFILE_RUN" convert -i marks/perf.data --by phase -o marks.phases
	check "functions mark phases" near "$(strays marks.phases)" 0 0.5
else
	skip "functions mark phases" "$(head -n 1 marks.txt)"
	check "the reason is said" grep -qE 'uprobes|the kernel' marks.txt
fi

"$PROFILE_RUN" convert -i pipe/perf.data --by thread,phase --to pprof --label side=before -o pipe.pb.gz
check "a pprof file has the labels" "$PROFILE_RUN" convert -i pipe.pb.gz --by side,phase \
	--only phase=solve -o side.folded
check "they are those of the capture" grep -q '^side=before;phase=solve;' side.folded

# As another reader has it: each sample's values and labels, without its stack.
samples() {
	go tool pprof -raw "$1" | awk '/^Samples:/ { on = 1; next } /^Locations/ { exit } on {
		sub(/: [0-9 ]*$/, ""); sub(/ *process:\[[^]]*\]/, ""); if ($1) { $1 = $1; print } }' | sort
}
same_samples() { # FILE
	"$PROFILE_RUN" convert -i "$1" --to pprof -o all.pb.gz && samples "$1" >theirs.txt &&
		samples all.pb.gz | diff theirs.txt - && [ -s theirs.txt ]
}
for profile in heap before mutex; do
	if command -v go >/dev/null; then
		check "go tool pprof finds all values and labels in a copy: $profile" \
			same_samples "$ROOT/tests/fixtures/pprof/$profile.pb.gz"
	else
		skip "go tool pprof finds all values and labels in a copy: $profile" "go is not installed"
	fi
done

"$PROFILE_RUN" analyze -i pipe/perf.data --only phase=none >out.txt 2>&1
check "a phase that is not there is an error with those that are" \
	grep -q '  note: its phases are: .*solve' out.txt

redacted() {
	printf 'rules:\n- {function: main, as: keep}\n' >rules.yaml
	"$PROFILE_RUN" convert -i pipe/perf.data --by phase,thread --redact rules.yaml --to "$1" -o "$2" &&
		{ zcat -f "$2" | grep -aE 'solve|print_all|phased|libc|/phased.c|'"$(uname -n)"; [ $? -eq 1 ]; }
}
for target in folded pprof speedscope; do
	check "a redacted file tells no name as $target" redacted "$target" "redacted.$target"
done
finish
