# The functions of a script are in a profile where its interpreter gives them names.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "functions of a script are found" "perf_event_open is refused here"
	finish
fi

# unbroken FILE: hardly a stack of the folded file is broken.
unbroken() {
	awk '{ all += $NF } /;\[broken\]/ { broken += $NF }
		END { printf "%d of %d broken\n", broken, all; exit !(all > 100 && broken < all / 50) }' "$1"
}

# As CPython's -X perf does: code that is copied once for each function and calls the evaluator, in
# a program without frame pointers.
cat >trampolines.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COPIES 4
#define COPY_BYTES 32

typedef unsigned long evaluator(unsigned long depth);
typedef unsigned long trampoline(unsigned long depth, long, long, evaluator *);

extern const char _Py_trampoline_func_start[], _Py_trampoline_func_end[];

__asm__(".text\n.globl _Py_trampoline_func_start, _Py_trampoline_func_end\n"
	"_Py_trampoline_func_start:\n"
#if defined(__x86_64__)
	"sub $8, %rsp\ncall *%rcx\nadd $8, %rsp\nret\n"
#else
	"stp x29, x30, [sp, -16]!\nmov x29, sp\nblr x3\nldp x29, x30, [sp], 16\nret\n"
#endif
	"_Py_trampoline_func_end:\n");

static char *copies;

__attribute__((noinline)) unsigned long
evaluate(unsigned long depth)
{
	volatile unsigned long x = depth;

	if (depth > 0) {
		trampoline *next = (trampoline *)(copies + depth % COPIES * COPY_BYTES);

		return next(depth - 1, 0, 0, evaluate) + x;
	}
	for (long i = 0; i < 20000; i++)
		x ^= x << 13 ^ (unsigned long)i;
	return x;
}

int
main(void)
{
	size_t bytes = (size_t)(_Py_trampoline_func_end - _Py_trampoline_func_start);
	char path[64];
	unsigned long sum = 0;

	copies = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copies == MAP_FAILED)
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");

	for (int i = 0; map && i < COPIES; i++) {
		memcpy(copies + i * COPY_BYTES, _Py_trampoline_func_start, bytes);
		fprintf(map, "%lx %zx py::f%d:script.py\n", (unsigned long)(copies + i * COPY_BYTES),
			bytes, i);
	}
	if (!map || fclose(map) != 0)
		return 1;
	__builtin___clear_cache(copies, copies + 4096);
	puts(path);
	for (int i = 0; i < 10000; i++)
		sum += evaluate(6);
	return sum == 1;
}
END
run_copies() {
	cc -O2 -fomit-frame-pointer -rdynamic -o trampolines trampolines.c &&
		exits 0 "$PROFILE_RUN" capture --frequency 999 --call-graph dwarf --output copies -- \
			sh -c './trampolines >map.txt'
}
if command -v cc >/dev/null; then
	check "a program that copies its trampolines is captured" run_copies
	check "stacks lead out of the copies" unbroken copies/folded.txt
	check "through every function" grep -q ';main;evaluate;py::f2:script.py_\[j\];evaluate;py::f1:script.py_\[j\];evaluate;py::f0:script.py_\[j\];' copies/folded.txt
else
	skip "a program that copies its trampolines is captured" "cc is not installed"
fi

cat >script.py <<'END'
import os

def leaf(n):
    return sum(i * i % 7 for i in range(n))

def branch(n):
    return [leaf(n) for _ in range(200)]

open("map.txt", "a").write("/tmp/perf-{0}.map\n/tmp/jit-{0}.dump\n".format(os.getpid()))
for _ in range(20):
    branch(800)
