# Gates of the kinds of change that histories of libraries have, each against the commit before it:
# a loop that became quadratic, a lost fast path, a lost link-time optimisation, a refactoring without
# effect, a function that moved, a comment.
#
# KIND=NAME tries one of them only. GATES=N repeats each gate N times with default settings (default:
# one, with fewer runs), BESIDE=1 has a compiler at work beside them, and the time of each is printed.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

GATES=${GATES:-1}
CLAIM="the kinds of change that histories have are distinguished"

if ! can_capture; then
	skip "$CLAIM" "perf_event_open is refused here"
	finish
fi
needs "$CLAIM" git gcc python3 valgrind
export XDG_CACHE_HOME=$PWD/cache
unset GITHUB_BASE_REF GITHUB_REF_NAME
mkdir -p project/workloads
cd project || exit 2

cat >text.h <<'END'
struct text { const char *bytes; unsigned long len; };
unsigned hash_byte(unsigned hash, unsigned char byte);
unsigned long find_line(const struct text *text, unsigned long from);
END
cat >hash.c <<'END'
#include "text.h"
/* Too quick for a call to be hidden behind it. */
unsigned hash_byte(unsigned hash, unsigned char byte) { return hash + (byte ^ 85u); }
END
cat >find.c <<'END'
#include "text.h"
#include <string.h>
unsigned long find_line(const struct text *text, unsigned long from)
{
	const char *end = memchr(text->bytes + from, '\n', text->len - from);
	return end ? (unsigned long)(end - text->bytes) : text->len;
}
END
cat >main.c <<'END'
#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SIZE 400000
static char bytes[SIZE + 1];
static void fill(void)
{
	unsigned random = 1;
	for (int i = 0; i < SIZE; i++) {
		random = random * 1103515245u + 12345u;
		bytes[i] = random >> 16 & 31 ? (char)('a' + (random >> 16) % 26) : ' ';
		if (i % 200 == 199)
			bytes[i] = '\n';
	}
}
__attribute__((noinline)) static unsigned hash_all(const struct text *text)
{
	unsigned hash = 2166136261u;
	for (unsigned long i = 0; i < text->len; i++)
		hash = hash_byte(hash, (unsigned char)text->bytes[i]);
	return hash;
}
__attribute__((noinline)) static unsigned count_words(const struct text *text)
{
	unsigned words = 0;
	for (unsigned long i = 1; i < text->len; i++)
		words += text->bytes[i - 1] == ' ' && text->bytes[i] != ' ';
	return words;
}
__attribute__((noinline)) static unsigned long count_lines(const struct text *text)
{
	unsigned long lines = 0;
	for (unsigned long at = 0; at < text->len; at = find_line(text, at) + 1)
		lines++;
	return lines;
}
__attribute__((noinline)) static unsigned copy_upper(const struct text *text, char *into)
{
	unsigned sum = 0;
	unsigned long n = text->len;
	for (unsigned long i = 0; i < n; i++) {
		char c = text->bytes[i];
		into[i] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
		sum += (unsigned char)into[i];
	}
	return sum;
}
/* Numbers come in order: the last one seen tells. */
__attribute__((noinline)) static unsigned count_distinct(void)
{
	static unsigned seen[1500];
	unsigned n = 0;
	for (unsigned key = 0; key < 1500; key++) {
		unsigned k;
		for (k = n; k > 0 && seen[k - 1] == key; k--)
			;
		seen[n++] = key + k % 2;
	}
	return n;
}
int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 60;
	struct text text = {bytes, SIZE};
	char *copy = malloc(SIZE + 1);
	unsigned long sum = 0;
	fill();
	for (int i = 0; i < rounds; i++) {
		text.len = SIZE - (unsigned long)i;
		sum += hash_all(&text) + count_words(&text) + copy_upper(&text, copy);
		for (int k = 0; k < 5; k++)
			sum += count_lines(&text) + count_distinct();
	}
	printf("%lu\n", sum);
	return 0;
}
END
cat >workloads/text.yaml <<'END'
name: text
build: gcc -g -fno-omit-frame-pointer $(cat flags) -o text main.c hash.c find.c
run: [./text]
END
# A single gate of each is to be quick: its runs are shorter, and it counts instructions though that takes
# longer than they do.
[ "$GATES" -gt 1 ] || sed -i 's|\./text|./text, "10"|' workloads/text.yaml
[ "$GATES" -gt 1 ] || printf '%s\n' 'capture: {runs: 4, max_runs: 8, repeat: 1}' \
	'gate: {decide: instructions}' >>workloads/text.yaml
