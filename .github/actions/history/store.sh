#!/bin/bash
# store.sh: adds reports to the history on BRANCH of REMOTE, which holds nothing else and is made if it
# is not there. Several may write at the same time: what was pushed in between is fetched, and the
# reports are added to that.
#
# REPORTS are folders of reports, one a line; what holds no report is left out. PROGRAM is profile_run,
# REPORT_URL where the reports can be read. Nights that are more than KEEP_DAYS old are removed; 0: none
# are. Says in $GITHUB_OUTPUT where the history that was pushed can be read: history.
set -u -o pipefail
LC_ALL=C
ATTEMPTS=8

error() { # TEXT...
	echo "::error title=profile_run::$*"
	exit 2
}

[[ $KEEP_DAYS =~ ^[0-9]{1,5}$ ]] || error "keep-days: expected a number of days"
git check-ref-format --branch "$BRANCH" >/dev/null 2>&1 || error "'$BRANCH' is no name of a branch"
mapfile -t reports < <(grep . <<<"$REPORTS")
# What it has of the history is read by later steps; the runner removes its temporary folder.
folder=$(mktemp -d -p "${RUNNER_TEMP:-/tmp}") || exit 2
trap 'rm -rf "$folder/index" "$folder/index.lock"' EXIT
export GIT_INDEX_FILE=$folder/index

# Sets parent to the commit that the branch is at, "" if there is none.
fetch() {
	local tip
	parent=
	tip=$(git ls-remote --heads "$REMOTE" "refs/heads/$BRANCH") || return
	[ -n "$tip" ] || return 0
	git fetch --quiet --no-tags --depth=1 "$REMOTE" "refs/heads/$BRANCH" || return
	parent=$(git rev-parse FETCH_HEAD)
}

# A line begins with its time, so that what is too old is known without reading more.
drop_old() {
	local oldest file
	[ "$KEEP_DAYS" -gt 0 ] || return 0
	oldest=$(date -u -d "$KEEP_DAYS days ago" +%FT%TZ) || return
	for file in "$folder"/tree/history/*/*.tsv; do
		[ -f "$file" ] || continue
		awk -v oldest="$oldest" '/^#/ || $1 >= oldest' "$file" >"$folder/kept" || return
		cmp -s "$folder/kept" "$file" || cp "$folder/kept" "$file" || return
	done
}

# Makes the history that is to be pushed, and sets tree.
make_tree() {
	local report
	rm -rf "$folder/tree" "$folder/index"
	mkdir -p "$folder/tree/history" || return
	if [ -n "$parent" ]; then
		git read-tree "$parent" &&
			git --work-tree="$folder/tree" checkout-index --quiet --all --force || return
	fi
	for report in "${reports[@]}"; do
		[ -n "$(find "$report/" -name replay.bin -print -quit 2>/dev/null)" ] || continue
		"$PROGRAM" history add "$report" --history "$folder/tree/history" \
			--report-url "$REPORT_URL" || return
	done
	drop_old || return
	git --work-tree="$folder/tree" add --all --force "$folder/tree" || return
	tree=$(git write-tree)
}

# 0: the branch has it; 1: another was faster; 2: it cannot be made.
push_once() {
	local commit
	fetch || return 2
	make_tree || return 2
	[ -n "$(git ls-files | head -n 1)" ] || return 0
	[ -z "$parent" ] || [ "$tree" != "$(git rev-parse "$parent^{tree}")" ] || return 0
	commit=$(git -c user.name='profile_run' -c user.email='profile_run@users.noreply.github.com' \
		commit-tree "$tree" ${parent:+-p "$parent"} -m "history: $(date -u +%F)") || return 2
	git push --quiet "$REMOTE" "$commit:refs/heads/$BRANCH"
}

for ((attempt = 1; attempt <= ATTEMPTS; attempt++)); do
	push_once
	case $? in
	0)
		echo "history=$folder/tree/history" >>"$GITHUB_OUTPUT"
		exit 0
		;;
	2) error "the history could not be made" ;;
	esac
	echo "profile_run: the branch '$BRANCH' was written to by another; again" >&2
	sleep "$((RANDOM % (attempt + 1))).$((RANDOM % 10))"
done
error "the history could not be pushed to '$BRANCH' in $ATTEMPTS attempts"
