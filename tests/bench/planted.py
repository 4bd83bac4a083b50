#!/usr/bin/env python3
"""Gates of workloads whose source was changed, against the baselines that their repository stores.

usage: planted.py harmless|slower GATES RESULTS [TABLE]

TABLE (planted.tsv) names the workloads. `harmless` adds a function that the workload does not need: at the
end of the file, at its beginning, so that the code behind it moves, or called once before main(). `slower`
adds a loop to the function of the table. Each change is a commit in a clone, so that a baseline of another
machine is judged by building its commit. A fifth column of TABLE is the repository to clone, else this one.
LOOPS=2 keeps as many busy loops running beside. RESULTS gets verdict.json of each gate; standard output, a
line for each: workload, change, exit code, seconds, the first line of the screen.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.realpath(os.environ.get("PROFILE_RUN", os.path.join(ROOT, "build/profile_run")))
UNUSED = "__attribute__((used, noinline)) static int harmless(int a) { return a * 3 + 1; }\n"
CALLED = UNUSED + "__attribute__((constructor)) static void harmless_call(void) { harmless(2); }\n"


def git(folder, *words):
    identity = ["-c", "user.name=planted", "-c", "user.email=planted@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


def rows_of(table):
    with open(table, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                workload, source, function, loops, *repository = line.rstrip("\n").split("\t")
                yield workload, source, function, int(loops), repository[0] if repository else ROOT


def behind_includes(text):
    """The first line behind an #include that stands outside of conditions; 0 without one."""
    depth, found = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        depth += line.startswith("#if") - line.startswith("#endif")
        if line.startswith("#include") and depth == 0:
            found = number
    return found


def harmless(text, i):
    if i % 3 != 1:
        return text + "\n" + (UNUSED if i % 3 == 0 else CALLED)
    lines = text.split("\n")
    lines.insert(behind_includes(text), UNUSED)
    return "\n".join(lines)


def slower(text, function, loops):
    body = re.search(r"(?m)^(?! *\*)(?!/\*)[^\n#;]*\b" + function + r"\s*\([^;{}]*?\)[^;{}]*?\{", text)
    if not body:
        raise SystemExit(f"planted.py: no function {function}")
    # As long on any processor: some forward the stores of a volatile variable without delay.
    loop = (
        f" {{ unsigned long planted = 1; for (int turn = 0; turn < {loops}; turn++)"
        ' planted = planted * 31 + (unsigned long)turn; __asm__ volatile("" : : "r"(planted)); }'
    )
    return text[: body.end()] + loop + text[body.end() :]


def clone_of(repository, folder, clones):
    if repository not in clones:
        clones[repository] = os.path.join(folder, str(len(clones)))
        subprocess.run(["git", "clone", "-q", repository, clones[repository]], check=True)
        git(clones[repository], "tag", "unchanged")
    git(clones[repository], "reset", "-q", "--hard", "unchanged")
    return clones[repository]


def gate(clone, workload):
    start = time.time()
    ended = subprocess.run(
        [PROGRAM, "gate", workload, "--quiet"], cwd=clone, capture_output=True, text=True, check=False
    )
    screen = (ended.stdout or ended.stderr).split("\n")[0]
    return ended.returncode, time.time() - start, screen


@contextlib.contextmanager
def busy_loops(n):
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(n)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()


def main(kind, gates, results, table=os.path.join(HERE, "planted.tsv")):
    rows = list(rows_of(table))
    clones = {}
    os.makedirs(results, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, busy_loops(int(os.environ.get("LOOPS", "0"))):
        for i in range(int(gates)):
            workload, source, function, loops, repository = rows[i % len(rows)]
            clone = clone_of(repository, folder, clones)
            path = os.path.join(clone, source)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(harmless(text, i) if kind == "harmless" else slower(text, function, loops))
            git(clone, "commit", "-q", "-a", "-m", "a planted change")
            change = function if kind == "slower" else ("end", "beginning", "called")[i % 3]
            code, seconds, screen = gate(clone, workload)
            print(workload, change, code, f"{seconds:.1f}", screen, sep="\t", flush=True)
            verdict = os.path.join(clone, "reports", "latest", "verdict.json")
            if os.path.exists(verdict):
                shutil.copy(verdict, os.path.join(results, f"{i}.json"))
            shutil.rmtree(os.path.join(clone, "reports"), ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in ("harmless", "slower"):
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
