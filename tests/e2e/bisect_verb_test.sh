# profile_run bisect: the commit that made a program slower is found among 16, two of which do not
# build; and what is left where they stand in the way.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

needs "the slow commit is found" valgrind git cc
export XDG_CACHE_HOME=$PWD/cache
hold=$PWD/hold held=$PWD/held
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir -p project/workloads
cd project || exit 2
# While there is a file `hold`, the build of a commit between the two ends waits, and `held` says so.
# They are outside of the repository, in whose place a build sees its commit.
cat >workloads/work.yaml <<-END
	name: work
	build: >-
	  if ! grep -qE 'version_(0|16)\b' work.c; then
	  while test -e '$hold'; do touch '$held'; sleep 0.05; done; fi;
	  cc -O1 -g -static -o work work.c
	run: [./work]
	capture: {metric: instructions}
END
printf '%s\n' work '*.txt' .check.log >.gitignore
git init -q -b main .
git config user.email nobody@example.com
git config user.name nobody

# Commit 0 to 16: `count` does a third more from the eleventh on; the fourth and the eighth, which
# is the first to be tried, do not build.
for n in {0..16}; do
	rounds=3000
	[ "$n" -lt 11 ] || rounds=4000
	broken=
	[ "$n" -ne 4 ] && [ "$n" -ne 8 ] || broken='no C'
	cat >work.c <<-END
		static volatile unsigned sink;
		__attribute__((noinline)) static void count(void) { for (int i = 0; i < $rounds; i++) sink++; }
		__attribute__((noinline)) static void other(void) { for (int i = 0; i < 5000; i++) sink++; }
		int main(void) { count(); other(); return 0; }
		int version_$n(void) { return $n; }
		$broken
	END
	subject="commit $n"
	[ "$n" -ne 11 ] || subject=$'count: \e[2J<b>more</b> "work"'
	git add -A && git commit -qm "$subject"
done
git tag fast HEAD~16
slow=$(git rev-parse HEAD~5)

check "the slow commit is found" exits 1 "$PROFILE_RUN" bisect fast main work --function count
check "by its hash" contains out.txt "work: count became slower with ${slow:0:12}"
check "with its effect" contains out.txt "by itself    +33.3 %"
check "a commit that does not build is skipped" contains out.txt "1 skipped, 0 undecided"
check "its subject cannot write to a terminal" lacks out.txt $'\e'
check "the report has the picture of the difference" test -s reports/latest/work/diff.svg
check "the report compares the commit with its parent" \
	contains reports/latest/verdict.json "$(git rev-parse --short=12 "$slow~1")"
check "it says what was tried" contains reports/latest/bisect.txt "commit 16"
check "and so for programs" contains reports/latest/bisect.json "\"$slow\""
check "nothing is left of the trials" test ! -e reports/latest/trial
check "nothing is changed here" test -z "$(git status --porcelain)"

# An interruption: what was begun is removed. Nothing is kept from before, so that it has to build.
rm -rf reports
touch "$hold"
XDG_CACHE_HOME=$PWD/../other "$PROFILE_RUN" bisect fast main work >out.txt 2>err.txt </dev/null &
bisect=$!
check "a trial has begun" soon test -e "$held"
kill -INT $bisect
wait $bisect
check "SIGINT ends it" test $? -eq 130
rm "$hold"
check "and says what is known by then" contains err.txt \
	"so far: fast with $(git rev-parse --short=12 fast)"
check "no report is left" test "$(find reports -mindepth 1 ! -name .gitignore | wc -l)" -eq 0

# The commit before the slow one does not build: one of two.
git branch -q broken HEAD~6
git checkout -q broken && echo 'no C' >>work.c && git commit -qam "broken"
git cherry-pick -n --strategy-option=theirs "$slow" >out.txt 2>&1
git show "$slow:work.c" >work.c && git commit -qam "fixed"
check "where it cannot be distinguished, both are named" exits 3 "$PROFILE_RUN" bisect HEAD~2 HEAD work
check "as what is left" contains out.txt "became slower with one of 2 commits"
check "nothing to find" exits 0 "$PROFILE_RUN" bisect HEAD~3 HEAD~2 work
check "is said" contains out.txt "work is not slower in"
check "a function that is not there is an error" \
	exits 2 "$PROFILE_RUN" bisect fast main work --function cuont
check "with the nearest that is" contains err.txt "did you mean 'count'?"
check "commits the wrong way round are an error" exits 2 "$PROFILE_RUN" bisect main fast work
check "which is said" contains err.txt "in the wrong order"
check "a commit that is not there is one" exits 2 "$PROFILE_RUN" bisect nowhere main work
check "a slow commit that does not build is one" exits 2 "$PROFILE_RUN" bisect fast HEAD~1 work
check "with what its build says" contains err.txt "cannot be measured: 'build of work in"
finish
