# Counted runs count the program and not its surroundings: variables, locale, HOME, PATH and the length
# of the checkout's path change nothing. (tests/bench/counted_surroundings.sh has more programs.)
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "counts do not depend on the environment" valgrind git python3
long=$PWD/a_folder_with_a_long_name/below_another_one_with_a_long_name/and_a_third_one
mkdir -p s/.git "$long/.git" "another home"
cat >s/work.c <<'END'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static volatile unsigned sink;
__attribute__((constructor)) static void before(void) { for (int i = 0; i < 1000; i++) sink += i; }
static void look(const char *text) { while (text && *text) sink += (unsigned char)*text++; }
int main(int argc, char **argv)
{
	char path[4096];
	(void)argc;
	setlocale(LC_ALL, "");
	for (char **at = environ; *at; at++) look(*at);
	look(argv[0]);
	look(getcwd(path, sizeof(path)));
	look(realpath("work.c", path));
	look(getenv("HOME"));
	printf("%u %zu\n", sink, strlen(path));
	return 0;
}
END
"${CC:-cc}" -O1 -g -o s/work s/work.c && cp s/work s/work.c "$long/" || exit 2

many() { # COMMAND...: with 149 more variables
	local i more=()
	for ((i = 0; i < 149; i++)); do more+=("VARIABLE_$i=some value $i"); done
	env "${more[@]}" "$@"
}
other() { # COMMAND...: as another user would
	env -i HOME="$PWD/../another home" PATH="$PATH:/no/such/folder" LC_ALL=C.UTF-8 TZ=Europe/Berlin \
		GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 "$@"
}
count() { # NAME FOLDER [WRAPPER]: its program's instructions to ../NAME/folded.txt
	local name=$1 top=$PWD
	(cd "$2" && ${3:-env} "$PROFILE_RUN" capture --metric instructions --workload 'exec ./work' \
		--output "$top/$name")
}
total() { awk '!/^#/ { sum += $NF } END { printf "%d\n", sum }' "$1/folded.txt"; }
same() { # NAME: as many as of `one`
	echo "$(total one) $(total "$1")"
	[ "$(total one)" -gt 1000 ] && [ "$(total one)" -eq "$(total "$1")" ]
}

check "a program is counted" count one s
check "its constructors are among what is counted" grep -q ';before ' one/folded.txt
check "and its loader is not" lacks one/folded.txt _dl_relocate_object
check "but has its own line" grep -q 'in the dynamic loader' one/report.txt
check "with 149 more variables" count many s many
check "it takes the same number" same many
check "as another user" count other s other
check "it takes the same number" same other
# The C library of a static program reads the features that it is given above what valgrind hands on.
"${CC:-cc}" -O1 -static -o s/static s/work.c || exit 2
static_totals() {
	local i
	for i in {1..8}; do
		"$PROFILE_RUN" capture --metric instructions --workload 'exec s/static' --output static \
			>/dev/null || return
		total static
	done
}
one_total() { [ "$(static_totals | tee /dev/stderr | sort -u | wc -l)" -eq 1 ]; }
check "a static program takes the same number in each run" one_total
if unshare -m true 2>/dev/null || unshare -Urm true 2>/dev/null; then
	check "in a folder with a long path" count long "$long"
	check "it takes the same number" same long
else
	skip "a longer path takes the same number" "mount namespaces are refused"
fi
needs_variable() { (cd s && env NEEDED_PATH=1 "$PROFILE_RUN" capture --metric instructions --workload \
	"sh -c 'test \$NEEDED_PATH = 1'" --output ../x 2>&1); }
missing() { ! needs_variable >missing.txt && grep -q 'env.*NEEDED_PATH' missing.txt; }
check "a program that misses a variable is an error that names it" missing

# A timed run finds another library by a variable that a counted one does not have.
mkdir -p g/workloads g/one g/other
cat >g/library.c <<'END'
#include <string.h>
static volatile unsigned sink;
static char text[4096];
void work(void)
{
	for (int i = 0; i < 1000 * ROUNDS; i++) {
		memset(text, 1 + (i & 1), sizeof(text) - 1);
		sink += strlen(text);
	}
}
END
echo 'void work(void); int main(void) { work(); return 0; }' >g/main.c
(cd g && "${CC:-cc}" -O1 -fno-builtin -shared -fPIC -DROUNDS=1 -o one/libwork.so library.c &&
	"${CC:-cc}" -shared -fPIC -DROUNDS=5 -o other/libwork.so library.c &&
	"${CC:-cc}" -o main main.c -Lone -lwork "-Wl,-rpath,$PWD/one") || exit 2
