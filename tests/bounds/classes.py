"""The classes of inputs that tests/bounds/run opens. To add one: a function make(n, folder) in one of
the modules here, that writes `input` and what it names into the folder, and a row of CLASSES with an
n at which what it is about would take seconds if it were quadratic.
"""
import dataclasses
import typing

import binaries
import texts

PICTURE = ["@", "flamegraph", "--input", "input", "--output", "out.svg"]
FOLD = ["@", "convert", "--input", "input", "--output", "out.folded"]


@dataclasses.dataclass
class Case:
    name: str
    claim: str
    make: typing.Callable
    n: int  # the smallest size
    command: list  # "@" is profile_run; it runs in the folder
    memory: float  # at most so many bytes for a byte of input, beyond what every process may have
    statuses: tuple = (0,)  # exit codes that are right


CLASSES = [
    Case("hash", "names that collided have a place each", texts.colliding_names, 10000, PICTURE, 40),
    Case("brackets", "brackets of a name are looked at once", texts.brackets, 50000, PICTURE, 40),
    Case("blanks", "blanks of a line are skipped once", texts.blanks, 100000, FOLD, 20),
    Case("apostrophes", "names of stacks are split in one pass", texts.apostrophes, 150000, FOLD, 40),
    Case("nested", "names of functions within functions are short", binaries.nested_functions, 2000, FOLD, 60),
    Case("forks", "processes share what they have mapped", binaries.forks, 5000, FOLD, 30),
    Case("changes", "states of a process share its maps", binaries.changes, 5000, FOLD, 30),
    Case("descending", "maps may come in any order", binaries.descending, 15000, FOLD, 30),
    Case("kernel", "kernel modules are searched", binaries.kernel_modules, 10000, FOLD, 30),
    Case("processes", "processes may be many", binaries.processes, 10000, FOLD, 30),
    Case("parts", "a command is read once for all parts", texts.parts, 100000, FOLD, 20),
]


def find(name):
    return next(case for case in CLASSES if case.name == name)
