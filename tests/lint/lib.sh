# For tests/lint/check_*: each is one check over the tree and prints `pass lint NAME`, `fail lint
# NAME` after what is wrong, or `skip lint NAME (REASON)`. The flags come from the Makefile.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
NAME=$(basename "$0")
NAME=${NAME#check_}
LINT_FLAGS=${LINT_FLAGS:--std=c11 -D_GNU_SOURCE -DPROFILE_RUN_VERSION=\'\"0\"\' $(make -s includes)}
# As a shell would read them: the version is in quotes.
eval "FLAGS=($LINT_FLAGS)"
export LC_ALL=C

# files PATTERN...: what belongs to the repository and matches, one path a line. Without git (a
# source archive) everything but what is built.
files() {
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard -- "$@" | while read -r path; do
			[ -f "$path" ] && echo "$path"
		done | sort -u
	else
		local pattern
		for pattern in "$@"; do
			find . \( -path ./.git -o -path ./build -o -path ./workloads/bin \) -prune -o -type f \
				-path "./$pattern" -print | sed 's|^\./||'
		done | sort -u
	fi
}

# compiled: what compilers that take seconds a file look at: the tests' own sources, too, unless
# THOROUGH=0. What needs Java's headers is compiled by its test, where these are.
compiled() {
	local patterns=('harness/*.c')
	[ "${THOROUGH:-1}" = 0 ] || patterns+=('tests/*.c')
	files "${patterns[@]}" | grep -v '^tests/e2e/java/'
}

# verdict STATUS [NOTE]: ends the check.
verdict() {
	if [ "$1" -eq 0 ]; then
		echo "pass lint $NAME${2:+: $2}"
		exit 0
	fi
	echo "fail lint $NAME${2:+: $2}"
	exit 1
}

skip() {
	echo "skip lint $NAME ($1)"
	exit 0
}

# need COMMAND: skips the check without it.
need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}