printf 'name: lib\nrun: [./main]\ncapture: {metric: instructions, runs: 3}\n' >g/workloads/lib.yaml
of_g() { # [NAME=VALUE...] ARGUMENT...: profile_run in g
	(cd g && env "$@" >../out.txt 2>&1)
}
other_library() { ! of_g "LD_LIBRARY_PATH=$PWD/g/other" "$PROFILE_RUN" "$@"; }
names_library() {
	grep -q "does not use '$(realpath g/other)/libwork.so', since it does not have LD_LIBRARY_PATH" \
		out.txt && grep -q 'put LD_LIBRARY_PATH into' out.txt
}
check "a baseline is stored" of_g "$PROFILE_RUN" baseline update --no-counts
check "a counted run that would use another library is an error" other_library gate
check "that names the library and the variable" names_library
check "a capture of the workload, too" other_library capture --workload lib --output x
check "that names both" names_library
command_is_warned() {
	of_g "LD_LIBRARY_PATH=$PWD/g/other" "$PROFILE_RUN" capture --metric instructions --output x \
		-- ./main && grep -q 'does not have LD_LIBRARY_PATH' out.txt
}
check "a command, which is not run again, gets a warning" command_is_warned

# A process has one listener for its system calls: where another program has it, runs cannot be watched.
cat >listened.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {.len = 1, .filter = &allow};

	/* The copy stays open in the program that is executed. */
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		dup((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			&program)) < 0)
		return 77;
	execvp(argv[1], argv + 1);
	return 2;
}
END
"${CC:-cc}" -o listened listened.c || exit 2
./listened true
if [ $? -eq 77 ]; then
	skip "a run that cannot be watched is counted" "this kernel has no listeners for system calls"
else
	check "a run that cannot be watched is counted" \
		of_g "$PWD/listened" "$PROFILE_RUN" capture --workload lib --output x
	check "with a warning" \
		grep -q "run could not be watched, so that counted runs may use other files" out.txt
fi

# The CPU features that glibc is given outside change nothing.
tunables=GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-AVX_Fast_Unaligned_Load
each_run() { # the instructions of each run of the last gate
	python3 -c 'import json
for w in json.load(open("g/reports/latest/verdict.json"))["workloads"]:
	print(*[run["cost_total"] for run in w["baseline_runs"] + w["candidate_runs"]])' | tee counts.txt
	[ "$(tr ' ' '\n' <counts.txt | sort -u | wc -l)" -eq 1 ]
}
check "a stored baseline is found" of_g "$tunables" "$PROFILE_RUN" gate
check "the class is the same, and nothing changed" grep -q 'pass *lib' out.txt
check "not by an instruction" each_run
paired() { # ARGUMENT...: a gate against the commit
	of_g "$tunables" "$PROFILE_RUN" gate --against HEAD --measure-anyway "$@"
}
printf 'reports\nbaselines\n' >g/.gitignore
(cd g && "${CC:-cc}" -o main main.c -Lone -lwork '-Wl,-rpath,$ORIGIN/one' && git init -q . &&
	git add -A && git -c user.name=nobody -c user.email=nobody@example.com commit -qm one) || exit 2
check "nor in interleaved runs of two builds" paired
check "not by an instruction" each_run

# Counts that only support a timed gate are not used where they are of other code.
(cd g && "${CC:-cc}" -O1 -fno-builtin -shared -fPIC -DROUNDS=200 -o one/libwork.so library.c &&
	git -c user.name=nobody -c user.email=nobody@example.com commit -qam longer &&
	"${CC:-cc}" -O1 -fno-builtin -shared -fPIC -DROUNDS=800 -o one/libwork.so library.c) || exit 2
cat >g/workloads/lib.yaml <<'END'
name: lib
run: [./main]
capture: {runs: 6, repeat: 1}
gate: {decide: instructions, confirm: false}
END
if can_capture; then
	check "a timed gate judges by time where the counted run lacks a library" exits 1 \
		env -C g "LD_PRELOAD=libm.so.6" "$PROFILE_RUN" gate --against HEAD
	check "and says why" grep -q 'instructions are not used: .*since it does not have LD_PRELOAD' err.txt
fi
finish
