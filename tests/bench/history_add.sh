#!/bin/bash
# Adding a night to a long history: CPU time and peak memory of `history add` of a report whose workload
# has a file of 59 MB, and one of an eighth of it, beside a history that has no file yet.
#
# usage: history_add.sh [MB]
#
# The least CPU time and the most memory of ROUNDS (20) nights is taken. PROFILE_RUN and CC name the
# programs to use.
#
# Fails above LIMIT_MS (5) more than the history without a file takes, or where the larger file takes
# 10 % more time or memory than the smaller one.
set -u

program=${PROFILE_RUN:-build/profile_run}
mb=${1:-59}
rounds=1
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# shellcheck source=tests/bench/cost.bash
. "$here/cost.bash"
make_parts meter
make -s build/bench/merge || broken "no input"
build/bench/merge "$dir" 1 5 || broken "no input"
"$program" merge -o "$dir/report" "$dir"/[0-9]* >"$dir/out.txt" 2>"$dir/stderr"
"$program" history add -H "$dir/new" "$dir/report" >"$dir/stderr" 2>&1 || broken "no history"
file=$(cd "$dir/new" && echo */*.tsv)
lines=$(grep -vc '^#' "$dir/new/$file")

# A night at each minute from 1971 on, of the lines that the report has.
make_history() { # NAME MB
	mkdir -p "$dir/$1/${file%/*}"
	LC_ALL=C TZ=UTC awk -F'\t' -v bytes="$(($2 * 1000000))" '
		/^#/ { print; next }
		{ sub(/^[^\t]*/, ""); line[n++] = $0; night += length($0) + 21 }
		END { for (t = 31536000; (at += night) <= bytes; t += 60) {
			day = strftime("%Y-%m-%dT%H:%M:%SZ", t, 1)
			for (i = 0; i < n; i++)
				print day line[i] } }' "$dir/new/$file" >"$dir/$1/$file"
}
make_history large "$mb"
make_history small $((mb / 8))

# A night at the end is taken away again.
take_back() { # NAME BYTES
	if [ "$2" -eq 0 ]; then rm -rf "${dir:?}/$1"; else truncate -s "$2" "$dir/$1/$file"; fi
}
declare -A bytes=([none]=0)
for name in large small; do
	bytes[$name]=$(stat -c %s "$dir/$name/$file")
done

# Of each of them one run in turn.
declare -A ns kib
for round in $(seq "${ROUNDS:-20}"); do
	for name in large small none; do
		take_back "$name" "${bytes[$name]}"
		cost=$(least "$program" history add -H "$dir/$name" "$dir/report") || broken "history add failed"
		read -r cpu _ peak <<<"$cost"
		[ "$round" -gt 1 ] && [ "$cpu" -ge "${ns[$name]}" ] || ns[$name]=$cpu
		[ "$round" -gt 1 ] && [ "$peak" -le "${kib[$name]}" ] || kib[$name]=$peak
	done
done
awk -v lines="$lines" -v mb="$mb" -v limit="${LIMIT_MS:-5}" -v large="${ns[large]}" -v small="${ns[small]}" \
	-v none="${ns[none]}" -v large_kib="${kib[large]}" -v small_kib="${kib[small]}" \
	-v none_kib="${kib[none]}" 'BEGIN {
	printf "%d lines to a file of %d MB: %.1f ms of CPU time and %.1f MB of memory; of %d MB: %.1f ms and %.1f MB; ",
		lines, mb, large / 1e6, large_kib / 1e3, mb / 8, small / 1e6, small_kib / 1e3
	printf "without a file: %.1f ms and %.1f MB\n", none / 1e6, none_kib / 1e3
	printf "8 times the file: %.2f times the time, %.2f times the memory (at most 1.1 of each)\n",
		large / small, large_kib / small_kib
	exit large - none > limit * 1e6 || large > 1.1 * small || large_kib > 1.1 * small_kib }'
