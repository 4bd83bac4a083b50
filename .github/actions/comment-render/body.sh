#!/bin/bash
# body.sh: writes the comment of the report in REPORT, with links to PAGE_URL and RUN_URL, into
# $GITHUB_OUTPUT: body. MARKER tells several comments on one pull request apart. Unless PICTURES is
# empty, what changed is drawn into that folder, and the comment shows it as of a commit that is not
# known yet (@PICTURES@); pictures=branch then says that it is to be pushed.
set -u -o pipefail
# shellcheck source=../comment/api.sh
. "$(dirname "${BASH_SOURCE[0]}")/../comment/api.sh"

options=(--marker "$MARKER" --run "$RUN_URL")
[ -z "$PAGE_URL" ] || options+=(--page "$PAGE_URL")

make_body() {
	if ! body=$("$PROGRAM" export "$REPORT" --to comment "${options[@]}"); then
		error "the comment could not be made"
		exit 2
	fi
}

# Fails where there is nothing to draw, or by.
draw() {
	mkdir -p "$PICTURES" || return
	command -v rsvg-convert >/dev/null || { sudo apt-get update -qq && sudo apt-get install -qq -y \
		--no-install-recommends librsvg2-bin fonts-dejavu-core; } >/dev/null
	"$PROGRAM" export "$REPORT" --to picture --output "$PICTURES/picture.svg" &&
		"$PROGRAM" export "$REPORT" --to picture --output "$PICTURES/picture.png"
}

make_body
# A comment that has nothing to say is not worth a picture.
if [ -n "$PICTURES" ] && [[ $(sed -n 2p <<<"$body") = *' findings -->' ]]; then
	if draw; then
		raw=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/raw/@PICTURES@
		options+=(--picture "$raw/picture.png" --vector "$raw/picture.svg")
		make_body
		echo "pictures=branch" >>"$GITHUB_OUTPUT"
	else
		echo "::notice title=profile_run::the comment has no picture"
	fi
fi
# Nothing in the body can be the line that ends it.
end=end-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
{
	echo "body<<$end"
	printf '%s\n' "$body"
	echo "$end"
} >>"$GITHUB_OUTPUT"
