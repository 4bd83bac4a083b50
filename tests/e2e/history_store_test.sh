# The history on its own branch, by the script of the action: two jobs write at the same time, and
# the branch has the nights of both; again they change nothing; old nights are removed.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "two jobs write to the history" valgrind git cc
store=$ROOT/.github/actions/history/store.sh
git init -q --bare -b main remote.git
git clone -q remote.git one 2>/dev/null
git -C one -c user.name=n -c user.email=n@example.com commit -q --allow-empty -m first
git -C one push -q origin HEAD:main
git clone -q --depth=1 "file://$PWD/remote.git" two

# A report of each job.
mkdir workloads
printf 'name: work\nrun: [/bin/true]\ncapture: {metric: instructions}\n' >workloads/work.yaml
"$PROFILE_RUN" gate --measure-anyway work --reports one/reports >gate.txt 2>&1
later() {
	[ "$(date +%s)" -gt "$(stat -c %Y one/reports/latest/verdict.json)" ]
}
soon later
"$PROFILE_RUN" gate --measure-anyway work --reports two/reports >gate.txt 2>&1

# In the place of the program: waits until the other job has fetched, too.
cat >program <<-'END'
	#!/bin/bash
	touch "$MEETING/$JOB"
	for ((i = 0; i < 300 && $(find "$MEETING" -type f | wc -l) < 2; i++)); do sleep 0.1; done
	exec "$PROFILE_RUN" "$@"
END
chmod +x program
mkdir meeting
mkdir runner
export RUNNER_TEMP=$PWD/runner
export REMOTE=origin BRANCH=profile-run-history KEEP_DAYS=0 MEETING=$PWD/meeting
export REPORTS=$'reports/latest\n/nothing/there'
job() { # NAME
	cd "$1" && JOB=$1 REPORT_URL=https://ci.example/$1 GITHUB_OUTPUT=../$1.output \
		PROGRAM=${PROGRAM:-../program} "$store" >"../$1.txt" 2>&1
}
lines() { # with TEXT, on the branch
	git -C remote.git grep -h -- "$1" "$BRANCH" -- history | wc -l
}

(job one) &
first=$!
(job two)
check "the second job ends well" test $? -eq 0
wait $first
check "so does the first" test $? -eq 0
check "one of them had to begin again" \
	test "$(cat one.txt two.txt | grep -c 'was written to by another; again')" -eq 1
each() {
	[ "$(lines https://ci.example/one)" -gt 0 ] &&
		[ "$(lines https://ci.example/one)" -eq "$(lines https://ci.example/two)" ]
}
check "the branch has the night of each" each
check "in a commit each" test "$(git -C remote.git rev-list --count "$BRANCH")" -eq 2
check "and nothing else" test "$(git -C remote.git ls-tree --name-only "$BRANCH")" = history
check "main is as it was" test "$(git -C remote.git rev-list --count main)" -eq 1
check "pushed data can be read" \
	"$PROFILE_RUN" trend --history "$(sed -n 's/^history=//p' two.output | tail -n 1)"
export PROGRAM=$PROFILE_RUN
(job one)
check "the same report again is no commit" test "$(git -C remote.git rev-list --count "$BRANCH")" -eq 2
check "nothing is left in the clone" test -z "$(git -C one branch --list --format='%(refname:short)' 'profile*')"

# A night of long ago, which is kept for as many days as asked for.
git clone -q -b "$BRANCH" remote.git old
file=$(echo old/history/*/work.tsv)
sed -n '/^20/{s/^20../2001/p;q}' "$file" >>"$file"
git -C old -c user.name=n -c user.email=n@example.com commit -qam old && git -C old push -q
check "old nights are kept" test "$(lines ^2001)" -eq 1
(KEEP_DAYS=730 job two)
check "for some time" test "$(lines ^2001)" -eq 0
check "the others stay" each
check "a branch that is none is refused" \
	exits 2 env BRANCH='a..b' GITHUB_OUTPUT=output REPORT_URL=https://ci.example/ "$store"
git -C remote.git config receive.denyNonFastForwards true
mv remote.git gone.git
refused() {
	(job one)
	[ $? -eq 2 ] && contains one.txt "the history could not be made"
}
check "a remote that is not there is an error" refused
finish
