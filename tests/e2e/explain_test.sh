# `explain` tells of a finding which hunk of the difference it is about, with the stacks, lines and
# instructions of both sides, from the report alone.
#
# Takes long.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a finding is explained" "perf_event_open is refused here"
	finish
fi
needs "a finding is explained" gcc git python3
enter_repository
cat >work.h <<'END'
#define STEPS 20
END
cat >work.c <<'END'
#include "work.h"
static volatile unsigned sink;
static unsigned table[256];

__attribute__((noinline)) static unsigned
rest(unsigned x)
{
	for (int i = 0; i < 1500; i++)
		x = x * 22695477u + 1;
	return x;
}

static inline unsigned
step(unsigned x)
{
	return x * 1664525u + (x >> 7);
}

__attribute__((noinline)) static unsigned
mix(unsigned x)
{
	unsigned sum = x;

	for (int i = 0; i < 900; i++)
		sum = step(sum) + table[sum & 255];
	return sum;
}

__attribute__((noinline)) static unsigned
fill(unsigned x)
{
	for (int i = 0; i < STEPS * 45; i++)
		x = x * 1664525u + (x >> 7);
	return x;
}

__attribute__((noinline)) static unsigned
once(unsigned x)
{
	return mix(x) + fill(x) + rest(x);
}

int
main(int argc, char **argv)
{
	(void)argv;
	for (unsigned i = 0; i < 20000; i++)
		sink += once(i);
	return argc > 5;
}
END
commit_work "runs: 5"

# changed SED [FILE]: the gate fails with this change, and its first finding is explained.
changed() {
	git checkout -q HEAD -- .
	sed -i "$1" "${2:-work.c}"
	sed -i 's/(void)argv;/(void)argv; \/* not used *\//' work.c
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet || return
	exits 0 "$PROFILE_RUN" explain latest || return
	cp out.txt explained.txt
	size=$(wc -c <explained.txt)
	[ "$size" -gt 1000 ] && [ "$size" -le 16384 ]
}
# section NAME: the lines of a section of the text.
section() {
	awk -v name="$1" '$0 == name { on = 1; next } /^[^ ]/ { on = 0 } on' explained.txt
}
# The first hunk is of the function and has this line.
first_hunk() { # PLACE LINE
	section "Difference of the source" >hunks.txt
	head -n 1 hunks.txt | grep -qF "$1" && contains hunks.txt "$2"
}

check "a loop that runs longer fails" changed 's/i < 900/i < 1800/'
check "the headline has the finding" grep -q '^FAIL: work: mix.* (95 % CI ' explained.txt
check "its hunk is the first one" first_hunk ": in the function" "+    for (int i = 0; i < 1800; i++)"
check "the hunk of its caller is marked as one" contains hunks.txt "on a stack that grew, in main"
# in_section NAME PATTERN
in_section() {
	section "$1" >section.txt
	grep -q -- "$2" section.txt || { cat explained.txt; return 1; }
}
check "the stack that grew is there" in_section "Stacks that grew" "main;once;mix +"
check "the line has its costs" eval 'section "Lines, before and after" | grep -q "sum = step(sum)"'
check "the instruction that changed is there" \
	eval 'section "Machine code that changed" | grep -q "^  +.*0x708"'
check "the caller is there" in_section Callers "^  once: .* -> "
check "the command that reproduces it is there" \
	eval 'section Reproduce | grep -qx "  profile_run gate --against HEAD --quiet workloads/work.yaml"'
check "a finding is found by the name of its function" exits 0 "$PROFILE_RUN" explain latest mix
check "and the text is the same" cmp out.txt explained.txt
# Neither the repository nor the programs are needed.
elsewhere() {
	mkdir -p ../elsewhere && mv reports/latest/work/replay.bin ../elsewhere/
	(cd ../elsewhere && "$PROFILE_RUN" explain replay.bin) >there.txt
	# There, the place is no longer relative to the folder.
	diff explained.txt <(sed "s|$PWD/||" there.txt)
}
check "the stored data of the report are enough" elsewhere
json() {
	"$PROFILE_RUN" explain ../elsewhere/replay.bin --json >explained.json || return 1
	python3 - <<-'END'
		import json
		text = open("explained.json").read()
		told = json.loads(text)
		assert len(text.encode()) <= 16384
		assert told["status"] == "fail" and told["subject"] == "mix" and told["path"] == "work.c"
		assert told["numbers"]["low"] > 0 and told["numbers"]["before_cost"] > 0
		assert any("i < 1800" in line for line in told["diff"]["lines"])
	END
}
check "the same stands in the JSON" json
check "a macro fails" changed 's/STEPS 20/STEPS 55/' work.h
check "its hunk is the first one, although no line of the function changed" \
	first_hunk "work.h:1: has the changed line that carries the growth" "+#define STEPS 55"
check "an inlined function fails" changed 's/return x \* 1664525u + (x >> 7)/return (x * 1664525u + (x >> 7)) % 65521/'
check "its hunk is the first one" first_hunk ": in the function" "% 65521"
check "an unknown function is an error" exits 64 "$PROFILE_RUN" explain latest nothing
check "which lists the findings" grep -q "note: 1: " err.txt
finish
