# profile_run annotate: on a program where the truth is known, the line that became slower is named;
# the shares of lines and instructions are those of perf annotate and callgrind_annotate.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

# Five lines that cost the same, but for one that costs four times as much, which is more than other load
# makes of the machine's speed from one capture to the next; the fourth calls.
make_program() { # NAME SLOW
	local line rounds text=
	for line in 1 2 3 4 5; do
		rounds=3000
		[ "$line" -ne "$2" ] || rounds=12000
		[ "$line" -ne 4 ] && text+="	SPIN($rounds);"$'\n' || text+="	called($rounds);"$'\n'
	done
	cat >"$1.c" <<-END
		#define SPIN(n) do { for (volatile int i = 0; i < (n); i++); } while (0)
		__attribute__((noinline)) static void called(int n) { SPIN(n); }
		__attribute__((noinline)) static void work(void)
		{
		$text
		}
		int main(int argc, char **argv)
		{
			for (int k = argc > 1 ? argv[1][0] - '0' : 12000; k-- > 0;)
				work();
			return 0;
		}
	END
	"${CC:-cc}" -O1 -g -fno-inline -o "$1" "$1.c"
}

capture() { # NAME
	"$PROFILE_RUN" capture -q --frequency 4999 --output "$1.capture" -- "./$1" >/dev/null
}

make_program before 0 && capture before
check "a capture's lines are shown" exits 0 "$PROFILE_RUN" annotate work --input before.capture
check "with their source" contains out.txt "called(3000);"
check "which is not newer than the program" lacks out.txt "newer than"
touch -d "1 hour" before.c
check "lines are shown of a source that was changed" \
	exits 0 "$PROFILE_RUN" annotate work --input before.capture
check "and it is marked" contains out.txt "before.c (newer than the program: lines may not match)"
touch -r before before.c
# Its own share may be missing.
check "a line that calls has little by itself" awk '
	/called\(3000\);/ { n = gsub(/ %/, ""); exit !((n == 1 || $1 < 2) && $n > 10) }' out.txt
check "and its instruction is the call" contains out.txt "<called>"

pprof_has_lines() {
	"$PROFILE_RUN" convert --input before.capture --to pprof --output before.pb.gz &&
		go tool pprof -list '^work$' before.pb.gz >list.txt &&
		awk '/called\(3000\);/ { cumulative = $2 } END { exit cumulative !~ /s$/ }' list.txt
}
if command -v go >/dev/null; then
	check "go tool pprof lists the lines" pprof_has_lines
else
	skip "go tool pprof lists the lines" "go is not installed"
fi

slower_line_is_named() { # LINE
	local wanted=$(($1 + 4)) function=work
	# The line that calls is as slow as before: what it calls is not.
	[ "$1" -ne 4 ] || { function=called; wanted=2; }
	make_program after "$1" && capture after || return
	exits 0 "$PROFILE_RUN" annotate "$function" --before before.capture --after after.capture &&
		cat out.txt && grep -qE "after\.c:$wanted (\+|grew )" out.txt
}
# ROUNDS=4: each line four times.
for ((round = 0; round < ${ROUNDS:-1}; round++)); do
	for line in 1 2 3 4 5; do
		check "the slower line is named: $line" slower_line_is_named "$line"
	done
done

# For the last pair, whose programs differ by one constant.
check "an instruction has its weight before and after" awk '
	$2 ~ /^[mu]s$/ && $4 ~ /^[mu]s$/ && $5 ~ /^[0-9a-f]+$/ && $6 ~ /^[a-z]/ { found = 1 }
	END { exit !found }' out.txt
check "also where all instructions are listed" exits 0 "$PROFILE_RUN" annotate work \
	--before before.capture --after after.capture --assembly
check "in their own columns" grep -q '^ *before *after *total after *address$' out.txt

