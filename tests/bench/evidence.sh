#!/bin/bash
# The campaigns that trust rests on, and harness/doc/EVIDENCE.md from what they gave.
#
# usage: evidence.sh [SIZE]        measure, then write
#        evidence.sh write         write again from the results that are there
#
# SIZE (10) is how many gates each campaign of unchanged programs takes, and how often each peer is asked;
# those of planted slowdowns take half as many. 10 takes about an hour on two quiet CPUs. CAMPAIGNS names
# those to run (all): fleet, same, slower_30, slower_10, slower_5, stored_loaded, harmless_loaded,
# planted_loaded, unchanged, unchanged_loaded, peers, counts. The others keep the results that they had.
# RESULTS (build/evidence) is the folder of results, EVIDENCE the file that is written. Each result has its date, commit, machine and the load beside it. Peers that are
# not installed (hyperfine, perf, valgrind) are left out, and so are their figures.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
cd "$root" || exit 2
results=${RESULTS:-build/evidence}
mkdir -p "$results" && results=$(realpath "$results") || exit 2
program=$(realpath "${PROFILE_RUN:-build/profile_run}") || exit 2
size=10
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
campaigns=${CAMPAIGNS:-fleet same slower_30 slower_10 slower_5 stored_loaded harmless_loaded planted_loaded unchanged unchanged_loaded peers counts}

# begin CAMPAIGN: an empty folder of results, with where and when. The binary is copied: builds go on.
begin() {
	echo "evidence: $1" >&2
	rm -rf "${results:?}/$1"
	mkdir -p "$results/$1" || exit 2
	cp "$program" "$dir/profile_run" && export PROFILE_RUN=$dir/profile_run
	{
		date -u +%Y-%m-%d
		git rev-parse --short=10 HEAD
		sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
		nproc
		uname -r
		cut -d' ' -f1 /proc/loadavg
	} >"$results/$1/where"
}

# end CAMPAIGN: the load while it ran is that of its beginning and end.
end() {
	cut -d' ' -f1 /proc/loadavg >>"$results/$1/where"
}

