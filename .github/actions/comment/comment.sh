#!/bin/bash
# comment.sh: puts BODY, as `profile_run export --to comment` writes it, into the one comment on the
# pull request PULL_REQUEST: the earlier one by AUTHOR whose first line is the same, or a new one.
# A body with nothing to say only replaces an earlier comment. Says in $GITHUB_OUTPUT what was done:
# action (none, created, updated or resolved) and url.
#
# PICTURES is the commit that has the pictures, "" if there is none: @PICTURES@ in the body's links
# stands for it. HEAD_SHA and HEAD_REPOSITORY: see check_head(). TOKEN may write comments.
set -u -o pipefail
LC_ALL=C
# shellcheck source=api.sh
. "$(dirname "${BASH_SOURCE[0]}")/api.sh"
BODY_BYTES_MAX=60000 COMMENTS_A_PAGE=100 PAGES_MAX=100

# In names '@' is followed by a word joiner, so that none of them can be taken for the mark. A line with
# a picture has nothing else.
if [[ ${PICTURES:-} =~ ^[0-9a-f]{40,64}$ ]]; then
	BODY=${BODY//@PICTURES@/$PICTURES}
else
	BODY=$(grep -v '@PICTURES@' <<<"$BODY")
fi
{
	read -r marker
	read -r state
} <<<"$BODY"
if ! [[ $marker =~ ^'<!-- profile_run comment '[A-Za-z0-9_.-]+' -->'$ ]] ||
	! [[ $state =~ ^'<!-- profile_run state '(quiet|findings)' -->'$ ]] ||
	[ ${#BODY} -gt $BODY_BYTES_MAX ]; then
	error "this is no comment of profile_run, or longer than $BODY_BYTES_MAX bytes"
	exit 2
fi
state=${BASH_REMATCH[1]}

done_as() { # ACTION URL
	echo "profile_run: comment on pull request $PULL_REQUEST: $1"
	{
		echo "action=$1"
		echo "url=$2"
	} >>"$GITHUB_OUTPUT"
	exit 0
}

# Prints the id of the earlier comment, if there is one. A marker can be copied, an author cannot.
find_earlier() {
	local page comments
	for ((page = 1; page <= PAGES_MAX; page++)); do
		comments=$(api GET \
			"issues/$PULL_REQUEST/comments?per_page=$COMMENTS_A_PAGE&page=$page") || return
		jq -e 'type == "array"' <<<"$comments" >/dev/null || return
		jq -er --arg marker "$marker" --arg author "$AUTHOR" 'first(.[] |
			select(.user.login == $author and (.body | startswith($marker))) | .id)' \
			<<<"$comments" && return
		[ "$(jq length <<<"$comments")" -eq $COMMENTS_A_PAGE ] || return 0
	done
}

check_head "$PULL_REQUEST"
case $? in
0) ;;
1) done_as none '' ;;
*) exit 2 ;;
esac
if ! earlier=$(find_earlier); then
	error "the comments on pull request $PULL_REQUEST cannot be read"
	exit 2
fi
if [ -n "$earlier" ]; then
	request=(PATCH "issues/comments/$earlier")
	action=updated
	[ "$state" != quiet ] || action=resolved
elif [ "$state" = quiet ]; then
	done_as none ''
else
	request=(POST "issues/$PULL_REQUEST/comments")
	action=created
fi
if ! answer=$(printf %s "$BODY" | jq -Rs '{body: .}' | api "${request[@]}"); then
	error "the comment on pull request $PULL_REQUEST could not be written"
	exit 2
fi
done_as $action "$(jq -r .html_url <<<"$answer")"
