# A baseline of another class of machines whose commit is not available: instructions that were counted
# beside its time judge, and another build of a library is one line.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

needs "stored counts" gcc git valgrind python3
if ! can_capture; then
	skip "stored counts" "perf_event_open is refused here"
	finish
fi
enter_repository
cat >work.c <<-'END'
	#include <stdio.h>
	#include <string.h>
	volatile unsigned long sink;
	char text[4096];
	__attribute__((noinline)) void scan(long n)
	{
		unsigned long x = sink;

		for (long i = 0; i < n; i++)
			x = x * 31 + i;
		sink = x;
	}
	__attribute__((noinline)) void parse(long n)
	{
		unsigned long x = sink;

		for (long i = 0; i < n; i++)
			x = x * 33 + 3 * i;
		sink = x;
	}
	int main(void)
	{
		scan(9000000);
		parse(3000000);
		for (int i = 0; i < 5000; i++) {
			memset(text, 'a' + i % 26, sizeof(text) - 1);
			sink += strlen(text) + snprintf(text, 100, "%d %f", i, 1.5 * i);
		}
		return 0;
	}
END
commit_work "runs: 3, max_runs: 6, frequency: 9999"

# edit FILE STATEMENT...: Python on a JSON file `d`.
edit() {
	python3 - "$@" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		for statement in sys.argv[2:]:
		    exec(statement)
		json.dump(d, open(sys.argv[1], "w"), indent=1)
	END
}
# finding SUBJECT STATUS: of the last gate.
finding() {
	python3 - "$@" <<-'END'
		import json, sys
		findings = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"]
		print(json.dumps(findings, indent=1))
		assert any(f["subject"] == sys.argv[1] and f["status"] == sys.argv[2] for f in findings)
	END
}

# counted_runs NUMBER COMMAND...: the command, which succeeds, starts valgrind so often to count.
mkdir ../bin
printf '#!/bin/sh\necho "$*" >>"%s"\nexec %s "$@"\n' "$PWD/runs.txt" "$(command -v valgrind)" >../bin/valgrind
chmod +x ../bin/valgrind
PATH=$(realpath ../bin):$PATH
counted_runs() {
	local number=$1 counted
	shift
	: >runs.txt
	"$@" || return
	counted=$(grep -c -e --trace-children=yes runs.txt)
	echo "$counted counted runs, expected $number"
	[ "$counted" -eq "$number" ]
}

check "a baseline is recorded with its instructions" exits 0 "$PROFILE_RUN" baseline update work
check "as it says" contains out.txt "; instructions counted"
folder=$(echo baselines/*/*/cpu)
check "by file and function" grep -qx scan "$folder/counts.stacks"
check "and the machine code of its functions" grep -q "^file [0-9a-f]* all [0-9]* work$" "$folder/code.txt"
check "in little space" test "$(cat "$folder"/counts.* | wc -c)" -lt 12000
check "a further session" exits 0 "$PROFILE_RUN" baseline update work
check "keeps them" contains out.txt "; instructions kept"
check "they are listed" exits 0 "$PROFILE_RUN" baseline list
check "with the baseline" contains out.txt "with counts"

rm "$folder"/counts.* "$folder/code.txt"
check "within a limit" exits 2 "$PROFILE_RUN" baseline update --counts --count-limit 10ms work
check "that it keeps" test ! -e "$folder/counts.json"
check "which is for counting only" exits 64 "$PROFILE_RUN" baseline update --count-limit 2m work
check "counts are added to a baseline" exits 0 "$PROFILE_RUN" baseline update --counts work
check "it is the same program" contains out.txt "(the same program); instructions counted"
check "with its code" test -s "$folder/code.txt"
check "which is whole" exits 0 "$PROFILE_RUN" baseline check
sed -i 's/parse(3000000)/parse(45000000)/' work.c
counts_of_work() { # FILE: of the program's functions; the loader's and what it calls differ by path
	"$PROFILE_RUN" convert --quiet --runs --input "$folder/counts.stacks" --output all.folded &&
		grep '^work;[a-z]' all.folded >"$1" && rm all.folded
}
counts_of_work here && cp "$folder/baseline.json" times
rm "$folder"/counts.* "$folder/code.txt"
check "of a changed program, they are those of the baseline's commit" exits 0 "$PROFILE_RUN" baseline update --counts work
check "which is built" contains out.txt "(commit $(git rev-parse HEAD | cut -c-12), built here: the same "
counts_of_work there
check "with the same counts" diff here there
check "and code" grep -q "^file [0-9a-f]* all [0-9]* work$" "$folder/code.txt"
check "its times stay" cmp times "$folder/baseline.json"
rm "$folder"/counts.*
edit "$folder/baseline.json" "d['program_hash'] = 'e' * 64" "d['profile']['code'] = ['e' * 64 + '  work']"
check "another build of it is not counted" exits 2 "$PROFILE_RUN" baseline update --counts work
check "which is said" contains out.txt "by another compiler perhaps; record it again with 'profile_run baseline update work'"
edit "$folder/baseline.json" "d['commit'] = '0123456789012345678901234567890123456789'"
check "nor one whose commit is missing" exits 2 "$PROFILE_RUN" baseline update --counts work
check "which says how to get it" contains out.txt "run 'git fetch origin 0123456789012345678901234567890123456789' first"
mv times "$folder/baseline.json" && git checkout -q work.c && rm here there
check "counts are there for what follows" exits 0 "$PROFILE_RUN" baseline update --counts work

