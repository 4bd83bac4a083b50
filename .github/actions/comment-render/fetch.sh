#!/bin/bash
# fetch.sh: fetches what the run RUN_ID uploaded for its comment into the folder DATA, as unpack.py
# leaves it, and says in $GITHUB_OUTPUT for which pull request that is: pull-request; empty where there
# is to be no comment. All of it may have been made by anyone: it is checked, or refused with exit
# status 2.
#
# HEAD_SHA and HEAD_REPOSITORY: see check_head(). TOKEN may read artifacts.
set -u -o pipefail
# shellcheck source=../comment/api.sh
. "$(dirname "${BASH_SOURCE[0]}")/../comment/api.sh"
ARTIFACT=profile-run-comment ZIP_BYTES_MAX=100000000

no_comment() { # TEXT...
	[ $# -eq 0 ] || echo "::notice title=profile_run::no comment: $*"
	echo "pull-request=" >>"$GITHUB_OUTPUT"
	exit 0
}

refuse() { # TEXT...
	error "$@"
	exit 2
}

if ! artifact=$(api GET "actions/runs/$RUN_ID/artifacts?name=$ARTIFACT" |
	jq -r --arg name $ARTIFACT '[.artifacts[] | select(.name == $name and (.expired | not))] |
		max_by(.created_at) // empty | "\(.id) \(.size_in_bytes)"'); then
	refuse "the artifacts of run $RUN_ID cannot be read"
fi
[ -n "$artifact" ] || no_comment "the run has no artifact $ARTIFACT; see its log"
read -r id bytes <<<"$artifact"
[ "$bytes" -le $ZIP_BYTES_MAX ] ||
	refuse "the artifact is refused: it has $bytes bytes, more than $ZIP_BYTES_MAX"

# The answer leads to another host, which is not shown the token. It may send more than was said.
mkdir -p "$DATA" || exit 2
zip=$DATA/artifact.zip
api GET "actions/artifacts/$id/zip" --location | head -c $((ZIP_BYTES_MAX + 1)) >"$zip"
fetched=$?
[ "$(stat -c %s "$zip")" -le $ZIP_BYTES_MAX ] ||
	refuse "the artifact is refused: it has more than $ZIP_BYTES_MAX bytes"
[ $fetched -eq 0 ] || refuse "the artifact $ARTIFACT cannot be fetched"
reason=$(python3 -I "$(dirname "${BASH_SOURCE[0]}")/unpack.py" "$zip" "$DATA" 2>&1) ||
	refuse "${reason##*$'\n'}"
rm -f "$zip"

# A name of a pull request by the artifact is as good as any: the head decides.
number=$(tr -d '\n' <"$DATA/pull-request" | tr -c '0-9' x)
check_head "$number"
case $? in
0) echo "pull-request=$number" >>"$GITHUB_OUTPUT" ;;
1) no_comment ;;
*) exit 2 ;;
esac