# By instruction, as perf reads the same file.
same_as_perf() {
	sed -n 's/^ *\([0-9.]*\) *: *\([0-9a-f]*\): .*/\2 \1/p' perf.txt | awk '$2 > 0' | sort >theirs
	"$PROFILE_RUN" annotate work --input before.capture --assembly |
		awk -v all=0 '
			/^ *self +total +address/ { listing = 1; next }
			listing && $2 == "%" && $4 == "%" { self[$5] = $1; all += $1 }
			END { for (at in self) print at, 100 * self[at] / all }' | sort >ours
	join -a 1 -a 2 -e 0 -o 0,1.2,2.2 theirs ours |
		awk '{ d = $2 - $3; if (d > 1 || d < -1) { print; bad = 1 } } END { exit bad || NR == 0 }'
}
if perf annotate -i before.capture/perf.data --stdio -s work >perf.txt 2>/dev/null &&
	grep -q SPIN perf.txt; then
	check "instructions have the shares that perf annotate gives them" same_as_perf
else
	skip "instructions have the shares that perf annotate gives them" "perf cannot annotate here"
fi

# By line, as callgrind counts.
same_as_callgrind() {
	valgrind --tool=callgrind --callgrind-out-file=callgrind.out ./before 9 >/dev/null 2>&1
	callgrind_annotate callgrind.out "$PWD/before.c" | awk '
		/^-- Auto-annotated source/ { source = 1 }
		source && /SPIN\(3000\);|called\(3000\);/ { gsub(/[(%)]/, "", $2); print $2 + 0 }' >theirs
	"$PROFILE_RUN" annotate work --input callgrind.out |
		awk '/SPIN\(3000\);|called\(3000\);/ { print $1 + 0 }' >ours
	[ "$(wc -l <ours)" -eq 5 ] && paste ours theirs |
		awk '{ d = $1 - $2; if (d > 0.1 || d < -0.1) { print; bad = 1 } } END { exit bad || NR != 5 }'
}
if command -v callgrind_annotate >/dev/null; then
	check "lines have the counts that callgrind gives them" same_as_callgrind
else
	skip "lines have the counts that callgrind gives them" "valgrind is not installed"
fi

# A gate of two builds: its page has the lines of what failed, whatever their text, and its captures
# can be annotated. A line takes ten times as long, and its function four times.
mkdir -p new/workloads old || exit 2
for folder in new old; do
	cat >"$folder/a<b>&.c" <<-'END'
		static volatile unsigned sink;
		#define SPIN(n) do { for (unsigned i = 0; i < (n); i++) sink += i; } while (0)
		__attribute__((noinline)) static void scan(void) { SPIN(9000000); }
		__attribute__((noinline)) static void work(void)
		{
			SPIN(2000000); /* </code><script>alert(1)</script> */
			SPIN(SLOW);
			SPIN(2000000);
		}
		int main(void) { for (int k = 0; k < 6; k++) { scan(); work(); } }
	END
	rounds=20000000
	[ "$folder" = new ] || rounds=2000000
	(cd "$folder" && "${CC:-cc}" -O1 -g -fno-inline -fno-omit-frame-pointer -DSLOW=$rounds \
		"a<b>&.c" -o program) || exit 2
done
cat >new/workloads/lines.yaml <<'END'
name: lines
run: [./program]
capture: {runs: 4, max_runs: 4, repeat: 1}
gate:
  confirm: false
  functions: {warn: 20%, fail: 40%}
END
gate_names() { # TEXT
	(cd new && "$PROFILE_RUN" gate --quiet --against ../old --reports ../reports) >gate.txt 2>&1
	contains reports/latest/report.txt "$1"
}
check "a finding names the line that grew" gate_names 'a<b>&.c:7'
page=reports/latest/index.html
check "the page has the lines" contains $page '<details class="lines" open="">'
check "with their text, escaped" contains $page '&lt;/code&gt;&lt;script&gt;alert(1)&lt;/script&gt;'
check "and with nothing else of it" lacks $page 'alert(1)</script>'
captures() { # SIDE
	find reports/latest/lines -name "$1-*.perf.data" | wc -l
}
check "two captures of each side are evidence enough" test "$(captures run) $(captures base)" = "2 2"
# Places are shown relative to where it is run.
replayed() {
	(cd new && "$PROFILE_RUN" replay --quiet ../reports/latest --output ../again) >/dev/null
	diff $page again/index.html
}
check "the report is replayed with its lines, to the byte" replayed
check "the report is annotated" exits 0 "$PROFILE_RUN" annotate work --input reports/latest \
	--source new
check "with both sides" awk '/SPIN\(SLOW\);/ { found = $3 ~ /^\+/ || $5 ~ /^\+/ } END { exit !found }' out.txt
finish
