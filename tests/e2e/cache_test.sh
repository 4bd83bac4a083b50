# Misses of a simulated cache: a matrix that is walked by columns in place of rows executes as many
# instructions, and misses the first level of the cache with every element in place of every eighth.
# The matrix, 2 MiB, stays in the last level.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "misses are counted exactly" valgrind python3
mkdir workloads there
cat >walk.c <<'END'
enum { SIDE = 512 };
static double matrix[SIDE][SIDE], sum;
__attribute__((noinline)) static void fill(void)
{
	for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) matrix[i][j] = i ^ j;
}
__attribute__((noinline)) static void visit(void)
{
	for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) sum += matrix[INDEX];
}
int main(void) { fill(); visit(); return sum == 0; }
END
build() { # PROGRAM INDEX
	"${CC:-cc}" -O1 -g -fno-ipa-cp "-DINDEX=$2" walk.c -o "$1" || exit 2
}
build walk 'i][j'
build there/walk 'j][i'
cat >workloads/walk.yaml <<'END'
name: walk
run: [./walk]
measure: [l1_misses, ll_misses, estimated_cycles, instructions]
END
elements=$((512 * 512))

self() { # FILE FUNCTION
	awk -v name="$2" '{ weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		if (frames[n] == name) self += weight } END { printf "%d\n", self }' "$1"
}

# misses FUNCTION EXPECTED: up to 16 more are those of its code and of the ends
misses() {
	local found
	found=$(self out/folded.txt "$1")
	echo "$found, expected $2"
	[ "$found" -ge "$2" ] && [ "$found" -le $(($2 + 16)) ]
}

check "misses are counted" "$PROFILE_RUN" capture --metric l1_misses --output out -- ./walk
check "writing a matrix by rows misses once in each line" misses fill $((elements / 8))
check "reading it by rows, too" misses visit $((elements / 8))
check "the stacks are those of the program" grep -q ';main;visit ' out/folded.txt
check "the report says that they are simulated" contains out/report.txt "simulated L1 misses"
check "the simulated cache is stated in the capture" \
	contains out/callgrind.out "LL cache: 8388608 B, 64 B, 16-way associative"
check "each event can be read" exits 0 "$PROFILE_RUN" analyze --input out/callgrind.out \
	--event D1mw
check "by which only one function wrote" grep -qE ' 1\. +[0-9.]+ % .* fill ' out.txt
check "and each sum of them" exits 0 "$PROFILE_RUN" flamegraph --input out/callgrind.out \
	--event ll_misses --output ll.svg
check "whose unit is in the picture" contains ll.svg "simulated LL misses"

check "a baseline is taken" "$PROFILE_RUN" baseline update --no-counts
export A_LONGER_ENVIRONMENT=which_moves_the_stack_of_the_program_to_other_lines_of_the_cache
check "the program passes, with another environment, too" exits 0 "$PROFILE_RUN" gate
cp there/walk walk
check "the walk by columns fails" exits 1 "$PROFILE_RUN" gate
check "with the function and its factor" contains out.txt "visit 8.00x, the same in every run"

# verdict CLAIM...: of the last gate, by metric
verdict() {
	python3 - "$@" <<-'END'
		import json, sys
		of = {w["metric"]: w for w in json.load(open("reports/latest/verdict.json"))["workloads"]}
		status = {metric: w["status"] for metric, w in of.items()}
		failed = {m: {f["subject"] for f in w["findings"] if f["status"] == "fail"}
			for m, w in of.items()}
		print(status, failed)
		for claim in sys.argv[1:]:
		    assert eval(claim), claim
	END
}
check "L1 misses and cycles fail, LL misses and instructions pass" verdict \
	'status == dict(l1_misses="fail", estimated_cycles="fail", ll_misses="pass", instructions="pass")' \
	'all(failed[m] == {"visit"} for m in ("l1_misses", "estimated_cycles"))'
"$PROFILE_RUN" capture --metric l1_misses --output columns -- ./walk >/dev/null 2>&1
check "captures are compared" exits 1 "$PROFILE_RUN" compare --before out/callgrind.out \
	--after columns/callgrind.out --quiet
check "and drawn" "$PROFILE_RUN" diff --before out/callgrind.out --after columns/callgrind.out \
	--output diff.svg

printf 'int main(void) { __builtin_trap(); }\n' >trap.c
"${CC:-cc}" trap.c -o trap || exit 2
check "a program that dies is an error" exits 2 "$PROFILE_RUN" capture --metric l1_misses \
	--output dead -- ./trap
check "with what valgrind says, and without its warnings" contains err.txt \
	"valgrind: Process terminating with default action of signal"
check "which are not shown" lacks err.txt "warning:"
finish