echo '-O2 -flto' >flags
printf 'text\nreports\n' >.gitignore
git init -q .
git config user.email nobody@example.com
git config user.name nobody
git add -A && git commit -qm base

# try NAME EXIT STATUS SCRIPT: gates of what the script changes; all have to end so.
longest=0
exec 3>&1
try() {
	local name=$1 code=$2 status=$3 good=0 i begun took
	git checkout -q -f master 2>/dev/null || git checkout -q -f main
	eval "$4"
	git commit -qam "$name"
	for ((i = 0; i < GATES; i++)); do
		begun=$(date +%s)
		exits "$code" "$PROFILE_RUN" gate --against HEAD~1 >.gate.log 2>&1 &&
			python3 -c 'import json, sys
w = json.load(open("reports/latest/verdict.json"))["workloads"][0]
sys.exit(w["status"] != sys.argv[1])' "$status" && good=$((good + 1))
		took=$(($(date +%s) - begun))
		[ "$took" -gt "$longest" ] && longest=$took
		[ "$GATES" -gt 1 ] && echo "  $name: $took s, $(sed -n 1,3p .gate.log | tr '\n' ' ')" >&3
	done
	[ "$GATES" -gt 1 ] && echo "  $name: $good of $GATES are $status; the longest took $longest s" >&3
	cat .gate.log
	git reset -q --hard HEAD~1
	[ "$good" -ge $(((GATES * 19 + 19) / 20)) ]
}

kind() { # CLAIM NAME...
	[ "${KIND:-$2}" != "$2" ] || check "$1" try "${@:2}"
}

if [ "${BESIDE:-0}" -eq 1 ]; then
	while :; do
		gcc -O2 -g -I"$ROOT/harness" -I"$ROOT/harness/show" -I"$ROOT/harness/judge" \
			-I"$ROOT/harness/model" -I"$ROOT/harness/measure" -D_GNU_SOURCE -c "$ROOT/harness/show/output/json.c" -o /dev/null
	done >/dev/null 2>&1 &
	trap 'kill %1 2>/dev/null' EXIT
fi

kind "a loop that became quadratic fails" quadratic 1 fail \
	"sed -i 's/k > 0 \&\& seen\[k - 1\] == key; k--/k > 0 \&\& seen[k - 1] != key + 1; k--/' main.c"
kind "a lost fast path fails" fast-path 1 fail \
	"sed -i 's/const char \*end = memchr(text->bytes + from, .*/const char *end = text->bytes + from; while (end < text->bytes + text->len \&\& *end != 10) end++;/; s/return end ?/return end < text->bytes + text->len ?/' find.c"
kind "a lost link-time optimisation fails" link 1 fail "echo -O2 >flags"
kind "a refactoring without effect passes" refactoring 0 pass \
	"sed -i 's/words += text->bytes\[i - 1\] == .*/{ const char *at = text->bytes + i; words += at[-1] == 32 \&\& at[0] != 32; }/' main.c"
# The code of all functions is the same, and most lie elsewhere; a few short runs do not show that it takes
# no longer.
[ "$GATES" -eq 1 ] || kind "a function that moved passes" moved 0 pass \
	"python3 -c 's = open(\"main.c\").read()
begin, end = s.index(\"__attribute__((noinline)) static unsigned hash_all\"), s.index(\"/* Numbers come\")
middle = s.index(\"__attribute__\", begin + 1)
open(\"main.c\", \"w\").write(s[:begin] + s[middle:end] + s[begin:middle] + s[end:])'"
kind "a comment passes" comment 0 pass \
	"sed -i 's|^int main|/* Counts, hashes and copies. */\nint main|' main.c"
finish
