# baseline update --promote: a baseline is recorded only of what passed, is checked out, and is on the
# main branch.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "what passed on main is promoted" valgrind git cc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir -p project/workloads
cd project || exit 2
printf '%s\n' 'name: work' 'build: cc -O1 -o work work.c' 'run: [./work]' \
	'capture: {metric: instructions}' >workloads/work.yaml
loop() { # ROUNDS
	cat >work.c <<-END
		static volatile unsigned sink;
		__attribute__((noinline)) static void count(void) { for (int i = 0; i < $1; i++) sink++; }
		int main(void) { count(); return 0; }
	END
}
loop 30000
printf '%s\n' work reports baselines '*.txt' .check.log >.gitignore
git init -q -b main .
git config user.email nobody@example.com
git config user.name nobody
git add -A && git commit -qm first
promote=("$PROFILE_RUN" baseline update --no-counts --promote reports/latest)
refused() { # WHY [OPTION...]
	exits 2 "${promote[@]}" "${@:2}" && contains err.txt "$1" &&
		contains err.txt "no baseline was changed" && [ "$(stored)" = "$before" ]
}
stored() {
	find baselines -name baseline.json -exec sha256sum {} + 2>/dev/null
}

"$PROFILE_RUN" gate >gate.txt 2>&1
before=$(stored)
check "without a main branch nothing is promoted" refused "the main branch is not known"
check "a commit that passed on main is promoted" exits 0 "${promote[@]}" --main main
before=$(stored)
echo >>work.c
check "not with changes" refused "uncommitted changes" --main main
git commit -qam second
check "not another commit than the report's" refused "is checked out" --main main
git checkout -q -b side && loop 40000 && git commit -qam slower
"$PROFILE_RUN" gate >gate.txt 2>&1
check "not what failed" refused "did not pass: its verdict is fail" --main side
loop 30001 && git commit -qam fixed
"$PROFILE_RUN" gate >gate.txt 2>&1
check "not on another branch" refused "not on the main branch" --main main
cp workloads/work.yaml workloads/other.yaml
sed -i 's/^name: work/name: other/' workloads/other.yaml
check "not a workload that was not judged" refused "is not of 'other'" --main side
rm workloads/other.yaml
git update-ref refs/remotes/origin/main side
check "the main branch of the remote is found" exits 0 "${promote[@]}"
check "there is no branch without a promotion" exits 64 "$PROFILE_RUN" baseline update --no-counts --main main
finish
