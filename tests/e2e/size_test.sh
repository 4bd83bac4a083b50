# The size of a program file is a profile like others: its sums are those of readelf and nm, and two files are
# compared exactly.
# shellcheck disable=SC2317  # functions are called through check
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# May run beside others.

needs "sizes of files are read" g++ readelf nm objcopy python3
cat >program.cc <<'END'
	#include <algorithm>
	#include <map>
	#include <string>
	#include <vector>
	namespace app {
	static int table[1000] = {1, 2, 3};
	thread_local int local = 5;
	int zero[5000];
	template <class T> struct Sorter {
		__attribute__((noinline)) void sort(std::vector<T> &v) { std::sort(v.begin(), v.end()); }
	};
	std::map<std::string, int> known;
	int use(int n)
	{
		static int count;
		std::vector<int> v(n, n);
		Sorter<int>().sort(v);
	#ifdef MORE
		std::vector<double> w(n, n);
		Sorter<double>().sort(w);
		local += w[0];
	#endif
		known["a"] = v[0];
		return table[n % 1000] + local + zero[n] + ++count;
	}
	}
	int main(int argc, char **) { return app::use(argc); }
END
mkdir one two
g++ -O1 -g -o one/program program.cc && g++ -O1 -g -DMORE -o two/program program.cc || exit 2

# sizes FILE: "SECTION BYTES" for each, by readelf; then by profile_run.
cat >sizes.py <<'END'
import collections, os, re, subprocess, sys
path = sys.argv[1]
sections = collections.Counter()
names = []
rest = os.path.getsize(path)
text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
for line in text.splitlines():
    found = re.match(r"\s*\[\s*(\d+)\]\s+(\S+)\s+([A-Z]\S+)\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)", line)
    if found:
        sections[found[2]] += int(found[4], 16)
        rest -= 0 if found[3] == "NOBITS" else int(found[4], 16)
assert len(sections) > 5, sections
sections["(headers and padding)"] = rest
mine = collections.Counter()
symbols = collections.Counter()
for line in open(sys.argv[2]):
    if line.startswith("#"):
        continue
    frames, _, weight = line.rstrip("\n").rpartition(" ")
    frames = frames.split(";")
    assert frames[0] == os.path.basename(path), frames
    section = frames[2] if frames[1] in ("(debug information)", "(symbol tables)") else frames[1]
    mine[section] += int(weight)
    symbols[frames[-1]] += int(weight)
sections += collections.Counter()
assert mine == sections, (mine - sections, sections - mine)
# Of symbols that share their bytes one has them: those that nothing shares are as nm says.
nm = subprocess.run(["nm", "-S", sys.argv[3] if len(sys.argv) > 3 else path], capture_output=True, text=True).stdout
entries = [line.split(" ", 3) for line in nm.splitlines() if re.match(r"[0-9a-f]+ [0-9a-f]+ [A-Za-z] ", line)]
entries = sorted((int(at, 16), int(size, 16), name) for at, size, kind, name in entries)
mangled = " ".join(name for _, _, name in entries if name.startswith("_Z"))
names = collections.Counter(name for _, _, name in entries)
sizes = collections.Counter()
for at, size, name in entries:
    # The numbers of static variables (NAME.1) are left out.
    sizes[re.sub(r"\.\d+$", "", name)] += size
shared = set()
end = 0
for i, (at, size, name) in enumerate(entries):
    if at < end:
        shared |= {name, entries[i - 1][2]}
    end = max(end, at + size)
compared = 0
for name in set(sizes) - shared:
    if re.fullmatch(r"[a-z]\w*", name) and names[name] == 1 and f"{len(name)}{name}" not in mangled:
        assert symbols[name] == sizes[name], (name, sizes[name], symbols[name])
        compared += 1
print(sum(mine.values()), "bytes,", compared, "symbols")
END
sums() { # FILE [FILE-OF-SYMBOLS]
	"$PROFILE_RUN" convert --input "$1" --output folded.txt && python3 sizes.py "$1" folded.txt "${2:-$1}"
}
check "sections and symbols add up" sums one/program
check "also of an object file" sh -c 'g++ -O1 -g -ffunction-sections -c -o program.o program.cc'
check "(with many sections)" sums program.o
g++ -O1 -g -static -o static program.cc && check "of a static program" sums static
cp one/program stripped && strip stripped && check "of a stripped one" sums stripped
objcopy --only-keep-debug one/program program.debug && cp one/program split && strip split &&
	objcopy --add-gnu-debuglink=program.debug split &&
	check "of one whose debug file is beside it" sums split one/program
check "(its symbols are from there)" grep -q 'split;.text;app;app::use ' folded.txt
check "of profile_run itself" sums "$PROFILE_RUN"
check "and of a system's library" sums "$(readlink -f "$(gcc -print-file-name=libc.so.6)")"
if command -v go >/dev/null; then
	printf 'package main\nimport "encoding/json"\nfunc main() { json.Marshal(1) }\n' >main.go
	GO111MODULE=off go build -ldflags '-s -w' -o gone main.go &&
		check "of a program of Go without symbols" sums gone &&
		check "(by package)" grep -q 'gone;.text;encoding/json;encoding/json.Marshal ' folded.txt
