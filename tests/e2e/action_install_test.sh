# What the GitHub action installs and caches: a released binary, if its sum is right, or one that is
# built once; and the build of the base by its commit.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

action=$ROOT/.github/actions/profile-run
export GITHUB_OUTPUT=$PWD/output RUNNER_TEMP=$PWD/temp XDG_CACHE_HOME=$PWD/cache
export VERSION='' AGAINST='' MERGE='' WORKLOADS='' SOURCE=$PWD/source PROGRAM=$PWD/temp/bin/profile_run
export RELEASES=file://$PWD/releases
unset ImageOS ImageVersion
output() { # NAME: what the step before said
	sed -n "s/^$1=//p" "$GITHUB_OUTPUT"
}

# A release: this program under the name of this machine's.
name=profile_run-0.9.0-linux-$(uname -m)
files=releases/download/v0.9.0
mkdir -p $files bin
cp "$PROFILE_RUN" "$files/$name"
echo other >$files/profile_run-0.9.0-linux-other
(cd $files && sha256sum -- * >../sums && mv ../sums SHA256SUMS)
install() {
	rm -rf temp
	"$action/install.sh"
}
export VERSION=0.9.0
check "a released version is installed" exits 0 install
check "and says which it is" contains out.txt "profile_run "
check "it is the binary of the release" cmp "$PROGRAM" "$files/$name"
export VERSION=v0.9.0
check "it can be named by its tag" exits 0 install
refuses() { # REASON
	exits 2 install && contains out.txt "::error title=profile_run::" && contains out.txt "$1" &&
		test ! -e "$PROGRAM"
}
echo >>"$files/$name"
check "a binary of another sum is refused" refuses "its SHA-256 sum differs"
cp "$PROFILE_RUN" "$files/$name"
sed -i "/$name/d" $files/SHA256SUMS
check "so is one without a sum" refuses "its SHA-256 sum differs"
rm $files/SHA256SUMS
check "and a release without sums" refuses "there is no version 0.9.0"
export VERSION=0.9.1
check "there is no other version" refuses "there is no version 0.9.1"
export VERSION=../../0.9.0
check "a version is no path" refuses "version is such as 0.1.0"
printf '#!/bin/sh\necho riscv64\n' >bin/uname
chmod +x bin/uname
on_other_machine() {
	PATH=$PWD/bin:$PATH VERSION=0.9.0 refuses "there is no released binary for riscv64"
}
check "nor is there one for each machine" on_other_machine

# Sources that build quickly.
export VERSION=
mkdir -p source/.ci source/harness
printf '#!/bin/sh\necho "deps $1" >>"$BUILDS"\n' >source/.ci/deps
chmod +x source/.ci/deps
cat >source/Makefile <<'END'
static: ; @mkdir -p build/static && cp $(PROFILE_RUN) build/static/profile_run && echo built >>$(BUILDS)
END
export BUILDS=$PWD/builds
check "without a version it is built" exits 0 install
check "with what that needs" test "$(paste -sd ' ' builds)" = "deps static built"
check "a cached build is not built again" exits 0 "$action/install.sh"
check "again" test "$(grep -c built builds)" -eq 1
cat >source/Makefile <<'END'
all: ; @mkdir -p build && cp $(PROFILE_RUN) build/profile_run
END
check "where it cannot be linked statically it is built with libraries" exits 0 install
check "which are installed" test "$(tail -n 1 builds)" = "deps tool"
printf '#!/bin/sh\nexit 127\n' >"$PROGRAM"
check "a program that does not run is an error" exits 2 "$action/install.sh"

plan() { # NAME: the value of that output
	: >"$GITHUB_OUTPUT"
	"$action/plan.sh" && output "$1"
}
check "the program is cached by its sources" exits 0 plan program-key
key=$(cat out.txt)
cp -r source elsewhere
check "wherever they are" test "$(SOURCE=$PWD/elsewhere plan program-key)" = "$key"
echo >elsewhere/harness/new.c
check "others are another program" test "$(SOURCE=$PWD/elsewhere plan program-key)" != "$key"
check "a released one is not cached" test -z "$(VERSION=0.9.0 plan program-key)"
check "baselines have no base to cache" test -z "$(plan base-key)"

# A repository whose base is built in a job, and in the next one is there.
if ! can_capture; then
	skip "the base is not built twice" "perf_event_open is refused here"
	finish
fi
git init -q -b main origin
(
	cd origin || exit
	git config user.name tester
	git config user.email tester@localhost
	mkdir workloads
	cat >workloads/one.yaml <<-'END_WORKLOAD'
		name: one
		build: cp script built && echo "base $PWD" >>"$BUILDS"
		run: [./built]
		capture: {repeat: 1}
		gate: {policy: {inconclusive: warn}}
	END_WORKLOAD
	# shellcheck disable=SC2016
	printf '#!/bin/sh\ni=0; while [ $i -lt 100000 ]; do i=$((i+1)); done\n' >script
	chmod +x script
	printf 'built\nreports\n' >.gitignore
	git add . && git commit -qm base
	sed -i 's/i=0/i=1/' script
	git commit -qam head
)
in_origin() { # NAME COMMIT: of a job that compares with it
	(cd origin && AGAINST=$2 plan "$1")
}
check "a commit to compare with has a key" test -n "$(in_origin base-key HEAD^1)"
check "another one has another" test "$(in_origin base-key HEAD^1)" != "$(in_origin base-key HEAD)"
more_workloads() {
	local key older
	key=$(in_origin base-key HEAD^1) older=$(in_origin base-older HEAD^1)
	cp origin/workloads/one.yaml origin/workloads/two.yaml
	[ "$(in_origin base-older HEAD^1)" = "$older" ] && [ "$(in_origin base-key HEAD^1)" != "$key" ] &&
		[[ $key = "$older"* ]]
}
check "with more workloads it has another one with the same beginning" more_workloads
check "a folder to compare with has none" test -z "$(AGAINST=source plan base-key)"

# As actions/cache does: the paths are packed at the end of a job and unpacked in the next.
job() {
	rm -rf checkout cache
	git clone -q origin checkout
	cd checkout || exit 2
	AGAINST=HEAD^1 plan base-key >/dev/null
	sed -n '/^base-paths<</,/^END_PATHS/ { /END_PATHS/d; p }' "$GITHUB_OUTPUT" >../paths
	[ ! -e ../cached.tar ] || tar -xPf ../cached.tar
	exits 0 "$PROFILE_RUN" gate --against HEAD^1 --runs 3 --max-runs 3 2>&1
	local status=$?
	tar -cPf ../cached.tar -T ../paths
	cd .. || exit 2
	return $status
}
base_builds() {
	grep -c "^base .*/worktrees/" "$BUILDS"
}
check "a job builds the base" job
check "once" test "$(base_builds)" -eq 1
check "the next one" job
check "takes what was built" test "$(base_builds)" -eq 1
check "which is in two places" test "$(wc -l <paths)" -eq 2
finish
