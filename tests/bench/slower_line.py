#!/usr/bin/env python3
"""How often a gate of two commits names the line that became slower, beside another edit.

usage: slower_line.py PROFILE_RUN [TRIALS [SEED]]

Each trial is a separate repository: a function of six lines that cost about the same, then a commit
that makes one of them slower and also edits the source in another way. The finding's reason has to
name the slower line first.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

LINES = [
    "	for (unsigned i = 0; i < ROUNDS; i++) s = s * 31 + a[i & 4095];",
    "	for (unsigned i = 0; i < ROUNDS; i++) s = (s ^ b[i & 4095]) * 33;",
    "	for (unsigned i = 0; i < ROUNDS; i++) s += mix(s + i); s ^= 5;",
    "	for (unsigned i = 0; i < ROUNDS; i++) s = (s << 5) - s + b[(i * 7) & 4095];",
    "	for (unsigned i = 0; i < ROUNDS; i++) s = s * 17 ^ a[(i + s) & 4095];",
    "	for (unsigned i = 0; i < ROUNDS; i++) s = s * 5 + mix(i);",
]
ROUNDS = 8000
EDITS = ["comment above", "comment inside", "function moved", "line split", "include added",
         "inlined code", "lines exchanged", "line removed", "indented"]


def source(lines, mix="x * 2654435761u ^ x", include="", comment="", other_first=False):
    work = ["__attribute__((noinline)) unsigned work(unsigned s)", "{"] + lines + ["	return s;", "}"]
    other = ["__attribute__((noinline)) unsigned other(unsigned s)", "{",
             "	for (unsigned i = 0; i < 9000; i++) s = s * 7 + a[i & 4095];", "	return s;", "}"]
    head = [include] if include else []
    head += ["#include <stdio.h>", "static unsigned a[4096], b[4096];",
             "static inline __attribute__((always_inline)) unsigned mix(unsigned x)",
             "{", "	return %s;" % mix, "}"]
    head += [comment] if comment else []
    functions = other + work if other_first else work + other
    return "\n".join(head + functions + [
        "int main(void)", "{", "	unsigned s = 1;",
        "	for (int i = 0; i < 4096; i++) a[i] = i, b[i] = i * 7;",
        "	for (int r = 0; r < 900; r++) s = other(work(s));",
        '	printf("%u\\n", s);', "	return 0;", "}", ""])


def edited(rng, edit):
    """The text after the change, and the text of the line that is slower in it."""
    slow = rng.randrange(len(LINES))
    lines = [line.replace("ROUNDS", str(ROUNDS)) for line in LINES]
    lines[slow] = LINES[slow].replace("ROUNDS", str(ROUNDS * (5 if edit == "line removed" else 3)))
    wanted = lines[slow]
    extra = {}
    place = rng.choice([i for i in range(len(lines)) if i != slow])
    if edit == "comment above":
        extra["comment"] = "/*\n * Mixes\n * numbers.\n */"
    elif edit == "comment inside":
        lines.insert(rng.randrange(slow + 1), "	/* the next one */")
    elif edit == "function moved":
        extra["other_first"] = True
    elif edit == "line split":
        head, body = lines[place].split(") s", 1)
        lines[place:place + 1] = [head + ")", "		s" + body]
    elif edit == "include added":
        extra["include"] = "#include <stdlib.h>\n#include <string.h>"
    elif edit == "inlined code":
        extra["mix"] = "(x * 2654435761u + 1) ^ x"
    elif edit == "lines exchanged":
        lines[place], lines[slow] = lines[slow], lines[place]
    elif edit == "line removed":
        del lines[place]
    elif edit == "indented":
        lines = ["	if (s != 3) {"] + ["	" + line for line in lines] + ["	}"]
        wanted = "	" + wanted
    return source(lines, **extra), wanted


def run(cwd, *command):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace")


def trial(program, rng, edit, folder):
    os.makedirs(folder + "/workloads")
    with open(folder + "/workloads/w.yaml", "w") as out:
        out.write("name: w\nbuild: cc -O1 -g -fno-omit-frame-pointer -o w w.c\nrun: [./w]\n"
                  "capture: {runs: 4, max_runs: 4, repeat: 1}\n"
                  "gate: {confirm: false, functions: {warn: 5%, fail: 10%}}\n")
    with open(folder + "/.gitignore", "w") as out:
        out.write("/w\nreports/\n")
    before = source([line.replace("ROUNDS", str(ROUNDS)) for line in LINES])
    after, wanted = edited(rng, edit)
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for text, message in ((before, "before"), (after, "after")):
        with open(folder + "/w.c", "w") as out:
            out.write(text)
        run(folder, "git", "init", "-q")
        run(folder, *git, "add", "-A")
        run(folder, *git, "commit", "-qm", message)
    gate = run(folder, program, "gate", "-q", "--against", "HEAD~1")
    try:
        report = re.sub(r"\s+", " ", open(folder + "/reports/latest/report.txt").read())
    except OSError:
        return False, gate.stderr
    number = after.split("\n").index(wanted) + 1
    named = re.search(r"w\.c:(\d+) \+([\d.]+) (\w+)", report)
    return bool(named) and int(named.group(1)) == number, "%s (wanted w.c:%d)" % (
        named.group(0) if named else "no line", number)


def main():
    program = os.path.abspath(sys.argv[1])
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    right = 0
    for i in range(trials):
        edit = EDITS[i % len(EDITS)]
        with tempfile.TemporaryDirectory() as folder:
            ok, told = trial(program, rng, edit, folder)
        right += ok
        if not ok:
            print("%s: %s" % (edit, told), flush=True)
    print("the slower line was named in %d of %d" % (right, trials))


main()
