#!/bin/bash
# How long it takes to find the inlined functions at the addresses of a C++ program, beside
# addr2line -i and libdw's plain walk over the scopes (inline_names.c).
#
# usage: inline_names.sh [PROGRAM]
#
# PROGRAM (one of UNITS (4) units of the C++ library's templates, compiled here by CXX) has debug
# information. ADDRESSES (20000) of its functions are looked up, SLOW_ADDRESSES (200) by the peers.
# CC names the compiler. Fails where ours is not 10 times as fast as the faster peer, an address.
set -u

cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
count=${ADDRESSES:-20000} slow_count=${SLOW_ADDRESSES:-200}

make_program() {
	local unit

	for ((unit = 0; unit < ${UNITS:-4}; unit++)); do
		cat >"$dir/u$unit.cc" <<-END
			#include <algorithm>
			#include <map>
			#include <regex>
			#include <sstream>
			#include <string>
			#include <unordered_map>
			#include <vector>
			int run$unit(const std::string &text)
			{
				std::map<std::string, std::vector<int>> names;
				std::unordered_map<int, std::string> numbers;
				std::regex pattern("(a|b)*c[0-9]+x$unit");
				std::smatch match;
				std::ostringstream out;
				std::vector<double> values;
				if (std::regex_search(text, match, pattern))
					names[match[0]].push_back($unit);
				for (char c : text) {
					numbers[c] += c;
					values.push_back(c * $unit);
				}
				std::sort(values.begin(), values.end(),
					[](double a, double b) { return a * $unit < b; });
				for (auto &name : names)
					out << name.first << name.second.size();
				return out.str().size() + numbers.size() + values.size();
			}
		END
		"${CXX:-c++}" -O2 -g -fPIC -c -o "$dir/u$unit.o" "$dir/u$unit.cc" || return 1
	done
	"${CXX:-c++}" -shared -o "$dir/program" "$dir"/u*.o
}

program=${1:-$dir/program}
if [ $# -eq 0 ] && ! make_program; then
	echo "there is no C++ compiler: nothing to look at"
	exit 0
fi
make -s build/bench/inline_names || exit 2

# The same ones each time, spread over the functions as their sizes are.
nm -S -t d --defined-only "$program" | awk -v count="$count" '
	$3 ~ /[tTwW]/ && NF == 4 {
		for (at = 0; at < $2; at += 4)
			all[nall++] = $1 + at
	}
	END {
		srand(1)
		for (i = 0; i < count && nall > 0; i++)
			printf "%x\n", all[int(rand() * nall)]
	}' >"$dir/addresses"
if ! [ -s "$dir/addresses" ]; then
	echo "no addresses: nm is not there, or $program has no symbols"
	exit 0
fi
head -n "$slow_count" "$dir/addresses" >"$dir/some"

microseconds() { # of an address, out of a line of inline_names
	sed 's/.* s, \([0-9.]*\) us.*/\1/'
}

ours=$(build/bench/inline_names ours "$program" <"$dir/addresses")
walk=$(build/bench/inline_names libdw "$program" <"$dir/some")
echo "ours: $ours"
echo "libdw: $walk"
peer=$(microseconds <<<"$walk")
if command -v addr2line >/dev/null; then
	TIMEFORMAT=%U
	seconds=$({ time addr2line -e "$program" -f -i <"$dir/some" >/dev/null 2>&1; } 2>&1)
	each=$(awk -v s="$seconds" -v n="$slow_count" 'BEGIN { printf "%.2f", s * 1e6 / n }')
	echo "addr2line: $seconds s, $each us an address"
	peer=$(awk -v a="$each" -v b="$peer" 'BEGIN { print a < b ? a : b }')
else
	echo "addr2line: absent"
fi
awk -v ours="$(microseconds <<<"$ours")" -v peer="$peer" 'BEGIN {
	printf "%.0f times as fast as the faster peer\n", peer / ours
	exit peer / ours < 10
}'
