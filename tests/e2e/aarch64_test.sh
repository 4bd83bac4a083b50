# Recordings of an AArch64 machine (tests/truth/aarch64), read here: every stack is one that the
# program can have, and all of them are whole. Of the programs one signs its return addresses.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

truth=$ROOT/tests/truth/aarch64
# As they lay on that machine.
mkdir -p machine/data
cp "$truth/plain" "$truth/signed" "$truth/frames" machine/data/

convert() {
	"$PROFILE_RUN" convert --symfs machine "$@"
}

# are_whole FILE: perf.data into `stacks`, one a line without its count; nothing is warned of.
are_whole() {
	convert --input "$1" --output folded 2>warnings && sed 's/ [0-9]*$//' folded >stacks
	cat warnings
	[ ! -s warnings ] && [ "$(wc -l <stacks)" -ge 10 ] && lacks stacks '[broken]' &&
		lacks stacks '[truncated]' && ! grep -nvE '^(plain|signed|frames);_start(;|$)' stacks
}

# No line is other than one of these, with what may come behind `run`.
are_among() {
	! grep -nvE "^[a-z]*;_start(;start(;run(;($1))?)?)?\$" stacks
}

# has STACK: from `run` on.
has() {
	grep -qE "^[a-z]*;_start;start;run;$1\$" stacks || { cat stacks; echo "missing: $1"; return 1; }
}

levels='(descend;){41}'
work='(;work_in_handler(;leaf)?)?'
second="send(;\[vdso\](;on_user_signal$work)?)?"
handlers="\[vdso\](;on_alarm($work|;$second))?"
calls="handle|plain(;leaf)?|recursion(;descend){0,41}|recursion;${levels}leaf|stack_room(;dynamic(;leaf)?)?"
calls="$calls|prologues(;saving(;leaf)?)?|tail(;jump|;leaf)?|clock_read(;\[vdso\])?"
calls="$calls|interrupted(;wait)?"

# Stacks that any recording of some length holds.
often() {
	has 'plain;leaf' && has "recursion;${levels}leaf" && has 'stack_room;dynamic;leaf' &&
		has prologues && has 'prologues;saving' && has 'prologues;saving;leaf' &&
		has 'tail;leaf' && has 'interrupted;wait' && has 'clock_read;\[vdso\]'
}

for name in plain signed frames; do
	check "$name: all stacks reach the first frame" are_whole "$truth/$name.data"
	check "$name: no stack has other frames than the true ones" \
		are_among "$calls|interrupted(;wait)?;$handlers"
	check "$name: the stacks of all phases are there" often
	check "$name: handlers stand behind what they interrupted" \
		has 'interrupted;wait;\[vdso\];on_alarm;work_in_handler;leaf'
	check "$name: a handler is interrupted itself" has \
		'interrupted;wait;\[vdso\];on_alarm;send;\[vdso\];on_user_signal;work_in_handler;leaf'
	check "$name: it is the same condensed" eval 'convert --to perf.data --input "$truth/$name.data" \
		--output small && convert --input small --output again && cmp folded again'
done

# By the kernel's frame pointers; perf samples the link register for the callers of leaves. Frame
# records lead from a handler past the function that was interrupted, to a caller of it or to where
# a call of it has returned.
check "frame pointers: all stacks reach the first frame" are_whole "$truth/chains.data"
check "frame pointers: no stack has other frames than the true ones" are_among \
	"$calls|(interrupted|run);\[vdso\];on_alarm($work|;send|(;send)?;\[vdso\](;on_user_signal$work)?)"
check "frame pointers: the callers of leaves are there" often
check "frame pointers: it is the same condensed" eval 'convert --to perf.data \
	--input "$truth/chains.data" --output small && convert --input small --output again &&
	cmp folded again'

# Another file of that path is not taken for the one that was recorded.
cp "$truth/signed" machine/data/plain
check "a program of another build gives no names" eval 'convert --input "$truth/plain.data" \
	--output folded 2>warnings && contains warnings "another build-id" && lacks folded _start'
check "programs are not looked for elsewhere" eval '"$PROFILE_RUN" convert --output folded \
	--input "$truth/signed.data" 2>warnings && contains warnings "/data/signed: cannot be read"'
finish
