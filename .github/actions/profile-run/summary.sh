#!/bin/bash
# summary.sh: the report's summary becomes that of the step. REPORT is its folder; empty where the
# gate wrote none.
set -u
if [ -n "$REPORT" ]; then
	cat "$REPORT/summary.md" >>"$GITHUB_STEP_SUMMARY"
else
	echo "profile_run wrote no report; the log of the gate says why." >>"$GITHUB_STEP_SUMMARY"
fi
