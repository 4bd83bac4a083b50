# The optional workloads on real servers and databases work, each where its programs are installed,
# and count what their drivers ask for.
#
# Takes long.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

# Workloads write below the folder that they are run in.
mkdir -p workloads/bin
cp -r "$ROOT/workloads/optional" "$ROOT/workloads/src" "$ROOT/workloads/Makefile" workloads

# calls FILE NAME: how many of them are in the folded stacks.
calls() {
	awk -v name="$2" '{ weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";")
		if (frames[n] ~ "^" name) sum += weight } END { print sum + 0 }' "$1"
}

# On a busy machine records may be lost, which voids the run.
captured() { # WORKLOAD
	local try
	for try in 1 2 3; do
		"$PROFILE_RUN" capture --workload "workloads/optional/$1.yaml" -o "$1" -q >/dev/null 2>err.txt &&
			return
		grep -q 'were lost' err.txt && [ "$try" -lt 3 ] || return
	done
}

# counts WORKLOAD CALL AT_LEAST AT_MOST
counts() {
	local n
	cat err.txt
	n=$(calls "$1/folded.txt" "$2")
	echo "$n calls of $2, expected $3 to $4"
	[ "$n" -ge "$3" ] && [ "$n" -le "$4" ]
}

if ! "$PROFILE_RUN" doctor 2>/dev/null | grep -q "tracepoint delivers every call"; then
	traced=no
fi
# of WORKLOAD CALL AT_LEAST AT_MOST: skips where something is missing.
of() {
	if [ "${traced:-yes}" = no ] && grep -q '^service' "workloads/optional/$1.yaml"; then
		skip "the workload $1" "the kernel's tracepoint of system calls cannot be used here"
	elif ! captured "$1" && grep -q 'not installed' err.txt; then
		skip "the workload $1" "$(head -n 1 err.txt)"
	else
		check "the workload $1 counts $2" counts "$@"
	fi
}
of redis read 20000 20500
of nginx sendfile 5000 5050
of postgres sendto 5000 5100
of sqlite_fsync fdatasync 1200 1210

if ! can_capture; then
	skip "a gate skips what is not installed" "perf_event_open is refused here"
	finish
fi
mkdir some
printf 'name: absent\nrequires: {no-such-server: no-such-tools}\nrun: [/bin/false]\n' \
	>some/absent.yaml
printf 'name: quick\nrun: [/bin/sh, -c, "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"]\n' \
	>some/quick.yaml
check "a gate is of what is installed" exits 0 "$PROFILE_RUN" gate --runs 3 --max-runs 3 some
check "and says what it skipped" contains out.txt ", 1 skipped"
check "and what to install" contains out.txt \
	"no-such-server is not installed: apt-get install no-such-tools"
check "it is skipped in JUnit" contains reports/latest/junit.xml \
	'<skipped message="no-such-server is not installed'
check "its report can be made again" exits 0 "$PROFILE_RUN" replay reports/latest -o again
check "with the same verdict" cmp <(jq -S '.workloads[] | [.name, .status, .error]' \
	reports/latest/verdict.json) <(jq -S '.workloads[] | [.name, .status, .error]' again/verdict.json)
finish
