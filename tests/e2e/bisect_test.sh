# git bisect run with a gate: the commit that made the program slower is found, and what does not
# build is not blamed.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "the slow commit is found" valgrind git cc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir -p project/workloads
cd project || exit 2
cat >workloads/work.yaml <<-'END'
	name: work
	build: cc -O1 -static -o work work.c
	run: [./work]
	capture: {metric: instructions}
END
git init -q -b main .
git config user.email nobody@example.com
git config user.name nobody

# Commit 1 to 9: from the sixth on it does a third more, the fourth and fifth do not build.
for n in 1 2 3 4 5 6 7 8 9; do
	rounds=30000
	[ $n -lt 6 ] || rounds=40000
	broken=
	[ $n -ne 4 ] && [ $n -ne 5 ] || broken='no C'
	cat >work.c <<-END
		static volatile unsigned sink;
		__attribute__((noinline)) static void count(void) { for (int i = 0; i < $rounds; i++) sink++; }
		int main(void) { count(); return 0; }
		int version_$n(void) { return $n; }
		$broken
	END
	echo work >.gitignore
	git add -A && git commit -qm "commit $n"
done
git tag v1 HEAD~8
gate=("$PROFILE_RUN" gate --bisect --against v1)
check "a slower commit is bad" exits 1 "${gate[@]}"
git checkout -q HEAD~5
check "one that does not build cannot be judged" exits 125 "${gate[@]}"
git checkout -q HEAD~1
check "a commit like the first is good" exits 0 "${gate[@]}"
check "without a baseline nothing is said" exits 125 "$PROFILE_RUN" gate --bisect
git checkout -q main
git bisect start main v1 >bisect.txt 2>&1
git bisect run "${gate[@]}" >bisect.txt 2>&1
sed -n '/could be any of/,$p' bisect.txt >last.txt
check "the slow commit is left, with those before it that do not build" \
	test "$(grep -cE '^[0-9a-f]{40}' last.txt)" -eq 3
check "the slow commit is among them" contains last.txt "$(git rev-parse main~3)"
check "none that was judged good or bad is" lacks last.txt "$(git rev-parse main~6)"
finish
