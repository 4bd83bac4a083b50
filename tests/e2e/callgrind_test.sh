# Counted instructions: two runs of one program agree in its functions to the instruction, and a
# function that does 0.1 % more is found with just that much.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "instructions are counted exactly" valgrind
cat >program.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) static void step(unsigned n) { while (n--) sink += n; }
__attribute__((noinline)) void steady(void) { step(100000); }
__attribute__((noinline)) void changed(void) { for (unsigned i = 0; i < ROUNDS; i++) sink += i; }
int main(void) { for (int i = 0; i < 10; i++) { steady(); changed(); } return 0; }
END
"${CC:-cc}" -O1 -g -fno-inline -fno-optimize-sibling-calls -DROUNDS=100000 program.c -o program &&
	cp program before && "${CC:-cc}" -O1 -g -fno-inline -fno-optimize-sibling-calls \
	-DROUNDS=100100 program.c -o after || exit 2

# The two sides have one name: it is that of the process.
capture() { # PROGRAM FOLDER
	cp "$1" program
	"$PROFILE_RUN" capture --metric instructions --workload 'exec ./program' --output "$2"
}

# self FILE FUNCTION: the instructions of a function in a folded file
self() {
	awk -v name="$2" '{ weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		if (frames[n] == name) self += weight } END { printf "%d\n", self }' "$1"
}

same() { # FUNCTION
	echo "$(self one/folded.txt "$1") $(self two/folded.txt "$1")"
	[ "$(self one/folded.txt "$1")" -gt 0 ] &&
		[ "$(self one/folded.txt "$1")" -eq "$(self two/folded.txt "$1")" ]
}

grown() { # by 0.1 %, to the instruction
	local one three
	one=$(self one/folded.txt changed) three=$(self three/folded.txt changed)
	echo "$one $three"
	awk -v a="$one" -v b="$three" 'BEGIN { r = b / a - 1; exit !(r > 0.00099 && r < 0.00101) }'
}

check "a program's instructions are counted" capture before one
check "and once more" capture before two
for function in main steady step changed; do
	check "$function takes the same number in both runs" same $function
done
check "stacks are those of the program" grep -q ';main;steady;step ' one/folded.txt
check "the stack of a function has its process first" grep -q '^program;' one/folded.txt
check "a program whose function does 0.1 % more is counted" capture after three
check "the function has 0.1 % more instructions" grown
steady_is_as_before() { [ "$(self one/folded.txt step)" -eq "$(self three/folded.txt step)" ]; }
check "the others have no more" steady_is_as_before
check "callgrind's own file can be read" "$PROFILE_RUN" diff --before one/callgrind.out \
	--after three/callgrind.out --output diff.svg
finish
