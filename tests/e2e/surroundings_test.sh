# Counted runs count the program and not its surroundings: variables, locale, HOME, PATH and the length
# of the checkout's path change nothing. (tests/bench/counted_surroundings.sh has more programs.)
#
# May run beside others.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "counts do not depend on the environment" valgrind
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
check "but has a line of its own" grep -q 'in the dynamic loader' one/report.txt
check "with 149 more variables" count many s many
check "it takes the same number" same many
check "as another user" count other s other
check "it takes the same number" same other
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
finish
