#!/bin/bash
# replay.sh: makes the report anew from the data that fetch.sh left in DATA, into the folder REPORT,
# and its page as the file PAGE. Nothing that came with the data but replay.bin is used. Says in
# $GITHUB_OUTPUT whether the report has more than that page: pages (one or many). Exit status 2: the
# data are no report.
set -u -o pipefail
# shellcheck source=../comment/api.sh
. "$(dirname "${BASH_SOURCE[0]}")/../comment/api.sh"
MEMORY_KIB_MAX=4000000 SECONDS_MAX=300

# What is said of the data can quote them: no line of it may begin as a workflow command.
(ulimit -v $MEMORY_KIB_MAX && timeout $SECONDS_MAX "$PROGRAM" replay --quiet "$DATA/report" \
	--output "$REPORT") 2>&1 >/dev/null | sed 's/^/  | /'
if ! [ -e "$REPORT/verdict.json" ]; then
	error "the artifact is refused: its data are no report of this version of profile_run"
	exit 2
fi
cp "$REPORT/index.html" "$PAGE"
pages=one
[ -z "$(find "$REPORT" -mindepth 2 -name index.html -print -quit)" ] || pages=many
echo "pages=$pages" >>"$GITHUB_OUTPUT"
