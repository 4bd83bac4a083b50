# api.sh: what the scripts that use GitHub's API share; sourced by them. TOKEN is what they may do by.
# GITHUB_API_URL and GITHUB_REPOSITORY are the runner's.
# shellcheck shell=bash

# api METHOD PATH [CURL-OPTION...]: prints the answer to a request below the repository. What is sent, if anything, is
# JSON on standard input. Only reading is repeated: a request that seems to have failed may have
# written.
api() {
	local options=(--retry 2)
	[ "$1" = GET ] || options=(--request "$1" --data-binary @-)
	# The token is no argument: those can be seen by every process.
	curl --silent --show-error --fail --max-time 60 "${options[@]}" "${@:3}" \
		--header 'Accept: application/vnd.github+json' \
		--header 'X-GitHub-Api-Version: 2022-11-28' \
		--header @<(printf 'Authorization: Bearer %s\n' "$TOKEN") \
		"$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$2"
}

error() { # TEXT...
	echo "::error title=profile_run::$*"
}

# Whether the run was of the pull request as it is now: of HEAD_SHA, a commit of the repository with
# the id HEAD_REPOSITORY. 1: not any more, which is said; 2: it never was, or cannot be known.
check_head() { # NUMBER
	local state sha repository answer
	if ! [[ $1 =~ ^[1-9][0-9]{0,8}$ && $HEAD_SHA =~ ^[0-9a-f]{40,64}$ ]]; then
		error "expected the number of a pull request and the commit of a run"
		return 2
	fi
	if ! answer=$(api GET "pulls/$1"); then
		error "pull request $1 cannot be read"
		return 2
	fi
	read -r state sha repository < <(jq -r '"\(.state) \(.head.sha) \(.head.repo.id)"' <<<"$answer")
	if [ "$repository" != "$HEAD_REPOSITORY" ]; then
		error "the run was of another repository than the head of pull request $1"
		return 2
	fi
	if [ "$sha" != "$HEAD_SHA" ]; then
		echo "::notice title=profile_run::no comment: the run was of ${HEAD_SHA:0:12}," \
			"which is no longer the head of pull request $1"
		return 1
	fi
	if [ "$state" != open ]; then
		echo "::notice title=profile_run::no comment: pull request $1 is closed"
		return 1
	fi
}
