#!/bin/sh
# Holds our folded stacks against what perf script says of the same file, frame for frame.
#
# usage: compare_perf_script.sh PERF_DATA FOLDED [AT_LEAST_PERCENT]
#
# Prints the share of samples whose whole stack is the same, and the largest differences; exits 1
# when the share is below AT_LEAST_PERCENT (default 99). The folding of perf's text is done here
# anew, so that it shares no mistake with ours. PERF names the perf to use.
#
# Two differences are perf's own and do not count. It names a caller by the address behind its call:
# ld.so's _start ends in one, and the label behind it is _dl_start_user. And where a word off the
# stack reads like a marker, it shows no stack at all, not even the leaf, though perf report counts
# the sample for it; ours is marked "[broken]" then.
#
# With ENDS=1, for stacks that were unwound from copies: a stack of perf's is the same, too, if it is
# the inner end of one of ours. Its unwinder ends early where frames begin that keep no registers.
# OURS is written by convert --no-inline --no-marks.
set -eu

perf_data=$1
folded=$2
at_least=${3:-99}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Unnamed code is "[module]" in both; kinds of frames (_[k] and so on) are not compared.
"${PERF:-perf}" script --no-inline -i "$perf_data" -F comm,tid,time,ip,sym,dso 2>"$dir/stderr" | awk '
	function flush(   i, line) {
		if (!open) return
		line = comm
		for (i = n; i > 0; i--) line = line ";" frames[i]
		count[line]++
		open = 0
	}
	# A name of C++ without parameters, which some versions of perf show.
	function plain(name,    i, depth, clone) {
		clone = match(name, / \[clone [^]]*\]$/) ? substr(name, RSTART) : ""
		name = substr(name, 1, length(name) - length(clone))
		if (name !~ /\)( const)?$/ || name ~ /^\(/) return name clone
		sub(/ const$/, "", name)
		for (i = length(name); i > 1; i--) {
			depth += substr(name, i, 1) == ")"
			depth -= substr(name, i, 1) == "("
			if (depth == 0) break
		}
		return substr(name, 1, i - 1) clone
	}
	/^$/ { flush(); next }
	/^[^ \t]/ {
		flush()
		open = 1
		n = 0
		match($0, /[ \t]+[0-9]+[ \t]+[0-9]+\.[0-9]+:/)
		comm = substr($0, 1, RSTART - 1)
		gsub(/ /, "_", comm)
		next
	}
	{
		line = $0
		sub(/^[ \t]*[0-9a-f]+ /, "", line)
		at = match(line, / \([^()]*(\([^()]*\))?[^()]*\)$/)
		module = substr(line, at + 2, length(line) - at - 2)
		name = substr(line, 1, at - 1)
		if (name == "[unknown]") {
			sub(/ \(deleted\)$/, "", module)
			sub(/.*\//, "", module)
			if (module ~ /^perf-[0-9]+\.map$/) module = "anon"
			name = module ~ /^\[/ ? module : "[" module "]"
		}
		gsub(/;/, ":", name)
		frames[++n] = plain(name)
	}
	END { flush(); for (line in count) print line " " count[line] }
' | sed 's/^\([^;]*\);_dl_start_user\b/\1;_start/' >"$dir/perf"

sed -E 's/_\[[kij]\](;| [0-9.]+$)/\1/g; s/^([^;]*);_dl_start_user\b/\1;_start/' "$folded" \
	>"$dir/ours"

awk -v at_least="$at_least" -v ends="${ENDS:-}" '
	# How much of the rest of ours ends as this rest of a stack of perf has it; the process is the same.
	function take_ends(stack, wanted,    comm, inner, s, taken, more) {
		comm = substr(stack, 1, index(stack ";", ";"))
		inner = substr(stack, length(comm) + 1)
		sub(/^(\[(unknown|stack|heap|anon)\];)+/, "", inner)
		for (s in rest)
			if (rest[s] > 0 && taken < wanted && index(s, comm) == 1 &&
				substr(s, length(s) - length(inner)) == ";" inner) {
				more = wanted - taken < rest[s] ? wanted - taken : rest[s]
				rest[s] -= more
				taken += more
			}
		return taken + 0
	}
	# As many of ours as perf has no stack for.
	function take_broken(comm, wanted,    s, taken, more) {
		for (s in rest)
			if (rest[s] > 0 && taken < wanted && index(s, comm ";[broken];") == 1) {
				more = wanted - taken < rest[s] ? wanted - taken : rest[s]
				rest[s] -= more
				taken += more
			}
		return taken + 0
	}
	{
		weight = $NF
		stack = substr($0, 1, length($0) - length(weight) - 1)
	}
	FNR == NR { perf[stack] += weight; total += weight; next }
	{ ours[stack] += weight; our_total += weight }
	END {
		for (s in ours)
			rest[s] = s in perf ? ours[s] - perf[s] : ours[s]
		for (s in perf) {
			o = ours[s] + 0
			if (s !~ /;/ && o < perf[s]) {
				without += n = take_broken(s, perf[s] - o)
				o += n
			}
			if (ends && o < perf[s]) o += take_ends(s, perf[s] - o)
			same += o < perf[s] ? o : perf[s]
			if (o != perf[s]) printf "  perf %d ours %d  %s\n", perf[s], o, s
		}
		for (s in ours)
			if (!(s in perf) && rest[s] > 0) printf "  perf 0 ours %d  %s\n", ours[s], s
		larger = total > our_total ? total : our_total
		share = larger > 0 ? 100 * same / larger : 0
		printf "same %.3f %% of %d samples (perf %d, ours %d), %d without a stack in perf\n",
			share, larger, total, our_total, without
		exit !(share >= at_least)
	}
' "$dir/perf" "$dir/ours" >"$dir/result" && status=0 || status=1

grep '^same' "$dir/result"
grep -v '^same' "$dir/result" | sort -k1,1 -k2,2nr | head -"${SHOW:-10}" | cut -c1-300 || true
exit "$status"
