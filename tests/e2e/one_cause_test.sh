# One cause is one finding, about the function that changed: a caller of libc, one that was inlined,
# and two that changed each.
#
# Takes long.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "one cause is one finding" "perf_event_open is refused here"
	finish
fi
if ! command -v python3 >/dev/null || ! command -v git >/dev/null; then
	skip "one cause is one finding" "python3 or git is not installed"
	finish
fi
mkdir repository && cd repository || exit 2
git init -q . && git config user.email a@example.org && git config user.name a
mkdir workloads
cat >workloads/app.yaml <<'END'
name: app
summary: text and numbers
build: gcc -O2 -g -o app app.c
run: [./app]
capture: {repeat: 1}
END
printf 'app\nreports/\n' >.gitignore
cat >app.c <<'END'
#include <stdio.h>
#ifndef TEXTS
#define TEXTS 1
#endif
#ifndef STEPS
#define STEPS 20
#endif
static volatile unsigned sink;
static inline unsigned step(unsigned x) { for (int i = 0; i < STEPS; i++) x = x * 1664525u + (x >> 7); return x; }
__attribute__((noinline)) static unsigned mix(unsigned x) { for (int i = 0; i < 40; i++) x ^= step(x + i); return x; }
__attribute__((noinline)) static unsigned label(double x) { char t[64]; unsigned n = 0; for (int i = 0; i < TEXTS; i++) n += snprintf(t, sizeof t, "%.15g", x + i); return n; }
__attribute__((noinline)) static unsigned rest(unsigned x) { for (int i = 0; i < 1500; i++) x = x * 22695477u + 1; return x; }
int main(void) { for (unsigned i = 0; i < 12000; i++) sink += mix(i) + label(i * 0.37) + rest(i); return 0; }
END
git add -A && git commit -qm base
change() {
	sed -i "s/define TEXTS 1/define TEXTS 8/; s/define STEPS 20/define STEPS 60/" app.c
	rm -rf reports
	"$PROFILE_RUN" gate --against HEAD --quiet >gate.txt 2>&1
	local status=$?
	cat gate.txt
	[ "$status" -eq 1 ]
}
# The failing findings are about these functions, in this order.
subjects() {
	python3 - "$@" <<-'END'
		import json, sys
		found = json.load(open("reports/latest/verdict.json"))["workloads"][0]["findings"]
		failed = [f for f in found if f["status"] == "fail"]
		print([(f["subject"], [m["subject"] for m in f["grew_with_it"]]) for f in failed])
		assert sorted(f["subject"] for f in failed) == sorted(sys.argv[1:])
	END
}
# The changed line that carries the growth is marked.
marked() { # LINE OF THE SOURCE
	local line
	line=$(grep -nF "$1" app.c | head -n 1 | cut -d: -f1)
	"$PROFILE_RUN" export reports/latest --to sarif >sarif.json || return 1
	cat reports/latest/annotations.txt reports/latest/junit-extended.xml
	contains reports/latest/annotations.txt "::error file=app.c,line=$line,title=profile_run%3A app" &&
		contains reports/latest/junit-extended.xml " file=\"app.c\" line=\"$line\"" &&
		python3 - "$line" <<-'END'
			import json, sys
			results = json.load(open("sarif.json"))["runs"][0]["results"]
			places = [l["physicalLocation"] for r in results for l in r["locations"]]
			print(places)
			assert any(p["artifactLocation"]["uri"] == "app.c" and
				p["region"]["startLine"] == int(sys.argv[1]) for p in places)
		END
}
check "more calls of libc and a slower inlined function fail" change
check "the findings are about their caller and the function" subjects label 'step_[i]'
longer() {
	git checkout -q HEAD -- app.c
	sed -i 's/i < 40/i < 120/' app.c
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
check "a longer loop around an inlined function fails" longer
check "the finding is about the function that has the loop" subjects mix
check "its line is marked" marked "i < 120"
# It is inlined on one side only.
outlined() {
	git checkout -q HEAD -- app.c
	sed -i 's/^static inline unsigned step/__attribute__((noinline)) static unsigned step/; s/define STEPS 20/define STEPS 60/' app.c
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
check "a slower function that is no longer inlined fails" outlined
check "it is compared as one" subjects 'step_[i]'
git checkout -q HEAD -- app.c
cat >app.c <<'END'
#include <stdio.h>
static volatile unsigned sink;
static unsigned
rest(unsigned x)
{
	for (int i = 0; i < 1500; i++)
		x = x * 22695477u + 1;
	return x;
}
__attribute__((noinline)) static unsigned
mix(unsigned x)
{
	unsigned sum = x;

	for (int i = 0; i < 900; i++)
		sum = sum * 1664525u + 1013904223u;
	for (int i = 0; i < 30; i++)
		sum ^= sum >> 3;
	return sum;
}
int
main(void)
{
	for (unsigned i = 0; i < 12000; i++)
		sink += mix(i) + rest(i);
	return 0;
}
END
git commit -qam "one function"
more() { # SED
	git checkout -q HEAD -- app.c
	sed -i "$1" app.c
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
check "a slower line fails" more 's/sum ^= sum >> 3/sum ^= sum % 1021/; s/i < 30/i < 100/'
check "it is marked" marked "sum ^= sum % 1021"
check "a loop that runs longer fails" more 's/i < 900/i < 2700/'
check "its head is marked" marked "i < 2700"
# A new function, which is inlined into its caller or not.
added() { # ATTRIBUTES
	git checkout -q HEAD -- app.c
	sed -i "s/return sum;/return track(sum);/; /^__attribute__/i $1 unsigned\\
track(unsigned x)\\
{\\
	for (int i = 0; i < 300; i++)\\
		x ^= x % 1021;\\
	return x;\\
}" app.c
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
check "a new function fails" added '__attribute__((noinline)) static'
is_named_as_new() {
	grep '^FAIL  app  track new, 0 -> ' out.txt || { cat out.txt; return 1; }
}
check "it is named as new" is_named_as_new
check "the finding is about it" subjects track
check "its line is marked" marked "x ^= x % 1021"
check "a new function that is inlined fails" added 'static inline'
check "it is named as new, too" grep -qF 'FAIL  app  track (inlined) new, 0 -> ' out.txt
check "the finding is about that" subjects 'track_[i]'
# A hash that collides lengthens the loop of the function that it is inlined into.
git checkout -q HEAD -- app.c
cat >app.c <<'END'
static volatile unsigned sink;
static unsigned keys[4096];
static inline unsigned
hash(unsigned key)
{
	return (key * 2654435761u) >> 4;
}
__attribute__((noinline)) static unsigned
find(unsigned key)
{
	unsigned at = hash(key) % 4096;

	while (keys[at] != 0 && keys[at] != key)
		at = (at + 1) % 4096;
	return at;
}
__attribute__((noinline)) static unsigned
rest(unsigned x)
{
	for (int i = 0; i < 8; i++)
		x = x * 22695477u + 1;
	return x;
}
int
main(void)
{
	for (unsigned i = 1; i <= 3000; i++)
		keys[find(i * 7919)] = i * 7919;
	for (unsigned round = 0; round < 1000; round++)
		for (unsigned i = 1; i <= 3000; i++)
			sink += find(i * 7919) + rest(i);
	return 0;
}
END
git commit -qam "a hash"
collides() {
	sed -i 's/2654435761u) >> 4/2654435761u) >> 4 \& ~63u/' app.c
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
check "a worse hash fails" collides
check "the finding is about the function whose loop it is" subjects find
check "the change is that of what is inlined" grep -qF 'app.c:6: hash (inlined) changed' out.txt
check "its line is marked" marked "~63u"
# Two types and a macro changed: each function has its own as the cause.
cat >app.h <<'END'
#define STEPS 20
struct node {
	struct node *next;
	unsigned weight;
};
struct table {
	unsigned short slots[1000];
};
END
cat >app.c <<'END'
#include "app.h"
static volatile unsigned sink;
static struct node nodes[4000];
static struct table table;
__attribute__((noinline)) static unsigned
walk(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < sizeof(nodes) / sizeof(struct node); i++)
		sum += nodes[i].weight += i;
	return sum;
}
__attribute__((noinline)) static unsigned
fill(const struct table *t)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < sizeof(t->slots) / sizeof(t->slots[0]); i++)
		sum = (sum + t->slots[i]) % 1021 + i;
	return sum;
}
__attribute__((noinline)) static unsigned
mix(unsigned x)
{
	for (int i = 0; i < STEPS * 150; i++)
		x = x * 1664525u + (x >> 7);
	return x;
}
int
main(void)
{
	for (unsigned i = 0; i < 2500; i++)
		sink += walk() + fill(&table) + mix(i);
	return 0;
}
END
git add -A && git commit -qm "types"
defined() {
	sed -i 's/slots\[1000\]/slots[4000]/; s/unsigned weight/unsigned long weight/; s/STEPS 20/STEPS 60/' app.h
	rm -rf reports
	exits 1 "$PROFILE_RUN" gate --against HEAD --quiet
}
check "changed types and a changed macro fail" defined
check "the type is the cause of one" grep -qF 'app.h:7: struct table changed' out.txt
check "the macro is that of the other" grep -qF 'app.h:1: macro STEPS changed' out.txt
finish