# gates CAMPAIGN LOAD ARGUMENT...: of gate_rates.sh
gates() {
	local name=$1 load=$2
	shift 2
	begin "$name"
	LOAD=$load KEEP=$dir/kept tests/bench/gate_rates.sh "$@" >"$results/$name/table" || exit 2
	for file in "$dir"/kept/*/latest/verdict.json; do
		cp "$file" "$results/$name/$(basename "$(dirname "$(dirname "$(realpath "$file")")")").json"
	done
	rm -rf "$dir/kept"
	end "$name"
}

# build_sides PERCENT: two builds of known_split that differ by that much in its function of thirty per
# cent, and one of equal code.
build_sides() {
	local side
	rm -rf "$dir/base" "$dir/same" "$dir/head"
	for side in base same head; do
		mkdir -p "$dir/$side" && cp -r workloads config "$dir/$side/" &&
			make -s -C "$dir/$side/workloads" clean >"$dir/log" 2>&1 &&
			make -s -C "$dir/$side/workloads" known_split \
				DEMO_SLOWDOWN="$([ $side = head ] && echo "$1" || echo 0)" >"$dir/log" 2>&1 &&
			sed -i '/^build:/d' "$dir/$side"/workloads/*.yaml || exit 2
	done
}

# A gate of two builds that are the same program.
same() {
	begin same
	build_sides 5
	for ((i = 0; i < size; i++)); do
		(cd "$dir/same" && "$PROFILE_RUN" gate known_split --against ../base --quiet \
			--reports "$dir/reports") >"$dir/log" 2>&1
		cp "$dir/reports/latest/verdict.json" "$results/same/$i.json" || exit 2
	done
	end same
}

# A stored baseline, and 30 % more in thirty per cent beside two busy loops.
stored_loaded() {
	local loops=()
	begin stored_loaded
	build_sides 30
	(cd "$dir/base" && "$PROFILE_RUN" baseline update known_split --replace --quiet \
		--baselines ../baselines) >"$dir/log" 2>&1 || exit 2
	for ((i = 0; i < 2; i++)); do
		bash -c 'while :; do :; done' &
		loops+=($!)
	done
	trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$dir"' EXIT
	for ((i = 0; i < (size + 1) / 2; i++)); do
		(cd "$dir/head" && "$PROFILE_RUN" gate known_split --baselines ../baselines --quiet \
			--reports "$dir/reports") >"$dir/log" 2>&1
		cp "$dir/reports/latest/verdict.json" "$results/stored_loaded/$i.json" || exit 2
	done
	end stored_loaded
	kill "${loops[@]}"
}

# planted CAMPAIGN KIND GATES: changes in the sources of the shipped workloads, beside two busy loops
planted() {
	begin "$1"
	LOOPS=2 tests/bench/planted.py "$2" "$3" "$results/$1" >"$results/$1/table" || exit 2
	end "$1"
}

# What is used today, of the same builds as `slower 5`: unchanged and 5 % more in thirty per cent.
peers() {
	local side
	begin peers
	build_sides 5
	for ((i = 0; i < size; i++)); do
		for side in same head; do
			peer_hyperfine "$side" "$i"
			peer_perf "$side" "$i"
		done
	done
	for side in same head; do
		peer_counts "$side"
	done
	end peers
}

peer_hyperfine() {
	command -v hyperfine >/dev/null || return 0
	hyperfine --style none --warmup 1 --runs 10 --export-json "$results/peers/hyperfine.$1.$2.json" \
		"$dir/base/workloads/bin/known_split" "$dir/$1/workloads/bin/known_split" >/dev/null 2>&1
}

peer_perf() {
	command -v perf >/dev/null || return 0
	local which
	for which in base "$1"; do
		perf record -q -e cpu-clock -F 4999 -o "$dir/perf.$which" \
			"$dir/$which/workloads/bin/known_split" >/dev/null 2>&1 || return 0
	done
	perf diff -q "$dir/perf.base" "$dir/perf.$1" 2>/dev/null |
		grep percent >"$results/peers/perf.$1.$2.diff"
}

peer_counts() {
	command -v valgrind >/dev/null || return 0
	local which
	for which in base "$1"; do
		valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			"$dir/$which/workloads/bin/known_split" 2>&1 |
			sed -n 's/.*Collected : //p' >"$dir/counted.$which"
	done
	cat "$dir/counted.base" "$dir/counted.$1" >"$results/peers/counts.$1"
}

if [ "${1:-}" != write ]; then
	size=${1:-10}
	[[ $size =~ ^[1-9][0-9]*$ ]] || {
		sed -n 's/^# usage: //p' "$0" >&2
		exit 64
	}
	for campaign in $campaigns; do
		case $campaign in
		fleet)
			begin fleet
			tests/bench/fleet_rates.sh 2000 >"$results/fleet/table" ||
				echo "evidence: the fleet is not judged as promised" >&2
			end fleet
			;;
		unchanged) gates unchanged 0 aa "$size" ;;
		unchanged_loaded) gates unchanged_loaded 1 aa "$size" ;;
		slower_*) gates "$campaign" 0 slower "${campaign#slower_}" $(((size + 1) / 2)) ;;
		same) same ;;
		stored_loaded) stored_loaded ;;
		harmless_loaded) planted harmless_loaded harmless "$size" ;;
		planted_loaded) planted planted_loaded slower "$size" ;;
		peers) peers ;;
		counts)
			begin counts
			KEEP_COUNTS=$results/counts/counts tests/bench/counted_surroundings.sh \
				>"$results/counts/table" || echo "evidence: counts differ" >&2
			end counts
			;;
		*)
			echo "evidence: no campaign is named '$campaign'" >&2
			exit 64
			;;
		esac
	done
fi
python3 tests/bench/evidence.py "$results" "${EVIDENCE:-harness/doc/EVIDENCE.md}"
