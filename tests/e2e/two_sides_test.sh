# Both sides of `gate --against` are two builds: what the base runs of the working tree is an error
# that names the file, or is the base's own. tests/bench/two_sides.py has more kinds.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

needs "the base runs its own files" git cc
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
out=$PWD/out
mkdir -p project/workloads && cd project || exit 2
here=$PWD
git init -q .
git config user.email nobody@example.com
git config user.name nobody
printf '%s\n' /lib/ /bench /data reports '*.txt' .check.log >.gitignore
cat >main.c <<-'END'
	int work(int n);
	int main(void) { return work(2) == 0; }
END
cat >core.c <<-'END'
	#define TIMES 1
	int work(int n)
	{
		volatile int sum = 0;
		for (int i = 0; i < n * TIMES * 12000000; i++) sum += 1;
		return sum;
	}
END

# project BUILD [KEY]...: a base with this build, and a working tree that takes four times as long.
project() {
	local build=$1
	shift
	printf '%s\n' 'name: bench' "build: $build" 'capture: {runs: 3, max_runs: 12, repeat: 1}' "$@" \
		>workloads/bench.yaml
	sed -i '1s/.*/#define TIMES 1/' core.c
	git add -A && git commit -qm base
	sed -i '1s/.*/#define TIMES 4/' core.c
}
library="mkdir -p lib && cc -shared -fPIC -o lib/libcore.so core.c && cc -o bench main.c -Llib -lcore"
gate() { # STATUS
	exits "$1" "$PROFILE_RUN" gate --against HEAD
}

gate_stored() {
	exits 0 "$PROFILE_RUN" gate
}

printf -- '-Wl,-rpath,%s/lib' "$here" >rpath
project "$library \$(cat rpath)" 'run: [./bench]'
check "a library by an absolute rpath is an error" gate 2
check "that names it" contains reports/latest/report.txt "a file of the working tree: '$here/lib/libcore.so'"
check "and the program" contains reports/latest/report.txt "it got there by the rpath of '"

printf '#!/bin/sh\ncd %s && exec ./bench\n' "$here" >start
chmod +x start
project "cc -o bench main.c core.c" 'run: [./start]'
check "a script that goes to the working tree is an error" gate 2
check "that names its program" contains reports/latest/report.txt "executes a file of the working tree: '$here/bench'"
check "and the script" contains reports/latest/report.txt "by the path '$here' in '"

project "mkdir -p $out && cc -o $out/bench main.c core.c" "run: [$out/bench]"
check "two builds that write to one place are an error" gate 2
check "that names the file" contains reports/latest/report.txt "its build changed '$out/bench'"
check "in the next gate as well, as that build is not kept" gate 2
check "that names it again" contains reports/latest/report.txt "its build changed '$out/bench'"

echo 1 >data
printf '#!/bin/sh\necho 1 >>data\nexec ./bench\n' >start
project "cc -o bench main.c core.c" 'run: [./start]' 'inputs: [data]'
check "a run that changes an input is an error" gate 2
check "that names the input" contains reports/latest/report.txt "a run changed '$here/data', which is one of its inputs"
printf '#!/bin/sh\necho 1 >data\nexec ./bench\n' >start
project "cc -o bench main.c core.c" 'run: [./start]' 'inputs: [data]'
echo 1 >data
check "one that writes the same again changes nothing" gate 1
rm data

mkdir -p "$PWD-home"
home=$(cd "$PWD-home" && pwd)
printf '%s/.local/bin/mixer: main.c core.c\n\tmkdir -p %s/.local/bin\n\tcc -o $@ main.c core.c\n' "$home" "$home" >Makefile
project "make -s" "run: [sh, -c, mixer]" "env: {PATH: '$home/.local/bin:$PATH'}"
check "a program that make installs for both is an error" gate 2
check "that names the installed file" contains reports/latest/report.txt "'$home/.local/bin/mixer'"
check "where make has nothing to do as well" gate 2
check "that names the file again" contains reports/latest/report.txt "'$home/.local/bin/mixer'"
git rm -qf Makefile

project "cc -o bench main.c core.c" 'run: [sh, -c, "cat $DATA && ./bench"]'
echo 1 >data
check "a file that only a variable names, and the base lacks, is an error" \
	env DATA="$here/data" "$BASH" -c '"$PROFILE_RUN" gate --against HEAD >out.txt 2>&1; [ $? -eq 2 ]'
