# Reads what capture_cost.sh has measured, one line a run (program, round, side, CPU time of the
# program, CPU time of program and tool, samples, CPU time of our tool beside the program; ns), and
# prints the comparison. Exits 1 where ours is clearly worse or the samples do not agree.

function sort_numbers(values, n,    i, j, value) {
	for (i = 2; i <= n; i++) {
		value = values[i]
		for (j = i - 1; j >= 1 && values[j] > value; j--)
			values[j + 1] = values[j]
		values[j + 1] = value
	}
}

# Of sorted values.
function median(values, n) {
	return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}

# The largest rank k for which the values of rank k and n + 1 - k enclose the median with 95 %
# probability, by the binomial distribution of how many lie below it; 1 if there are too few.
function interval_rank(n,    k, term, below) {
	term = 0.5 ^ n
	below = 0
	for (k = 0; k < n / 2; k++) {
		below += term
		if (below > 0.025)
			break
		term *= (n - k) / (k + 1)
	}
	return k > 0 ? k : 1
}

# Prints median and interval of values[1..n], and leaves them in middle, low and high.
function summarise(label, values, n, unit,    k) {
	sort_numbers(values, n)
	k = interval_rank(n)
	middle = median(values, n)
	low = values[k]
	high = values[n + 1 - k]
	printf "  %-34s %+7.2f  [%.2f, %.2f] %s\n", label, middle, low, high, unit
}

# Values of one kind of one program (all of them: ""): leaves them in picked, returns how many.
function pick(name, kind,    i, n) {
	n = 0
	for (i = 1; i <= npairs; i++) {
		if (name == "" || pair_name[i] == name)
			picked[++n] = pairs[i, kind]
	}
	return n
}

{
	if (!($1 in seen))
		names[++nnames] = $1
	seen[$1] = 1
	key = $1 SUBSEP $2
	if (!(key in known)) {
		keys[++nkeys] = key
		known[key] = 1
		key_name[nkeys] = $1
	}
	cpu[key, $3] = $4
	cpu_sum[$1, $3] += $4
	sample_sum[$1, $3] += $6
	runs[$3]++
	own_sum[$3] += $5 - $4
	beside_sum += $7
}

function describe(name,    n, ratio_ours, ratio_perf) {
	printf "%s: %.1f ms of CPU time alone\n", name, cpu_sum[name, "alone"] / rounds_of[name] / 1e6
	n = pick(name, "ours")
	summarise("profile_run less alone", picked, n, "points")
	if (!runs["perf"])
		return
	n = pick(name, "perf")
	summarise("perf record less alone", picked, n, "points")
	n = pick(name, "difference")
	summarise("profile_run less perf record", picked, n, "points")
	n = pick(name, "ratio")
	sort_numbers(picked, n)
	printf "  %-34s %8.4f  [%.4f, %.4f], median and all of %d rounds\n",
		"CPU time, profile_run / perf record", median(picked, n), picked[1], picked[n], n
	ratio_ours = sample_sum[name, "ours"] / cpu_sum[name, "ours"] * 1e9
	ratio_perf = sample_sum[name, "perf"] / cpu_sum[name, "perf"] * 1e9
	printf "  %-34s %8.1f  and %.1f: %+.2f %%\n", "samples a CPU second, beside perf's",
		ratio_ours, ratio_perf, 100 * (ratio_ours / ratio_perf - 1)
	if (ratio_ours < 0.98 * ratio_perf || ratio_ours > 1.02 * ratio_perf) {
		print "FAIL: the numbers of samples differ by more than 2 %"
		failed = 1
	}
}

END {
	for (i = 1; i <= nkeys; i++) {
		name = key_name[i]
		rounds_of[name]++
		npairs++
		pair_name[npairs] = name
		alone = cpu[keys[i], "alone"]
		ours = cpu[keys[i], "ours"]
		pairs[npairs, "ours"] = 100 * (ours / alone - 1)
		if (!runs["perf"])
			continue
		peer = cpu[keys[i], "perf"]
		pairs[npairs, "perf"] = 100 * (peer / alone - 1)
		pairs[npairs, "difference"] = 100 * (ours - peer) / alone
		pairs[npairs, "ratio"] = ours / peer
	}
	for (i = 1; i <= nnames; i++)
		describe(names[i])
	printf "own CPU time a capture: profile_run %.1f ms, of which beside the program %.2f ms",
		own_sum["ours"] / runs["ours"] / 1e6, beside_sum / runs["ours"] / 1e6
	if (runs["perf"])
		printf "; perf record %.1f ms", own_sum["perf"] / runs["perf"] / 1e6
	printf "\n(profile_run's holds folding, names, flame graph and report; perf's does not)\n"
	if (!runs["perf"])
		exit 0
	print "all programs"
	n = pick("", "difference")
	summarise("profile_run less perf record", picked, n, "points")
	# Below six pairs there is no interval of 95 %.
	if (n >= 6 && middle > 0.5 && low > 0) {
		print "FAIL: our capture costs the program more than perf's"
		failed = 1
	} else if (n < 6 || high > 0.5) {
		print "not above perf's as far as this run can tell; more ROUNDS tell more"
	} else {
		print "not above perf's"
	}
	exit failed
}
