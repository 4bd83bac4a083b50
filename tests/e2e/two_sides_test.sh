# Both sides of `gate --against` are two builds: what the base runs of the working tree is an error
# that names the file, or is the base's own. tests/bench/two_sides.py has more kinds.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

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
		for (int i = 0; i < n * TIMES * 40000000; i++) sum += 1;
		return sum;
	}
END

# project BUILD [KEY]...: a base with this build, and a working tree that is twice as slow.
project() {
	local build=$1
	shift
	printf '%s\n' 'name: bench' "build: $build" 'capture: {runs: 3, max_runs: 3, repeat: 1}' "$@" \
		>workloads/bench.yaml
	sed -i '1s/.*/#define TIMES 1/' core.c
	git add -A && git commit -qm base
	sed -i '1s/.*/#define TIMES 2/' core.c
}
library="mkdir -p lib && cc -shared -fPIC -o lib/libcore.so core.c && cc -o bench main.c -Llib -lcore"
gate() { # STATUS
	exits "$1" "$PROFILE_RUN" gate --against HEAD
}

printf -- '-Wl,-rpath,%s/lib' "$here" >rpath
project "$library \$(cat rpath)" 'run: [./bench]'
check "a library by an absolute rpath is an error" gate 2
check "that names it" contains out.txt "a file of the working tree: '$here/lib/libcore.so'"
check "and the program" contains out.txt "it got there by the rpath of '"

printf '#!/bin/sh\ncd %s && exec ./bench\n' "$here" >start
chmod +x start
project "cc -o bench main.c core.c" 'run: [./start]'
check "a script that goes to the working tree is an error" gate 2
check "that names its program" contains out.txt "executes a file of the working tree: '$here/bench'"
check "and the script" contains out.txt "by the path '$here' in '"

project "mkdir -p $out && cc -o $out/bench main.c core.c" "run: [$out/bench]"
check "two builds that write to one place are an error" gate 2
check "that names the file" contains out.txt "its build changed '$out/bench'"
check "where the base's build is kept as well" gate 2
check "and names it" contains out.txt "both builds use one file"

project "cc -o bench main.c core.c" 'run: [sh, -c, "cat $DATA && ./bench"]'
echo 1 >data
check "a file that only a variable names, and the base lacks, is an error" \
	env DATA="$here/data" "$BASH" -c '"$PROFILE_RUN" gate --against HEAD >out.txt 2>&1; [ $? -eq 2 ]'
check "that names both" contains out.txt "'DATA' names '$here/data'"
check "and the key that shares it" contains out.txt "list it in \`inputs\`"

if can_capture; then
	project "$library" 'run: [./bench]'
	export LD_LIBRARY_PATH=$here/lib
	check "a library path into the working tree leads to the base's own library" twice gate 1
	unset LD_LIBRARY_PATH
else
	skip "a library path into the working tree leads to the base's own library" \
		"perf_event_open is refused here"
fi
finish