check "that names both" contains reports/latest/report.txt "'DATA' names '$here/data'"
check "and the key that shares it" contains reports/latest/report.txt "list it in \`inputs\`"

if can_capture; then
	project "$library" 'run: [./bench]'
	export LD_LIBRARY_PATH=$here/lib
	check "a library path into the working tree leads to the base's own library" gate 1
	unset LD_LIBRARY_PATH

	# Where the kernel refuses to watch calls, its records of mappings remain.
	cat >refuse.c <<-'END'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <stddef.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct sock_filter code[] = {
				BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
				BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
				BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
			};
			struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			if (argc < 2 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) return 9;
			execvp(argv[1], argv + 1);
			return 9;
		}
	END
	cc -o refuse refuse.c && rm refuse.c
	echo /refuse >>.gitignore
	printf -- '-Wl,-rpath,%s/lib' "$here" >rpath
	project "$library \$(cat rpath)" 'run: [./bench]'
	check "where runs cannot be watched, a library is known by its mapping" \
		exits 2 ./refuse "$PROFILE_RUN" gate --against HEAD
	check "and named" contains reports/latest/report.txt "loads a file of the working tree: '$here/lib/libcore.so'"
	project "$library '-Wl,-rpath,\$ORIGIN/lib'" 'run: [./bench]'
	check "where runs cannot be watched, two builds are compared" \
		exits 1 ./refuse "$PROFILE_RUN" gate --against HEAD
	tr -s ' \n' ' ' <reports/latest/report.txt >words.txt
	check "and the report says what is not known" contains words.txt \
		'The files that both builds open and execute are not known: their runs cannot be watched (seccomp(2): Operation not permitted)'

	# The first runs load no plugin: the watched one and those to warm up.
	cat >main.c <<-END
		#include <dlfcn.h>
		#include <unistd.h>
		int work(int n);
		int main(void)
		{
			char runs[64] = {0};
			int fd = open("runs", O_RDWR | O_CREAT | O_APPEND, 0600);
			if (write(fd, "x", 1) == 1 && pread(fd, runs, sizeof(runs), 0) > 4)
				dlopen("$here/lib/plugin.so", RTLD_NOW);
			return work(1) == 0;
		}
	END
	sed -i '1i #include <fcntl.h>' main.c
	echo /runs >>.gitignore
	project "rm -f runs && mkdir -p lib && cc -shared -fPIC -o lib/plugin.so core.c && cc -o bench main.c core.c -ldl" \
		'run: [./bench]'
	check "a file that only a later run loads is an error" gate 2
	check "that names it" contains reports/latest/report.txt "loads a file of the working tree: '$here/lib/plugin.so'"
	check "and its origin" contains reports/latest/report.txt "by the path '$here/lib/plugin.so' in '"
	check "and the run" grep -q 'during run [0-9]' reports/latest/report.txt

	cat >main.c <<-'END'
		int work(int n);
		int main(void) { return work(1) == 0; }
	END
	project 'cc -o bench main.c core.c' 'run: [sh, -c, "./bench; rm bench"]'
	check "a run that removes what it executes is an error" gate 2
	check "that names the file" contains reports/latest/report.txt "executes '$here/bench' and removes it"
	project 'rm -f runs && cc -o bench main.c core.c' \
		'run: [sh, -c, "./bench; echo >>runs; [ $(wc -l <runs) -ne 4 ] || cp --remove-destination /bin/true bench"]'
	check "a program that is replaced while it is measured is an error" gate 2
	check "that names the program" contains reports/latest/report.txt "'$here/bench' was changed while it was measured"

	project 'make -s' 'run: [./bench]'
	printf 'bench: main.c core.c\n\tcc -o bench main.c core.c\n' >Makefile
	git add -A && git commit -qm make
	"$PROFILE_RUN" baseline update --no-counts >out.txt 2>&1
	echo 'CFLAGS = -O2' >>Makefile
	git commit -qam flags
	check "the same program as the baseline's passes" gate_stored
	tr -s ' \n' ' ' <reports/latest/report.txt >words.txt
	check "and says that its build did not see a change" contains words.txt \
		'build did not change the program although these files changed: Makefile'
else
	skip "a library path into the working tree leads to the base's own library" \
		"perf_event_open is refused here"
fi
finish
