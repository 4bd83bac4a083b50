# Verbs that read profiles give up their rights first: what they write is the same, no process that reads
# has any right left, and where it dies nothing is left behind.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if "$PROFILE_RUN" doctor 2>/dev/null | grep -q '^missing *sandbox'; then
	skip "profiles are read without rights" "this kernel refuses seccomp filters"
	finish
fi
pair=$ROOT/tests/fixtures/pairs/tokenizer
printf 'main;parse 3\nmain;print 4\n' >plain.folded

# same NAME COMMAND...: it leaves the same in `out` with and without the sandbox.
same() {
	local name=$1
	shift
	check "$name is the same in the sandbox" same_output "$@"
}
same_output() {
	local with without
	"$PROFILE_RUN" "$@" >with.txt 2>&1
	with=$?
	rm -rf first && mv out first
	"$PROFILE_RUN" "$@" --no-sandbox >without.txt 2>&1
	without=$?
	echo "status $with and $without"
	cat with.txt
	[ $with = $without ] && cmp with.txt without.txt && diff -r first out
}
same "a flame graph" flamegraph -i "$pair/before-1.folded" -o out
same "a difference" diff --before "$pair/before-1.folded" --after "$pair/after-1.folded" -o out
same "a conversion" convert -i "$pair/before-1.folded" --to speedscope -o out
same "a replay" replay "$ROOT/tests/fixtures/replay/moved/replay.bin" --output out

# A verdict has its command and its time.
same_verdict() {
	local way
	for way in --quiet --no-sandbox; do
		"$PROFILE_RUN" compare --before "$pair"/before-?.folded --after "$pair"/after-?.folded \
			--output "judged$way" $way >"text$way"
		echo "$?" >"judged$way/compare/status"
	done
	diff -r --exclude=replay.bin judged--quiet/compare judged--no-sandbox/compare
}
check "a verdict is the same in the sandbox" same_verdict

# confined COMMAND...: while it waits for its input from the pipe `slow`, a process of it has a filter,
# and can gain no rights. Its number is left in the file `reader`.
confined() {
	rm -f slow
	mkfifo slow
	"$PROFILE_RUN" "$@" >out.txt 2>err.txt &
	local pid=$!
	soon find_reader $pid
	local found=$?
	cat plain.folded >slow
	wait $pid
	cat err.txt
	return $found
}
find_reader() { # PID
	local pid
	for pid in "$1" $(cat "/proc/$1/task/$1/children"); do
		grep -qx 'Seccomp:	2' "/proc/$pid/status" &&
			grep -qx 'NoNewPrivs:	1' "/proc/$pid/status" && echo "$pid" >reader && return
	done
	return 1
}
check "flamegraph reads without rights" confined flamegraph -i slow -o out
check "analyze does" confined analyze -i slow
check "convert does" confined convert -i slow
check "annotate does" confined annotate parse -i slow
check "diff does" confined diff --before slow --after plain.folded -o out
check "compare does" confined compare --before slow --after plain.folded
check "replay does" confined replay slow --output out
check "merge does" confined merge slow --output out
check "export does" confined export slow --to comment -o out
check "waive lists findings so" confined waive slow
check "waive adds one so" confined waive slow --finding 1 --reason r --until 2999-12-31 --by me
check "history add does" confined history add slow
check "trend does" confined trend --input slow -o out

# Readers of reports and histories, with what they may write only.
rm -rf out
same "a comment" export "$ROOT/tests/fixtures/replay/moved/replay.bin" --to comment -o out
same "a picture" export "$ROOT/tests/fixtures/replay/moved/replay.bin" --to picture -o out
awk_history() {
	mkdir -p "$1/m1" "$1/m2" && awk -v dir="$1" -f "$ROOT/tests/golden/trend/nights.awk"
}
awk_history nights </dev/null
same "a trend" trend --history nights -o out
added() {
	rm -rf out kept
	"$PROFILE_RUN" history accept parse read_token --history nights --since 2026-04-03 --reason r "$@" &&
		mv nights/accepted.tsv out
}
check "an event is accepted in the sandbox" added
check "a history that is not there is not made" test ! -e kept
refused() {
	exits 2 "$PROFILE_RUN" history add plain.folded --history kept && [ ! -e kept ]
}
check "nor for what is no report" refused
listed() {
	rm -rf stored
	cp -r "$ROOT/baselines" stored && mv stored/*/known_split/cpu "$(echo stored/*/known_split)/.cpu.previous" || return
	"$PROFILE_RUN" baseline list --baselines stored "$@" && ls -d stored/*/known_split/cpu
	"$PROFILE_RUN" baseline show known_split --baselines stored "$@" >out
}
same_as() { # FUNCTION: it ends and prints the same with and without the sandbox
	local in_sandbox
	in_sandbox=$("$1") && [ "$in_sandbox" = "$("$1" --no-sandbox)" ]
}
check "an interrupted baseline is put back in the sandbox, and listed" same_as listed
waived() {
	rm -rf config
	"$PROFILE_RUN" replay "$ROOT/tests/fixtures/replay/moved/replay.bin" --output out >/dev/null
	"$PROFILE_RUN" waive out --finding 1 --reason r --until 2999-12-31 --by me "$@" && grep -c owner config/waivers.yaml
}
check "a finding is waived in the sandbox" waived

# While it reads, the reader is killed.
killed() {
	rm -rf slow out
	mkfifo slow
	"$PROFILE_RUN" flamegraph -i slow -o out >out.txt 2>err.txt &
	local pid=$! status
	soon find_reader $pid || return
	kill -SEGV "$(cat reader)"
	wait $pid
	status=$?
	cat err.txt
	[ $status = 2 ] && contains err.txt "was ended by" && [ ! -e out ] &&
		! find . -name '.out*' | grep .
}
check "a reader that dies leaves no output" killed

# A debug file is fetched by debuginfod from our own server.
if ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1 && command -v python3 >/dev/null && can_capture; then
	printf 'static volatile int s;\n__attribute__((noinline)) static void hidden_work(void) { for (int i = 0; i < 200000000; i++) s += i; }\nint main(void) { hidden_work(); }\n' >work.c
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -Wl,--build-id -o work work.c
	id=$(readelf -n work | sed -n 's/.*Build ID: //p')
	mkdir -p "served/buildid/$id"
	objcopy --only-keep-debug work "served/buildid/$id/debuginfo"
	strip work
	"$PROFILE_RUN" capture --output captured -- ./work >out.txt 2>&1
	python3 -u -m http.server --bind 127.0.0.1 --directory served 0 >server.txt 2>&1 &
	server=$!
	trap 'kill $server' EXIT
	soon grep -q 'port [0-9]' server.txt
	port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' server.txt)
	fetched() {
		DEBUGINFOD_URLS=http://127.0.0.1:$port DEBUGINFOD_CACHE_PATH=$PWD/cache "$PROFILE_RUN" \
			convert -i captured/perf.data --debuginfod >folded.txt 2>err.txt
		cat err.txt server.txt
		grep -q hidden_work folded.txt
	}
	check "debuginfod fetches from within" fetched
else
	skip "debuginfod fetches from within" "it takes libdebuginfod, python3 and the right to sample"
fi
finish
