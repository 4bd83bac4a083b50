#!/bin/bash
# push.sh: pushes picture.png and picture.svg of the folder PICTURES to the branch of this month in the
# repository REMOTE, and says in $GITHUB_OUTPUT by which commit they are had: commit. The branches,
# profile-run-pictures-YYYY-MM, have no history in common with any other; those whose month ended more
# than DAYS ago are removed.
#
# PULL_REQUEST is named in the commit message. TOKEN, if set, may write contents.
set -u -o pipefail
NAME=profile-run-pictures BYTES_MAX=5000000 TRIES=5
NOW=${NOW:-$(date +%s)}
export GIT_AUTHOR_NAME=profile_run GIT_AUTHOR_EMAIL=profile_run@localhost GIT_TERMINAL_PROMPT=0
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
if [ -n "${TOKEN:-}" ]; then
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraheader GIT_CONFIG_VALUE_0
	GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)"
fi

fail() {
	echo "::error title=profile_run::$*"
	exit 2
}

# They were drawn by a job that reads what anyone may have made.
check() {
	local file
	for file in "$PICTURES/picture.png" "$PICTURES/picture.svg"; do
		[ -f "$file" ] && ! [ -L "$file" ] || fail "$(basename "$file") is missing"
		[ "$(stat -c %s "$file")" -le $BYTES_MAX ] ||
			fail "$(basename "$file") has more than $BYTES_MAX bytes"
	done
	[ "$(head -c 8 "$PICTURES/picture.png" | od -An -tx1)" = ' 89 50 4e 47 0d 0a 1a 0a' ] ||
		fail "picture.png is no PNG"
	[ "$(head -c 5 "$PICTURES/picture.svg")" = '<?xml' ] &&
		! grep -qiE '<script|<!ENTITY|javascript:|<foreignObject' "$PICTURES/picture.svg" ||
		fail "picture.svg is no still picture"
}

# Others may push to the same branch at the same time.
push() { # BRANCH TREE
	local try head commit parents
	for ((try = 1; try <= TRIES; try++)); do
		head=$(git ls-remote "$REMOTE" "refs/heads/$1" | cut -f 1) || return
		parents=()
		if [ -n "$head" ]; then
			git fetch -q --depth=1 "$REMOTE" "$head" || continue
			parents=(-p "$head")
		fi
		commit=$(git commit-tree "$2" "${parents[@]}" -m "pictures of pull request $PULL_REQUEST") ||
			return
		git push -q "$REMOTE" "$commit:refs/heads/$1" && echo "$commit" && return
		sleep $((try - 1))
	done
	return 1
}

prune() {
	local ref month
	git ls-remote "$REMOTE" "refs/heads/$NAME-*" | cut -f 2 | while read -r ref; do
		month=${ref#"refs/heads/$NAME-"}
		[[ $month =~ ^[0-9]{4}-[0-9]{2}$ ]] || continue
		[ "$(date -u -d "$month-01 +1 month +$DAYS days" +%s)" -lt "$NOW" ] || continue
		git push -q "$REMOTE" --delete "$ref" ||
			echo "::notice title=profile_run::$ref could not be removed"
	done
}

[[ $PULL_REQUEST =~ ^[0-9]+$ && $DAYS =~ ^[0-9]{1,4}$ ]] || fail "expected numbers"
check
store=$(mktemp -d) || exit 2
trap 'rm -rf "$store"' EXIT
export GIT_DIR=$store
git init -q --bare "$store" || exit 2
tree=$(for file in picture.png picture.svg; do
	printf '100644 blob %s\t%s\n' "$(git hash-object -w "$PICTURES/$file")" $file
done | git mktree) || exit 2
commit=$(push "$NAME-$(date -u -d "@$NOW" +%Y-%m)" "$tree") || fail "the pictures could not be pushed"
echo "commit=$commit" >>"$GITHUB_OUTPUT"
prune
