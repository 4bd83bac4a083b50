"""Text profiles that are the worst for their readers, each of about n bytes or n things."""
import os


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def colliding_names(n, folder):
    """What made each text with these first 16 bytes collide while the hash had no key."""
    hole = bytes.fromhex("2f64bd78641d76a0")
    with open(os.path.join(folder, "input"), "wb") as file:
        for i in range(n):
            file.write(b"main;%08x" % i + hole + b"sixteen_are_same 1\n")


def brackets(n, folder):
    """A name of brackets that may belong to an operator."""
    write(folder, "input", f"main;{'<' * n} 1\nmain;f({'>' * n}) 1\n")


def blanks(n, folder):
    """A header of perf script with as many words as blanks before them."""
    stack = "\t    55e0 main+0x1 (/bin/prog)\n\n"
    front = " " * n + "a " * (n // 2)
    write(folder, "input", f"prog 1 1.0:  1 cycles: \n{stack}{front} 1 1.0: 1 cycles:\n{stack}")


CALLGRIND = "# callgrind format\nversion: 1\ncreator: bounds\ncmd: {}\nevents: Ir\n\n"


def apostrophes(n, folder):
    """Names of stacks whose brackets do not close; each is searched for the end of its first."""
    name = "('" * 3000
    names = "fn=(\n1 1\n" + "".join(f"fn={name}{i}\n1 1\n" for i in range(n // len(name)))
    write(folder, "input", CALLGRIND.format("prog") + names)


def parts(n, folder):
    """A long command, and many parts that it is read for."""
    write(
        folder,
        "input",
        CALLGRIND.format("/x" * n) + "fn=main\n1 1\n" + "totals: 1\nfn=main\n1 1\n" * (n // 20),
    )
