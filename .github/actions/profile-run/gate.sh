#!/bin/bash
# gate.sh: runs the gate and says in $GITHUB_OUTPUT what came of it: exit-code, verdict, counts (JSON),
# report (its folder; empty where the gate wrote none) and artifact (a name no other step uses).
#
# PROGRAM is profile_run. The action's inputs are WORKLOADS and ARGS (separated by spaces or lines),
# CONFIG, BASELINES, AGAINST, POLICY_FROM, REPORTS, ARTIFACT, SHARD and MERGE.
set -u

# The base of a pull request or of a merge queue; nothing elsewhere. What GitHub checks out for a pull
# request is its merge into the base, whose first parent is the base; of any other commit the parents
# are the pull request's own choice, so that the event says which commit is the base.
base_commit() {
	local base
	case ${GITHUB_EVENT_NAME:-} in
	pull_request)
		if [ "$(git rev-parse HEAD)" = "${GITHUB_SHA:-}" ] &&
			git rev-parse --quiet --verify 'HEAD^2' >/dev/null &&
			git cat-file -e 'HEAD^1' 2>/dev/null; then
			git rev-parse 'HEAD^1'
			return
		fi
		base=$(jq -er .pull_request.base.sha "$GITHUB_EVENT_PATH") || return
		;;
	pull_request_target) base=$(jq -er .pull_request.base.sha "$GITHUB_EVENT_PATH") || return ;;
	merge_group) base=$(jq -er .merge_group.base_sha "$GITHUB_EVENT_PATH") || return ;;
	*) return ;;
	esac
	[[ $base =~ ^[0-9a-f]{40,64}$ ]] || return
	git cat-file -e "$base^{commit}" 2>/dev/null ||
		git fetch --quiet --no-tags --depth=1 origin "$base" || return
	echo "$base"
}

if [ -z "${MERGE:-}" ] && [ -z "${POLICY_FROM:-}" ] && ! POLICY_FROM=$(base_commit); then
	echo "::error title=profile_run::the base of the pull request is not there, whose policy judges;" \
		"check it out with 'fetch-depth: 2', or give the action 'policy-from: none'"
	echo "exit-code=2" >>"$GITHUB_OUTPUT"
	exit 0
fi

# Runs COMMAND with workflow commands stopped: builds and programs of a pull request print what they
# like. The token that ends it is not known to them.
without_commands() { # COMMAND...
	local token code
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	echo "::stop-commands::$token"
	"$@"
	code=$?
	# A program may have left a line without its end.
	printf '\n::%s::\n' "$token"
	return $code
}

# The files of all shards, wherever they were put below the folder.
merge_shards() {
	local files=()
	mapfile -d '' files < <(find "$MERGE" -name shard.bin -print0 2>/dev/null | sort -z)
	if [ ${#files[@]} -eq 0 ]; then
		echo "::error title=profile_run::no shard.bin below '$MERGE'; did the shards upload their reports?"
		return 2
	fi
	without_commands "$PROGRAM" merge --ci none --reports "$REPORTS" "${files[@]}"
}

# Fetches the commits of the baselines that a shallow clone lacks: on a machine of another class the
# gate builds them to compare with.
fetch_bases() {
	local commit
	[ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ] || return 0
	sed -n 's/^[[:space:]]*"commit":[[:space:]]*"\([0-9a-f]\{40,64\}\)".*/\1/p' \
		"$BASELINES"/*/*/*/baseline.json 2>/dev/null | sort -u | head -n 20 |
		while read -r commit; do
			git cat-file -e "$commit^{commit}" 2>/dev/null ||
				git fetch --quiet --no-tags --depth=1 origin "$commit" ||
				echo "::notice title=profile_run::commit $commit, which a baseline is of," \
					"could not be fetched"
		done
}

# Lets the gate run the programs that it measures ahead of other processes (profile_run-machine(7)).
permit_priority() {
	[ "$(id -u)" -eq 0 ] || sudo -n prlimit --pid $$ --nice=40:40 2>/dev/null
}

measure() {
	local names more options
	read -r -d '' -a names <<<"$WORKLOADS"
	read -r -d '' -a more <<<"$ARGS"
	# verdict.sh prints the annotations, where workflow commands are not stopped.
	options=(--ci none --reports "$REPORTS")
	[ -z "$CONFIG" ] || options+=(--config "$CONFIG")
	if [ -n "$AGAINST" ]; then
		options+=(--against "$AGAINST")
	else
		options+=(--baselines "$BASELINES")
		fetch_bases
	fi
	[ -z "$POLICY_FROM" ] || [ "$POLICY_FROM" = none ] || options+=(--policy-from "$POLICY_FROM")
	[ -z "${SHARD:-}" ] || options+=(--shard "$SHARD")
	permit_priority
	without_commands "$PROGRAM" gate "${names[@]}" "${options[@]}" "${more[@]}"
}

# The report that `latest` names, if this gate has made it: the programs that ran may have changed the
# link, or left it at an older report.
own_report() { # REPORTS_BEFORE
	local name
	name=$(readlink "$REPORTS/latest") || return
	[[ $name =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}Z(-[0-9]+)?$ ]] || return
	[ -d "$REPORTS/$name" ] && [ ! -L "$REPORTS/$name" ] || return
	grep -qxF -- "$name" <<<"$1" || echo "$name"
}

before=$(ls -A "$REPORTS" 2>/dev/null)
if [ -n "${MERGE:-}" ]; then
	merge_shards
else
	measure
fi
code=$?
report=$(own_report "$before")
name=profile-run-${GITHUB_JOB:-gate}-${report:-none}-$RANDOM
[ -z "${SHARD:-}" ] || name=profile-run-shard-${SHARD/\//-of-}
report=${report:+$REPORTS/$report}

{
	echo "exit-code=$code"
	echo "report=$report"
	echo "artifact=${ARTIFACT:-$name}"
	if [ -n "$report" ]; then
		awk -F'"' '
			/^\t"status":/ { print "verdict=" $4 }
			/^\t\t\t"status":/ { n[$4]++ }
			END {
				printf "counts={"
				split("pass warn inconclusive fail error skipped", all, " ")
				for (i = 1; i <= 6; i++)
					printf "%s\"%s\": %d", (i > 1 ? ", " : ""), all[i], n[all[i]]
				print "}"
			}' "$report/verdict.json"
	fi
} >>"$GITHUB_OUTPUT"
