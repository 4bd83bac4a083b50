#!/bin/bash
# body.sh: writes the comment of the report in REPORT, with links to PAGE_URL and RUN_URL, into
# $GITHUB_OUTPUT: body. MARKER tells several comments on one pull request apart.
set -u -o pipefail
# shellcheck source=../comment/api.sh
. "$(dirname "${BASH_SOURCE[0]}")/../comment/api.sh"

options=(--marker "$MARKER" --run "$RUN_URL")
[ -z "$PAGE_URL" ] || options+=(--page "$PAGE_URL")
if ! body=$("$PROGRAM" export "$REPORT" --to comment "${options[@]}"); then
	error "the comment could not be made"
	exit 2
fi
# Nothing in the body can be the line that ends it.
end=end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
{
	echo "body<<$end"
	printf '%s\n' "$body"
	echo "$end"
} >>"$GITHUB_OUTPUT"