END
# python_with OPTION: the newest python that takes -X OPTION.
python_with() {
	local python
	for python in python3.14 python3.13 python3.12 python3; do
		"$python" -X "$1" -c 'import os, sys
open("map.txt", "a").write("/tmp/perf-{0}.map\n/tmp/jit-{0}.dump\n".format(os.getpid()))
sys.exit(not sys.is_stack_trampoline_active())' >/dev/null 2>&1 && echo "$python" && return
	done
	return 1
}
for option in perf perf_jit; do
	if python=$(python_with "$option"); then
		check "python -X $option is captured" exits 0 "$PROFILE_RUN" capture --frequency 999 \
			--output "$option" -- "$python" -X "$option" script.py
		check "its stacks are whole" unbroken "$option/folded.txt"
		check "and have the functions of the script" \
			grep -qE 'py::branch:[^;]*script.py_\[j\];.*py::leaf:[^;]*script.py_\[j\];' \
			"$option/folded.txt"
	else
		skip "python -X $option is captured" "no Python with -X $option is installed"
	fi
done

# Two functions with seven and three parts of the work, alternately that are much shorter than a period.
cat >script.js <<'END'
function seven(n) {
	let x = 1;
	for (let i = 0; i < n; i++)
		x = (x * 48271 + i) % 2147483647;
	return x;
}
function three(n) {
	let x = 2;
	for (let i = 0; i < n; i++)
		x = (x * 48271 + i) % 2147483647;
	return x;
}
require("fs").appendFileSync("map.txt", `/tmp/perf-${process.pid}.map\n`);
let sum = 0;
for (let i = 0; i < 9000; i++)
	sum += seven(4667) + three(2000);
console.log(sum);
END
# parted FILE FUNCTION LEAST: the two functions have their parts, to three points, and together at
# least this part of all. The function is a pattern in which "seven" is for both.
parted() {
	awk -v seven="$2" -v three="${2/seven/three}" -v least="$3" '
		$0 ~ seven { sevens += $NF } $0 ~ three { threes += $NF } { all += $NF }
		END { share = sevens / (sevens + threes)
			printf "%d and %d of %d\n", sevens, threes, all
			exit !(share > 0.67 && share < 0.73 && sevens + threes > least * all) }' "$1"
}
for option in perf-basic-prof perf-prof; do
	claim="node --$option is captured"
	if ! command -v node >/dev/null; then
		skip "$claim" "node is not installed"
	elif ! node --v8-options | grep -q -- "--$option "; then
		skip "$claim" "node does not have the option"
	else
		# For so many samples chance moves a part by less than a point.
		check "$claim" exits 0 "$PROFILE_RUN" capture --frequency 2999 --output "$option" -- \
			node "--$option" --no-turbo-inlining script.js
		check "its functions have their parts of the time" \
			parted "$option/folded.txt" 'seven [^;]*script[.]js:[^;]*_[[]j]' 0.8
		check "its stacks are whole" unbroken "$option/folded.txt"
	fi
done

# The same parts in Java, whose map is written at the end.
cat >Truth.java <<'END'
public class Truth {
	static volatile double sum;

	static double step(double x) {
		for (int i = 0; i < 1000; i++)
			x = x * 1.0000001 + i;
		return x;
	}

	static void seven(double x) {
		for (int i = 0; i < 700; i++)
			x = step(x);
		sum = x;
	}

	static void three(double x) {
		for (int i = 0; i < 300; i++)
			x = step(x);
		sum = x;
	}

	public static void main(String[] arguments) throws Exception {
		try (var map = new java.io.FileWriter("map.txt", true)) {
			map.write("/tmp/perf-" + ProcessHandle.current().pid() + ".map\n");
		}
		for (int i = 0; i < 1200; i++) {
			seven(i);
			three(i);
		}
	}
}
END
# For what is compiled.
java_parted() { # FILE
	parted "$1" 'Truth[.]seven[(]' 0.6
}
jvm=(-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)
claim="java with a map of its code is captured"
if ! command -v javac >/dev/null || ! javac Truth.java >javac.txt 2>&1; then
	skip "$claim" "there is no JDK"
elif ! java -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version 2>/dev/null |
	grep -q DumpPerfMapAtExit; then
	skip "$claim" "this java does not write a map (JDK 17 and later do)"
