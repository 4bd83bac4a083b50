#!/bin/bash
# data.sh: copies what a comment on the pull request PULL_REQUEST is made from, out of the report in
# REPORT, into the folder DATA: its number, and replay.bin of each workload. comment.yml trusts none of
# it.
set -u
mkdir -p "$DATA/report" || exit 2
echo "$PULL_REQUEST" >"$DATA/pull-request"
for file in "$REPORT"/*/replay.bin; do
	[ -e "$file" ] || continue
	workload=$(basename "$(dirname "$file")")
	mkdir -p "$DATA/report/$workload" && cp "$file" "$DATA/report/$workload/" || exit 2
done
