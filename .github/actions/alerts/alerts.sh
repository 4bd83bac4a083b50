#!/bin/bash
# alerts.sh: keeps an issue for each event, which workloads and functions became slower with, of the last
# nights, as TREND says, which `profile_run trend --json` has printed: opened, kept up to date, and closed after
# CLEAN_NIGHTS nights on the earlier level. One that somebody closed stays closed.
#
# The issues are those by AUTHOR with the label LABEL. No more than OPEN_MAX are opened at a time. URL is
# where the history can be read. TOKEN may write issues. Says in $GITHUB_OUTPUT how many were opened,
# updated and closed.
set -u -o pipefail
LC_ALL=C
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=../comment/api.sh
. "$here/../comment/api.sh"
ISSUES_A_PAGE=100 PAGES_MAX=50 OPEN_MAX=10 CLEAN_NIGHTS=5

fail() { # TEXT...
	error "$@"
	exit 2
}

# Prints the issues as one array.
list_issues() {
	local page issues all='[]'
	for ((page = 1; page <= PAGES_MAX; page++)); do
		issues=$(api GET \
			"issues?state=all&labels=$LABEL&per_page=$ISSUES_A_PAGE&page=$page") || return
		all=$(jq -s 'if all(type == "array") then add else error("no list") end' \
			<(printf %s "$all") <(printf %s "$issues")) || return
		[ "$(jq length <<<"$issues")" -eq $ISSUES_A_PAGE ] || break
	done
	printf %s "$all"
}

[[ $LABEL =~ ^[A-Za-z0-9_-]{1,50}$ ]] || fail "label: expected letters, digits, - and _"
jq -e '.format_version == 1 and (.changes | type) == "array"' "$TREND" >/dev/null 2>&1 ||
	fail "'$TREND' is not what 'profile_run trend --json' prints"
# A history without a night has nothing to say.
jq -e .last "$TREND" >/dev/null || exit 0
issues=$(list_issues) || fail "the issues cannot be read"
actions=$(jq -c --slurpfile all <(printf %s "$issues") --arg author "$AUTHOR" --arg name "$LABEL" \
	--arg server "${GITHUB_SERVER_URL:-https://github.com}" --arg repository "$GITHUB_REPOSITORY" \
	--arg url "$URL" --argjson clean_nights "$CLEAN_NIGHTS" \
	"\$all[0] as \$issues | $(cat "$here/alerts.jq")" "$TREND") || fail "the alerts cannot be made"

opened=0 updated=0 closed=0 left=0
while read -r action; do
	[ -n "$action" ] || continue
	method=$(jq -r .method <<<"$action")
	if [ "$method" = POST ] && [ $opened -ge $OPEN_MAX ]; then
		left=$((left + 1))
		continue
	fi
	jq -c .send <<<"$action" | api "$method" "$(jq -r .path <<<"$action")" >/dev/null ||
		fail "an issue could not be written"
	case $method$(jq -r '.send.state // ""' <<<"$action") in
	POST) opened=$((opened + 1)) ;;
	*closed) closed=$((closed + 1)) ;;
	*) updated=$((updated + 1)) ;;
	esac
done <<<"$actions"
[ $left -eq 0 ] || echo "::warning title=profile_run::$left more slowdowns have no issue yet:" \
	"$OPEN_MAX are opened at a time"
echo "profile_run: issues: $opened opened, $updated updated, $closed closed"
{
	echo "opened=$opened"
	echo "updated=$updated"
	echo "closed=$closed"
} >>"$GITHUB_OUTPUT"
