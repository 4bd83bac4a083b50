#!/bin/bash
# Counted allocations (metric: alloc) beside valgrind's dhat and heaptrack: whether the numbers are
# the same, and what they cost.
#
# usage: alloc_exact.sh [ROUNDS]
#
# Counts the blocks, bytes and peak of programs of this machine, those that are here, and compares
# them with dhat's. Then runs two shipped programs ROUNDS (5) times as they are, counted with what
# is live and the peak, counted without, and under heaptrack, one after the other, and prints the
# least CPU time of each. PROFILE_RUN names the program to use, CC the compiler; peers that are not
# installed are left out.
#
# Fails where blocks, bytes or peak of a program differ from dhat's, but for what is known to differ,
# which its line says; and where counting costs more than 2.5 times the program's CPU time.
set -u

root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
program=$(realpath "${PROFILE_RUN:-build/profile_run}") || exit 2
rounds=${1:-5}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
command -v python3 >/dev/null || {
	echo "absent: python3"
	exit 0
}
"$root/workloads/bin/cjson_parse" --rounds 1 >/dev/null 2>&1 ||
	make -s -C "$root/workloads" cpp_containers cjson_parse >/dev/null || exit 2
cd "$dir" || exit 2
cat >threads.rs <<'END'
use std::collections::BTreeMap;
fn main() {
    let mut map: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for i in 0..5000u64 { map.entry(format!("key{}", i % 777)).or_default().push(i); }
    println!("{}", map.values().map(|v| v.len()).sum::<usize>());
}
END
rustc=$(command -v rustc) && "$rustc" -O -g -o rust threads.rs 2>/dev/null
python3 - <<'END'
import json
json.dump([{"key%d" % i: [(i * k % 97) / 7 for k in range(20)], "s": "x" * i} for i in range(300)],
	open("in.json", "w"))
END
python3 - "$program" "$root" "$rounds" <<'END'
import os, re, resource, shutil, subprocess, sys

program, root, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
bin = root + "/workloads/bin/"
os.environ["PYTHONHASHSEED"] = "0"
os.environ["PERL_HASH_SEED"] = "0"
failed = False

# What may differ, in blocks and bytes of all, and why.
programs = [
	("sqlite3", ["sqlite3", ":memory:", "create table t(a,b); insert into t values(1,2),(3,4);"
		"with recursive c(x) as (select 1 union all select x+1 from c where x<3000) "
		"insert into t select x, 'row'||x from c; select count(*) from t;"], 0, 0, ""),
	("jq", ["jq", "[.[]|.s|length]|add", "in.json"], 0, 0, ""),
	("xz", ["xz", "-kc", "in.json"], 0, 0, ""),
	("python3", ["/usr/bin/python3", "-S", "-E", "-c", "import json;"
		"print(len(json.dumps(json.load(open('in.json')))))"], 5, 300,
		"the environment is copied"),
	("perl", ["perl", "-e", "for(1..5000){$h{$_}=[1..($_%9)];} print scalar keys %h"], 12, 600,
		"the environment is copied"),
	("git", ["git", "-C", root, "log", "-3", "--stat"], 2, 100, "the environment is copied"),
	("C++", [bin + "cpp_containers", "--rounds", "5"], 0, 0, ""),
	("C", [bin + "cjson_parse", "--rounds", "2"], 0, 0, ""),
	("Rust", ["./rust"], 0, 0, ""),
	("node", ["node", "--single-threaded", "-e", "console.log([...Array(1000).keys()].join())"],
		100, 50000, "its threads differ from run to run"),
]

def event(name):
	out = subprocess.run([program, "convert", "--input", "out/perf.data", "--event", name,
		"--output", "-"], capture_output=True, text=True, check=True).stdout
	return sum(int(line.rsplit(" ", 1)[1]) for line in out.splitlines() if line[:1] != "#")

def counted(command):
	shutil.rmtree("out", ignore_errors=True)
	subprocess.run([program, "capture", "--quiet", "--metric", "alloc", "--output", "out", "--"]
		+ command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
	return [event("alloc:count"), event("alloc:bytes"), event("alloc:peak")]

def dhat(command):
	# Where its output goes is the same on both sides: node allocates more where that is a pipe.
	subprocess.run(["valgrind", "--tool=dhat", "--dhat-out-file=/dev/null", "--log-file=log"]
		+ command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
	text = open("log").read()
	get = lambda key: [int(n.replace(",", "")) for n in
		re.search(key + r": +([\d,]+) bytes in ([\d,]+) blocks", text).groups()]
	total, peak = get("Total"), get("At t-gmax")
	return [total[1], total[0], peak[0]]

if not shutil.which("valgrind"):
	print("absent: valgrind")
for name, command, blocks, size, why in programs if shutil.which("valgrind") else []:
	if not shutil.which(command[0]):
		print("absent: %s" % name)
		continue
	ours, theirs = counted(command), dhat(command)
	off = [abs(a - b) for a, b in zip(ours, theirs)]
	good = off[0] <= blocks and off[1] <= size and off[2] <= size
	failed |= not good
	print("%-8s %9d blocks %11d bytes %10d peak   dhat %s%s" % (name, *ours,
		"the same" if not any(off) else "differs by %d, %d, %d" % tuple(off),
		"" if good and not why else ": " + (why if good else "WRONG")), flush=True)

def cpu(command):
	before = resource.getrusage(resource.RUSAGE_CHILDREN)
	subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
	after = resource.getrusage(resource.RUSAGE_CHILDREN)
	return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

# The program's own, without what profile_run uses to name the stacks.
def captured(name):
	def run(command):
		shutil.rmtree("out", ignore_errors=True)
		subprocess.run([program, "capture", "--quiet", "--metric", "alloc", "--event", name,
			"--output", "out", "--"] + command, stdout=subprocess.DEVNULL, check=True)
		row = [line.split() for line in open("out/report.txt") if re.match(r" +1 +\d", line)][0]
		return float(row[1]) * {"ms": 1e-3, "s": 1, "us": 1e-6}[row[2]]
	return run

ways = [("as it is", cpu), ("counted", captured("auto")), ("without frees", captured("alloc:bytes"))]
if shutil.which("heaptrack"):
	ways.append(("heaptrack", lambda command: cpu(["heaptrack", "-o", "heap"] + command)))
else:
	print("absent: heaptrack")
for command in [[bin + "cpp_containers", "--rounds", "60"], [bin + "cjson_parse", "--rounds", "200"]]:
	least = {name: min(run(command) for _ in range(rounds)) for name, run in ways}
	print("%-14s" % os.path.basename(command[0]), "  ".join("%s %.0f ms (%.2fx)" % (name,
		1000 * s, s / least["as it is"]) for name, s in least.items()), flush=True)
	failed |= least["counted"] > 2.5 * least["as it is"]
sys.exit(failed)
END
