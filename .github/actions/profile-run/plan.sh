#!/bin/bash
# plan.sh: says in $GITHUB_OUTPUT where the program will be (program), under which keys it and the
# build of the base are cached (program-key, base-key), what an older build of the same base begins
# with (base-older), and what is to be kept of it (base-paths). An empty key: there is nothing to cache.
#
# VERSION, AGAINST and MERGE are the action's inputs, SOURCE the sources of profile_run.
set -u

# What a program is built on and for, and what may be built in: compilers differ by image, and code
# for one CPU (-march=native) does not run on another, or not alike.
machine() {
	uname -m
	echo "${ImageOS:-} ${ImageVersion:-}"
	grep -E '^(ID|VERSION_ID)=' /etc/os-release
	grep -m 1 '^model name' /proc/cpuinfo
}

short_hash() {
	sha256sum | cut -c 1-16
}

# Every file of a folder with its name and contents.
contents() { # FOLDER...
	find "$@" -type f -print0 2>/dev/null | LC_ALL=C sort -z | xargs -0 -r sha256sum
}

program_key() {
	(cd "$SOURCE" && { uname -m && grep -E '^(ID|VERSION_ID)=' /etc/os-release && contents Makefile .ci harness; }) |
		short_hash
}

echo "program=${RUNNER_TEMP:-/tmp}/profile-run/bin/profile_run" >>"$GITHUB_OUTPUT"
[ -n "$VERSION" ] || echo "program-key=profile-run-$(program_key)" >>"$GITHUB_OUTPUT"

# The worktree of the base, with what was built in it: a folder of the cache, and what git knows of it.
if [ -z "$AGAINST" ] || [ -n "$MERGE" ] || [ -e "$AGAINST" ]; then
	exit 0
fi
base=$(git rev-parse --quiet --verify "$AGAINST^{commit}") || exit 0
git_folder=$(cd "$(git rev-parse --git-common-dir)" && pwd) || exit 0
# A name of what is built: more workloads than before are built into the same worktree.
older=profile-run-base-$(machine | short_hash)-$base-
cat >>"$GITHUB_OUTPUT" <<END_OUTPUT
base-key=$older$({ echo "${WORKLOADS:-}" && contents workloads config; } | short_hash)
base-older=$older
base-paths<<END_PATHS
${XDG_CACHE_HOME:-$HOME/.cache}/profile_run/worktrees
$git_folder/worktrees
END_PATHS
END_OUTPUT