# Its commit can be built, but counting takes less time than pairs: they come first.
edit "$folder/counts.json" "d['runs']['cpu_ns'] = [1000 for _ in d['runs']['cpu_ns']]"
git add . && git commit -qm baseline
sed -i 's/parse(3000000)/parse(45000000)/' work.c
check "a slower program fails" exits 1 "$PROFILE_RUN" gate
no_pairs() {
	cat err.txt
	contains err.txt "counting instructions" && lacks err.txt " pairs, " && lacks err.txt "checking out" &&
		finding main fail && tr -s ' \n' ' ' <reports/latest/report.txt >report.txt &&
		contains report.txt "in less time than pairs take"
}
check "by counts that are had sooner than pairs" no_pairs
check "whose run had a limit of CPU time" grep -q '"count_limit_s":[[:space:]]*120' reports/latest/verdict.json
git checkout -q work.c

# In the same class time flags it, and the commit is not there for pairs: counts decide.
missing=0123456789012345678901234567890123456789
for file in baseline counts; do
	edit "$folder/$file.json" "d['commit'] = '$missing'"
done
git add . && git commit -qm baseline
sed -i 's/parse(3000000)/parse(45000000)/' work.c
check "a finding of the stored time fails" exits 1 "$PROFILE_RUN" gate
decided_by_counts() {
	python3 - <<-'END'
		import json
		findings = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"]
		print(json.dumps(findings, indent=1))
		# Though the build before is gone, its code is known: only that of main, which calls parse, changed.
		main = [f for f in findings if f["subject"] == "main" and f["of"] == "total"][0]
		assert main["status"] == "fail" and main["decided_by"] == "instructions", main
		assert "stored counts" in main["reason"], main["reason"]
		# Parse, which grew by 14 times, was some part of the program.
		assert 1.5 < main["instructions_change"] < 14, main
		parse = [f for f in main["grew_with_it"] if f["subject"] == "parse"][0]
		assert parse["status"] == "fail" and "stored counts" in parse["reason"], parse
	END
}
check "by its instructions, where pairs cannot be had" decided_by_counts
check "replay makes the same report" replays 1
git checkout -q work.c

make_foreign
folder=baselines/other-class/work/cpu
git add . && git commit -qm moved
check "the same program is found though its commit is missing" plan same_program
check "and takes no run" counted_runs 0 exits 0 "$PROFILE_RUN" gate
echo data >data.bin && git add data.bin && git commit -qm data
check "not where data differ" plan stored_counts
git reset -q --hard HEAD~1
sed -i 's/parse(3000000)/parse(3900000)/' work.c
git commit -qam slower
check "with its commit missing, stored counts are the plan" plan stored_counts
check "with a limit of CPU time" grep -q '"count_limit_s":[[:space:]]*3000' plan.json
check "which says why" contains plan.json "its commit 012345678901 is not in this clone"
check "and what would help" contains plan.json "git fetch origin $missing"
check "where only a rebuild may judge, it is not judged" plan not_judged --config <(
	echo 'gate: {stored: {fallback: [rebuild]}}'
)
check "nor where the policy decides by nothing but time" plan not_judged --config <(
	echo 'gate: {decide: none}'
)
git reset -q --hard HEAD~1
echo '/* a comment */' >>work.c
check "an unchanged program passes in one run" counted_runs 1 exits 0 "$PROFILE_RUN" gate --measure-anyway
check "with the same count" finding "whole program" pass
check "which is said not to be time" contains reports/latest/report.txt "Instructions are judged, not time"
sed -i 's/parse(3000000)/parse(3900000)/' work.c
check "30 % more in a function fails, once a second run repeats it" counted_runs 2 exits 1 "$PROFILE_RUN" gate
check "that function" finding parse fail
check "and no other" finding scan pass
check "replay makes the same report of it" replays 1

git checkout -q work.c
echo '/* a comment */' >>work.c
edit $folder/counts.json "d['profile']['files'] = [
	('e' * 64 + f[64:]) if 'libc.so' in f else f for f in d['profile']['files']]"
"$PROFILE_RUN" convert --runs --input $folder/counts.stacks --output $folder/counts.folded
rm $folder/counts.stacks
sed -i 's/^\(libc[^ ]*;[^ ]*\) .*/\1 5000000 5000000/' $folder/counts.folded
edit $folder/counts.json "import hashlib; text = open('$folder/counts.folded').read()" \
	"d['format_version'] = 1; d['runs_folded_sha256'] = hashlib.sha256(text.encode()).hexdigest()" \
	"d['runs']['cost_total'] = 2 * [sum(int(line.split()[-1])
		for line in text.splitlines() if line[0] != '#')]"
check "another build of libc fails nothing" exits 0 "$PROFILE_RUN" gate
check "it is one line" contains reports/latest/report.txt "libc.so.6 is another build"
check "a warning where most of the program is in it" finding "stored counts" warn
sed -i 's/parse(3000000)/parse(3900000)/' work.c
check "a slower function fails all the same" exits 1 "$PROFILE_RUN" gate
finish