fi

"$PROFILE_RUN" convert --input two/program --output two.txt
check "a namespace, a template and a symbol are levels" \
	grep -q '^program;.text;app;app::Sorter<...>;app::Sorter<double>::sort [0-9]*$' two.txt
check "static variables have no number" grep -q '^program;.bss;app;app::use(int)::count 4$\|;app::use::count 4$' two.txt
check "two files are compared exactly" exits 1 "$PROFILE_RUN" compare --before one/program --after two/program
check "which is said" contains out.txt "the same in every run"
check "without runs that there are not" lacks out.txt "per run"
check "a file is the same as itself" exits 0 "$PROFILE_RUN" compare --before one/program --after one/program
check "the difference has a picture" exits 0 "$PROFILE_RUN" diff --before one/program --after two/program \
	--output diff.svg
check "in bytes" contains diff.svg "KiB"
head -c 3000 one/program >shorter
check "a file that was cut is an error" exits 2 "$PROFILE_RUN" analyze --input shorter
check "no run is measured by it" exits 64 "$PROFILE_RUN" capture --metric size --output out -- true

# A metric of the gate, read of the files of each build: the program's and its library's.
mkdir -p gate/workloads && cd gate || exit 2
git init -q -b main . && git config user.email test@example.org && git config user.name test
printf '/program\n/libown.so\n/reports/\n/old\n/*.txt\n' >.gitignore
cat >Makefile <<'END'
program: program.c libown.so
	gcc -O1 -g -o $@ program.c -L. -lown -Wl,-rpath,'$$ORIGIN'
libown.so: own.c
	gcc -O1 -g -fPIC -shared -o $@ own.c
END
printf 'int own(int);\nint main(int argc, char **argv) { (void)argv; return own(argc) == 7; }\n' >program.c
echo 'int own(int n) { return n * 3; }' >own.c
cat >workloads/parse.yaml <<'END'
name: parse
build: make
run: [./program]
measure: [size]
END
git add -A && git commit -qm first
check "a baseline of the size is stored, for any machine" exits 0 "$PROFILE_RUN" baseline update
"$PROFILE_RUN" convert --input baselines/*-any-size/parse/size/runs.stacks --output stored.txt
check "(with the library)" grep -q '^libown.so;.text;own ' stored.txt
git add -A && git commit -qm baseline
check "the same program passes" exits 0 "$PROFILE_RUN" gate
cat >>program.c <<'END'
#define REPEAT(x) x x x x x x x x x x
int parse_value(volatile int *v)
{
	REPEAT(REPEAT(REPEAT(*v += 3;)))
	return *v;
}
static const int table[300] = {1};
int look(int i) { return table[i]; }
END
check "5 KB are found by the stored baseline" exits 1 "$PROFILE_RUN" gate
check "with their function" grep -Eq '[0-9],[0-9]{3} B more in .text of program: parse_value' out.txt
check "and those of other sections" contains out.txt "B more in .rodata of program: table (+1,200 B)"
check "without a run" lacks out.txt "confirm"
check "in the text" grep -q 'more in .text of program: parse_value' reports/latest/report.txt
check "in JUnit" grep -q 'more in .text of program: parse_value' reports/latest/junit.xml
check "in JSON" grep -q 'more in .text of program: parse_value' reports/latest/verdict.json
"$PROFILE_RUN" export reports/latest --to comment >comment.md
check "and in a comment" grep -q 'more in .*text of program: parse' comment.md
check "the verdict is replayed" exits 1 "$PROFILE_RUN" replay reports/latest --output again
check "byte for byte" cmp reports/latest/verdict.json again/verdict.json
check "of a commit's build, too" exits 1 "$PROFILE_RUN" gate --against HEAD
check "by its files" contains out.txt "compared with the files of HEAD"
mkdir old && git stash -q && make -s && mv program old/before && git stash pop -q && touch program.c
echo './program: old/before' >map.yaml
check "of a program by another name" exits 1 "$PROFILE_RUN" gate --against map.yaml
check "the growth is the same" contains out.txt "B more in .rodata of program: table (+1,200 B)"
git checkout -q program.c
sed -i 's/own(int n) { return n \* 3; }/own(int n) { static volatile char room[9000]; return room[n] + n * 3; }/' own.c
check "the library counts, too" exits 1 "$PROFILE_RUN" gate
check "by name" grep -q '9,[0-9]* B more in .bss of libown.so: room' out.txt
echo 'gate: {rules: [{symbol: "own", max: 2B}, {symbol: "ma*", max: 40KB}]}' >>workloads/parse.yaml
check "a symbol has a limit" exits 1 "$PROFILE_RUN" gate
check "which is said" contains out.txt "above its limit of 2 B"
check "of that symbol only" lacks out.txt "ma\*"
sed -i '$d; s|^run:.*|run: "./program \&\& true"|' workloads/parse.yaml
check "a command of a shell has no size" exits 2 "$PROFILE_RUN" gate
check "which is said, with what to do" contains err.txt "write 'run' as a list"
finish
