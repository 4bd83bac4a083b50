#!/bin/bash
# Reading speedscope files and V8's profiles: profile_run beside Python's json.load, which makes a tree
# of the same text; and how time and memory grow from a file to one of 8 times its size.
#
# usage: json_read.sh [STACKS]
#
# STACKS (720000) are those of the larger files: 74 MB of speedscope, 103 MB of V8. The least CPU time
# of ROUNDS (3) is taken. PROFILE_RUN and CC name the programs to use; without python3 that is reported.
#
# Fails below 5 times as fast, above half of the memory, or where time or memory grow by 10 % more than
# the file.
set -u

program=${PROFILE_RUN:-build/profile_run}
stacks=${1:-720000}
rounds=${ROUNDS:-3}
here=$(dirname "$0")
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# shellcheck source=tests/bench/cost.bash
. "$here/cost.bash"
make_parts meter make_text

# As V8 writes it: a list of nodes, then samples and the times between them.
make_cpuprofile() { # SAMPLES
	awk -v samples="$1" 'BEGIN {
		nodes = samples / 40
		printf "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\"," \
			"\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1},\"hitCount\":0}"
		for (i = 2; i <= nodes + 2; i++)
			printf ",{\"id\":%d,\"callFrame\":{\"functionName\":\"f%d\",\"scriptId\":\"%d\"," \
				"\"url\":\"file:///app/%d.js\",\"lineNumber\":%d,\"columnNumber\":9}," \
				"\"hitCount\":1,\"parent\":%d}", i, i % 5000, i % 300, i % 300, i % 900,
				int(i / 3) + 1
		printf "],\"startTime\":0,\"endTime\":%d,\"samples\":[1", samples * 130
		for (i = 1; i < samples; i++)
			printf ",%d", int(i / 10) * 7919 % nodes + 2
		printf "],\"timeDeltas\":[0"
		for (i = 1; i < samples; i++)
			printf ",%d", 100 + i * 31 % 57
		print "]}" }'
}

for part in 8 1; do
	"$dir/make_text" folded $((stacks / part)) 1 >"$dir/folded" || broken "no stacks"
	"$program" convert --input "$dir/folded" --to speedscope --output "$dir/speedscope.$part" ||
		broken "the speedscope file could not be made"
	rm -f "$dir/folded"
	make_cpuprofile $((stacks * 10 / part)) >"$dir/cpuprofile.$part"
done

declare -A ns kib bytes
status=0
for format in speedscope cpuprofile; do
	for part in 8 1; do
		file=$dir/$format.$part
		cost=$(least "$program" convert --input "$file" --output /dev/null) ||
			broken "profile_run convert failed"
		read -r ns[$part] _ kib[$part] <<<"$cost"
		bytes[$part]=$(stat -c %s "$file")
	done
	peer=
	if command -v python3 >/dev/null; then
		peer=$(least python3 -c 'import json, sys; json.load(open(sys.argv[1], "rb"))' \
			"$dir/$format.1") || broken "json.load failed"
	fi
	awk -v format="$format" -v ns="${ns[1]}" -v less_ns="${ns[8]}" -v kib="${kib[1]}" \
		-v less_kib="${kib[8]}" -v bytes="${bytes[1]}" -v less_bytes="${bytes[8]}" \
		-v peer="$peer" 'BEGIN {
		printf "%s: %.0f ms of CPU time for %.0f MB, at most %.0f MB of memory\n", format,
			ns / 1e6, bytes / 1e6, kib * 1024 / 1e6
		size = bytes / less_bytes
		printf "  %.1f times the file: %.1f times the time, %.1f times the memory\n", size,
			ns / less_ns, kib / less_kib
		bad = ns / less_ns > 1.1 * size || kib / less_kib > 1.1 * size
		if (split(peer, of_peer, " ") == 0) {
			print "absent: python3"
			exit bad
		}
		printf "  json.load: %.0f ms, %.0f MB; %.1f times as fast (at least 5 wanted), ",
			of_peer[1] / 1e6, of_peer[3] * 1024 / 1e6, of_peer[1] / ns
		printf "%.2f of the memory (at most 0.5)\n", kib / of_peer[3]
		exit bad || of_peer[1] / ns < 5 || kib / of_peer[3] > 0.5 }' || status=1
done
exit $status
