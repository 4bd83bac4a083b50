#!/bin/bash
# How near the times of waits are to the truth, which workloads/bin/known_waits tells by its own clocks:
# of each reason, and of a thread's whole time, on and off the CPU.
#
# usage: known_waits.sh
#
# The median of ROUNDS (5) captures, and the one that is farthest off, in percent. On a busy machine a
# thread waits for its CPU before a switch is recorded, and its own clock counts that.
set -u

cd "$(dirname "$0")/../.." || exit 2
program=${PROFILE_RUN:-build/profile_run}
known=workloads/bin/known_waits
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
make -s -C workloads known_waits || exit 2

# Percent that what was found is off, by function.
for ((round = 0; round < ${ROUNDS:-5}; round++)); do
	"$program" capture --metric offcpu -q -o "$dir/off" -- "$known" --truth >"$dir/truth" || exit 2
	"$program" convert --input "$dir/off/perf.data" --by tid --output "$dir/folded" || exit 2
	# The main thread's stacks only: a child inherits its name and the functions it was forked in.
	awk '
		NR == FNR { if (/;wait_sleep;/) { main = $0; sub(/;.*/, "", main) } next }
		FILENAME ~ /truth$/ { if (NF == 3 && $3 ~ /^[0-9]+$/ && $1 != "main") truth[$1] = $3; next }
		index($0, main ";") == 1 && /_\[w\] / {
			weight = $NF
			n = split($0, frames, ";")
			for (i = 1; i <= n; i++) if (frames[i] ~ /^wait_/) { found[frames[i]] += weight; break }
		}
		END { for (name in truth) if (truth[name] > 5e6)
			printf "%s %.2f\n", name, 100 * (found[name] / truth[name] - 1) }
	' "$dir/folded" "$dir/truth" "$dir/folded" >>"$dir/off.txt"
	"$program" capture --metric wall --frequency 999 -q -o "$dir/wall" -- "$known" --truth \
		>"$dir/truth" || exit 2
	awk '
		FILENAME ~ /truth$/ { if ($1 == "main" && NF == 3) truth = $3; next }
		/;main;/ { sum += $NF }
		END { printf "on_and_off %.2f\n", 100 * (sum / truth - 1) }
	' "$dir/truth" "$dir/wall/folded.txt" >>"$dir/off.txt"
done
printf '%-16s %8s %8s\n' '% off the truth' median farthest
cut -d " " -f 1 "$dir/off.txt" | sort -u | while read -r name; do
	awk -v name="$name" '$1 == name { print $2 }' "$dir/off.txt" | sort -n | awk -v name="$name" '
		{ all[NR] = $1; d = $1 < 0 ? -$1 : $1; if (d >= most) { most = d; far = $1 } }
		END { printf "%-16s %+8.2f %+8.2f\n", name, all[int((NR + 1) / 2)], far }'
done
