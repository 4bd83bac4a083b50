#!/bin/bash
# verdict.sh: marks what was found in the source, and ends as the job is to end. CODE is the gate's
# exit code, VERDICT and REPORT what gate.sh said, FAIL_ON (fail, inconclusive or warn) the least
# verdict that fails the job. What could not be measured always does. Of a SHARD nothing does but that
# there is no report: the job that merges has the verdict, and marks the source.
set -u
if [ -n "${SHARD:-}" ] && [ -n "$REPORT" ]; then
	echo "::notice title=profile_run::shard $SHARD is measured (by itself: $VERDICT); the verdict is" \
		"that of all shards"
	exit 0
fi
[ -z "$REPORT" ] || cat "$REPORT/annotations.txt"
case $FAIL_ON in
fail)
	failing=
	[ "${CODE:-2}" -ne 3 ] || CODE=0
	;;
inconclusive) failing= ;;
warn) failing=' inconclusive warn ' ;;
*)
	echo "::error title=profile_run::fail-on is 'fail', 'inconclusive' or 'warn', not '$FAIL_ON'"
	exit 2
	;;
esac
if [ "${CODE:-2}" -ne 0 ]; then
	[ -n "$REPORT" ] || echo "::error title=profile_run::no verdict; see the log of the gate"
	exit "${CODE:-2}"
fi
case $failing in
*" $VERDICT "*)
	echo "::error title=profile_run::$VERDICT, which fails here (fail-on: $FAIL_ON)"
	exit 1
	;;
esac
