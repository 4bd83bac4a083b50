# The optional workloads on real servers and databases work, each where its programs are installed,
# and count what their drivers ask for.
#
# May run beside others.
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

# counts WORKLOAD CALL AT_LEAST AT_MOST
counts() {
	local n try
	# On a busy machine records may be lost, which voids the run.
	for try in 1 2 3; do
		"$PROFILE_RUN" capture --workload "workloads/optional/$1.yaml" -o "$1" -q 2>err.txt && break
		cat err.txt
		grep -q 'were lost' err.txt && [ "$try" -lt 3 ] || return
	done
	n=$(calls "$1/folded.txt" "$2")
	echo "$n calls of $2, expected $3 to $4"
	[ "$n" -ge "$3" ] && [ "$n" -le "$4" ]
}

if ! "$PROFILE_RUN" doctor 2>/dev/null | grep -q "tracepoint delivers every call"; then
	traced=no
fi
# of WORKLOAD CALL AT_LEAST AT_MOST: skips where something is missing.
of() {
	local build reason
	build=$(sed -n 's/^build: //p' "workloads/optional/$1.yaml")
	if ! reason=$($build 2>&1); then
		skip "the workload $1" "$(tail -n 1 <<<"$reason")"
	elif [ "${traced:-yes}" = no ] && grep -q '^service' "workloads/optional/$1.yaml"; then
		skip "the workload $1" "the kernel's tracepoint of system calls cannot be used here"
	else
		check "the workload $1 counts $2" counts "$@"
	fi
}
of redis read 20000 20500
of nginx sendfile 5000 5050
of postgres sendto 5000 5100
of sqlite_fsync fdatasync 1200 1210
needs_nothing() { workloads/optional/needs sh:dash; }
check "programs that are there are no problem" needs_nothing
check "a missing one is named, with its package" exits 1 workloads/optional/needs sh:dash nosuch:nosuch-tools
check "so that it can be installed" contains err.txt "nosuch is not installed: apt-get install nosuch-tools"
finish
