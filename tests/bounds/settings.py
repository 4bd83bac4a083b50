"""Settings that a pull request can have, and what a repository keeps: YAML, waivers, a history."""
import os
import time
from random import Random

from texts import write

# At the end, so that all before it is read: nothing is run.
WRONG = "no_such_key: 1\n"


def rules(n, folder):
    """A workload with many rules."""
    one = "".join(f"    - {{function: 'f{i}*', max_share: 10%}}\n" for i in range(n))
    write(folder, "input.yaml", "name: a\nrun: x\ngate:\n  rules:\n" + one + WRONG)


def variables(n, folder):
    """Many keys in one mapping."""
    one = "".join(f"  V{i}: x\n" for i in range(n))
    write(folder, "input.yaml", "name: a\nrun: x\nenv:\n" + one + WRONG)


def lists(n, folder):
    """Lists within lists."""
    write(folder, "input.yaml", "name: a\nrun: " + "[" * n + "x" + "]" * n + "\n" + WRONG)


def aliases(n, folder):
    """One list, named again and again."""
    one = "[" + ", ".join(["x"] * n) + "]"
    write(folder, "input.yaml", f"name: a\nrun: &r {one}\nenv: [" + ", ".join(["*r"] * n) + "]\n" + WRONG)


def waivers(n, folder):
    """Many waivers, of which each may be a function's."""
    one = "- {{function: 'f{0}*', max: 1%, reason: r, owner: o, expires: 2999-12-31}}\n"
    write(folder, "waivers.yaml", "".join(one.format(i) for i in range(n)))
    write(folder, "config.yaml", "waivers: waivers.yaml\n")
    stacks = "".join(f"app;f{i} {{}}\n" for i in range(n))
    for run in range(3):
        write(folder, f"before-{run}", stacks.format(*[100 + run] * n))
        write(folder, f"after-{run}", stacks.format(*[200 + run] * n))


def grown(n, folder):
    """Hundreds of functions that all grew, each on many stacks."""
    random = Random(1)
    names = [f"f{i}" for i in range(600)]
    stacks = "".join("app;" + ";".join(random.choices(names, k=12)) + f" #{i % 10}\n" for i in range(n))
    write(folder, "config.yaml", "{}\n")
    for run in range(3):
        write(folder, f"before-{run}", stacks.replace("#", "1"))
        write(folder, f"after-{run}", stacks.replace("#", "1" + str(run)))


def redaction(n, folder):
    """As many rules as may be, none of which matches any of the names."""
    rules = "".join(f"- {{function: 'f{i}x*', as: keep}}\n" for i in range(10000))
    write(folder, "rules.yaml", "rules:\n" + rules)
    write(folder, "input", "".join(f"main;f{i} 1\n" for i in range(n)))


def long_redaction(n, folder):
    """Many rules, and one long name that none of them matches."""
    rules = "".join(f"- {{function: '*a*b{i}*', as: keep}}\n" for i in range(10000))
    write(folder, "rules.yaml", "rules:\n" + rules)
    write(folder, "input", "main;" + "a" * n + " 1\n")


def slope(n, folder):
    """A history whose costs grow each night, by hardly more than they vary."""
    os.makedirs(os.path.join(folder, "history/class"))
    line = "%s\t-\tcpu\tns\t%g\t0.0001\tstored\t-\t-\t-\t0.1.0\tr\t-\n"
    text = "# profile_run history 1: started\n" + "".join(
        line % (f"{2000 + i // 336}-{i // 28 % 12 + 1:02}-{i % 28 + 1:02}T00:00:00Z", 1000 * 1.001**i)
        for i in range(n)
    )
    write(folder, "history/class/a.tsv", text)


def appended(n, folder):
    """A history of many nights, and the output of a suite with one more."""
    os.makedirs(os.path.join(folder, "history/class"))
    line = "%s\tc\tcpu\tns\t5\t-\tstored\t-\t-\t-\t1\tr\tf\t-\n"
    text = "# profile_run history 1: started\n" + "".join(
        line % time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(i * 60 + 60)) for i in range(n)
    )
    write(folder, "history/class/BenchmarkA.tsv", text)
    write(folder, "input", "BenchmarkA 10 5 ns/op\n")


def repetitions(n, folder):
    """A benchmark that a suite has run many times, each time with other quantities."""
    write(folder, "input", "".join(f"BenchmarkA {i} 5 ns/op 6 B/op 1 x{i}/op\n" for i in range(n)))


def nights(n, folder):
    """A history of many nights."""
    os.makedirs(os.path.join(folder, "history/class"))
    line = "%s\t-\tcpu\tns\t%d\t0.01\tstored\t-\t-\t-\t0.1.0\tr\t%s\n"
    text = "# profile_run history 1: started\n" + "".join(
        line % (f"{2000 + i // 336}-{i // 28 % 12 + 1:02}-{i % 28 + 1:02}T00:00:00Z", 1000 + i % 7, f"f{i % 8}")
        for i in range(n)
    )
    write(folder, "history/class/a.tsv", text)
