#!/bin/bash
# tests/bench/perf_shares.sh [DIR]: compares the share of each function with what perf report says,
# for five kinds of events on five programs, from perf.data and from the text of perf script.
#
# perf report is printed from the same file, by symbol. A function differs if its share of more than
# 0.5 % differs by more than 0.1 points. DIR has the recordings, and keeps them.
set -e
cd "$(dirname "$0")/../.."
run=$PWD/build/profile_run
dir=${1:-$(mktemp -d)}
mkdir -p "$dir"

cat >"$dir/faults.c" <<'C'
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) void dense(volatile char *at, long n) { for (long i = 0; i < n; i++) at[i << 12] = 1; }
__attribute__((noinline)) void sparse(volatile char *at) { at[0] = 1; usleep(1000); }
int main(void) {
	for (int i = 0; i < 40; i++) { char *at = malloc(1 << 24); dense(at, 4000); free(at); }
	for (int i = 0; i < 400; i++) { char *at = malloc(1 << 20); sparse(at); free(at); }
	write(1, "", 0);
}
C
cat >"$dir/words.cc" <<'C'
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main() {
	std::map<std::string, int> words;
	std::vector<std::string> all;
	for (int i = 0; i < 300000; i++) { std::string word = std::to_string(i * 7919L % 100003); words[word]++; all.push_back(word); }
	std::sort(all.begin(), all.end());
	for (size_t i = 0; i < all.size(); i += 50) { std::fputs(all[i].c_str(), stdout); std::fflush(stdout); }
}
C
gcc -O2 -g -fno-omit-frame-pointer -o "$dir/faults" "$dir/faults.c"
g++ -O2 -g -fno-omit-frame-pointer -o "$dir/words" "$dir/words.cc"
seq 1 300000 >"$dir/numbers"

program() { # NAME: its command
	case $1 in
	faults) echo "$dir/faults" ;;
	xz) echo "xz -T1 -3 -k -c $dir/numbers" ;;
	sqlite3) echo "sqlite3 $dir/base.db" ;;
	python3) echo "python3 -c 'for i in range(20000): print(sum(range(60)), flush=i%10==0)'" ;;
	words) echo "$dir/words" ;;
	esac
}

# perf names inlined functions in stacks only: neither side reads inlining.
record() { # FILE OPTIONS COMMAND
	[ -s "$1" ] && return
	rm -f "$dir/base.db"
	printf 'create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<60000) insert into t select x, x*7919%%10007 from c; select count(*) from t group by b%%97; create index i on t(b); select sum(a) from t where b>5000;' |
		sh -c "perf record -q -g -o '$1' $2 -- $3" >/dev/null 2>"$1.err" || cat "$1.err"
}

ours() { # INPUT: "share name", of the leaf
	"$run" convert --input "$1" --output - --no-inline --no-marks 2>/dev/null |
		awk '/^#/ { next } {
			weight = $NF; sub(/ [^ ]*$/, ""); n = split($0, frames, ";"); name = frames[n]
			sub(/_\[[kji]\]$/, "", name); of[name] += weight; all += weight
		} END { for (name in of) printf "%.4f %s\n", 100 * of[name] / all, name }'
}

# From the periods: hundreds of percentages with two digits do not add up.
perfs() { # FILE: "share name"
	perf report -i "$1" --no-children -g none --no-inline -F period,sym --stdio --percent-limit 0 2>/dev/null |
		sed -n 's/^ *\([0-9][0-9]*\)  *\[[.kugH]\] \(.*[^ ]\) *$/\1 \2/p' |
		awk '{ period[NR] = $1; sub(/^[^ ]* /, ""); name[NR] = $0; all += period[NR] }
			END { for (i = 1; i <= NR; i++) printf "%.4f %s\n", 100 * period[i] / all, name[i] }'
}

status=0
compare() { # NAME FILE INPUT
	ours "$3" >"$dir/ours"
	perfs "$2" >"$dir/perfs"
	# Addresses without a name are one function to us.
	if ! awk -v name="$1" '
		function key(text) {
			gsub(/\(anonymous namespace\)/, "{anon}", text)
			# Stubs of functions that are chosen at run time have no name of their own.
			if (text == "@plt" || text ~ /^\*ABS\*/) return "[no name]"
			# perf names the stubs of calls into libraries after the symbol before them.
			if (text ~ /@plt$/ || text == "_init") return "[stubs]"
			if (text ~ /^0x[0-9a-f]+$/ || text ~ /^\[.*\]$/) return "[no name]"
			gsub(/[ ;]/, "_", text)
			return text
		}
		{ share = $1; sub(/^[^ ]* /, ""); k = key($0) }
		FNR == NR { perf[k] += share; next }
		{ own[k] += share }
		END {
			for (k in perf) if (!(k in own)) own[k] = 0
			for (k in own) {
				d = own[k] - perf[k]; d = d < 0 ? -d : d
				if (own[k] > 0.5 || perf[k] > 0.5) n++
				if ((own[k] > 0.5 || perf[k] > 0.5) && d > 0.1) {
					printf "  %s: perf %.2f, here %.2f\n", k, perf[k], own[k]; bad++
				}
				if (d > most) most = d
			}
			printf "%s: %d functions, largest difference %.3f points, %d differ\n", name, n, most, bad
			exit bad > 0 || n == 0
		}' "$dir/perfs" "$dir/ours"; then
		status=1
	fi
}

events='cpu-clock:-F 997 -e cpu-clock
page-faults:-F 199 -e page-faults
context-switches:-F 199 -e context-switches
write:-c 1 -e syscalls:sys_enter_write
faults-7:-c 7 -e page-faults'
while IFS=: read -r kind options; do
	for name in faults xz sqlite3 python3 words; do
		file=$dir/$name-$kind.data
		record "$file" "$options" "$(program $name)" 
		perf script -i "$file" --no-inline >"$file.txt" 2>/dev/null
		compare "$name $kind perf.data" "$file" "$file"
		compare "$name $kind text" "$file" "$file.txt"
	done
done <<<"$events"
exit $status