else
	check "$claim" exits 0 "$PROFILE_RUN" capture --frequency 999 --output java -- \
		java "${jvm[@]}" -XX:CompileCommand=quiet "-XX:CompileCommand=dontinline,Truth.*" Truth
	check "its methods have their parts of the time" java_parted java/folded.txt
	check "its stacks are whole" unbroken java/folded.txt
fi

# By a jitdump, which an agent writes: perf's, or one of the tests.
jdk=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")/include
claim="java with a jitdump is captured"
if [ ! -e Truth.class ] || [ ! -e "$jdk/jvmti.h" ]; then
	skip "$claim" "there is no JDK with its headers"
else
	rm -f jit-*.dump
	check "the agent is compiled" cc -O1 -D_GNU_SOURCE -I"$jdk" -I"$jdk/linux" -shared -fPIC \
		-o agent.so "$ROOT/tests/e2e/java/jitdump_agent.c"
	check "$claim" exits 0 "$PROFILE_RUN" capture --frequency 999 --output java-jitdump -- \
		java -XX:+PreserveFramePointer -agentpath:./agent.so -XX:CompileCommand=quiet \
		"-XX:CompileCommand=dontinline,Truth.*" Truth
	check "the agent wrote one" test -s "$(echo jit-*.dump)"
	check "its methods have their parts of the time, by the same names" java_parted java-jitdump/folded.txt
	check "its stacks are whole" unbroken java-jitdump/folded.txt
fi

# And in PHP, whose JIT names what it compiles.
cat >script.php <<'END'
<?php
function seven($n) { $x = 1; for ($i = 0; $i < $n; $i++) $x = ($x * 31 + $i) & 0xffffff; return $x; }
function three($n) { $x = 2; for ($i = 0; $i < $n; $i++) $x = ($x * 31 + $i) & 0xffffff; return $x; }
file_put_contents("map.txt", "/tmp/perf-" . getmypid() . ".map\n", FILE_APPEND);
for ($sum = 0, $k = 0; $k < 40000; $k++)
	$sum += seven(7000) + three(3000);
echo $sum, "\n";
END
php=(php -n -d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M
	-d opcache.file_update_protection=0 -d opcache.jit=function -d opcache.jit_debug=16)
claim="php with a map of its code is captured"
if ! "${php[@]}" -r 'exit(empty(opcache_get_status()["jit"]["on"]));' >/dev/null 2>&1; then
	skip "$claim" "there is no PHP with a JIT"
else
	check "$claim" exits 0 "$PROFILE_RUN" capture --frequency 2999 --output php -- "${php[@]}" script.php
	check "its functions have their parts of the time" parted php/folded.txt 'JIT[$]seven_[[]j]' 0.7
fi

# And in Ruby.
cat >script.rb <<'END'
def seven(n)
	x = 1
	i = 0
	while i < n
		x = (x * 48271 + i) % 2147483647
		i += 1
	end
	x
end

def three(n)
	x = 2
	i = 0
	while i < n
		x = (x * 48271 + i) % 2147483647
		i += 1
	end
	x
end
File.write("map.txt", "/tmp/perf-#{Process.pid}.map\n", mode: "a")
sum = 0
60000.times { sum += seven(700) + three(300) }
puts sum
END
claim="ruby with a map of its code is captured"
if ! ruby --yjit --yjit-perf -e 'exit RubyVM::YJIT.enabled?' >/dev/null 2>&1; then
	skip "$claim" "there is no Ruby 3.3 or later with YJIT"
else
	check "$claim" exits 0 "$PROFILE_RUN" capture --frequency 2999 --output ruby -- \
		ruby --yjit --yjit-perf script.rb
	check "its methods have their parts of the time" \
		parted ruby/folded.txt 'Object#seven_[[]j]' 0.8
	check "its stacks are whole" unbroken ruby/folded.txt
fi
[ ! -f map.txt ] || xargs rm -f <map.txt
finish
