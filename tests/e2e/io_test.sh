# Bytes that system calls read and write are counted exactly, by call and stack; and gates find some more.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

copy() { # OPTION... : captures a copy of 100 blocks
	"$PROFILE_RUN" capture --metric io -q "$@" -- \
		dd if=/dev/zero of=out bs=4096 count=100 status=none
}

if ! copy -o first >first.txt 2>err.txt; then
	skip "bytes are counted" "$(head -n 1 err.txt)"
	finish
fi
# moved FOLDED CALL: the sum of these
moved() {
	awk -v call="$2_[k]" '{ weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		if (frames[n] == call) sum += weight } END { printf "%.0f\n", sum }' "$1"
}
check "each byte that is written is counted" [ "$(moved first/folded.txt write)" = 409600 ]
check "and each that is read" [ "$(moved first/folded.txt read)" -ge 409600 ]
check "a second run is captured" copy -o second
check "which moves the same" cmp first/folded.txt second/folded.txt
"$PROFILE_RUN" convert --input first/perf.data --event io:calls --output calls.folded
check "calls are counted, too" [ "$(moved calls.folded write)" = 100 ]
check "how long they took is known" \
	"$PROFILE_RUN" convert --input first/perf.data --event syscalls:time --output time.folded

mkdir -p here/workloads there
script() { # FOLDER BLOCKS
	printf '#!/bin/sh\nexec dd if=/dev/zero of=/dev/null bs=4096 count=%s status=none\n' "$2" >"$1/run.sh"
	chmod +x "$1/run.sh"
}
script here 110
script there 100
cat >here/workloads/copy.yaml <<'END'
name: copy
run: [./run.sh]
capture: {metric: io}
gate: {total: {fail: 5%}}
END
cd here || exit 2
check "a gate finds more bytes" exits 1 "$PROFILE_RUN" gate --against ../there -q
check "by call" contains out.txt 'write_[k]'
script . 100
check "and none where there are none" exits 0 "$PROFILE_RUN" gate --against ../there -q
finish
