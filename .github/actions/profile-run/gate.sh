#!/bin/bash
# gate.sh: runs the gate and says in $GITHUB_OUTPUT what came of it: exit-code, verdict, counts (JSON),
# report (its folder; empty where the gate wrote none) and artifact (a name no other step uses).
#
# PROGRAM is profile_run. The action's inputs are WORKLOADS and ARGS (separated by spaces or lines),
# CONFIG, BASELINES, AGAINST, REPORTS and ARTIFACT.
set -u
read -r -d '' -a names <<<"$WORKLOADS"
read -r -d '' -a more <<<"$ARGS"
options=(--reports "$REPORTS")
[ -z "$CONFIG" ] || options+=(--config "$CONFIG")
if [ -n "$AGAINST" ]; then
	options+=(--against "$AGAINST")
else
	options+=(--baselines "$BASELINES")
fi

# What was there before is not of this gate.
before=$(readlink "$REPORTS/latest")
"$PROGRAM" gate "${names[@]}" "${options[@]}" "${more[@]}"
code=$?
report=$(readlink "$REPORTS/latest")
[ "$report" != "$before" ] || report=
time=${report:-none}
report=${report:+$REPORTS/$report}

{
	echo "exit-code=$code"
	echo "report=$report"
	echo "artifact=${ARTIFACT:-profile-run-${GITHUB_JOB:-gate}-$time-$RANDOM}"
	if [ -n "$report" ]; then
		awk -F'"' '
			/^\t"status":/ { print "verdict=" $4 }
			/^\t\t\t"status":/ { n[$4]++ }
			END {
				printf "counts={"
				split("pass warn inconclusive fail error", all, " ")
				for (i = 1; i <= 5; i++)
					printf "%s\"%s\": %d", (i > 1 ? ", " : ""), all[i], n[all[i]]
				print "}"
			}' "$report/verdict.json"
	fi
} >>"$GITHUB_OUTPUT"
