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


def deep(n, folder):
    """A stack of n frames."""
    write(folder, "input", ";".join(["a"] * n) + " 1\n" + ";".join(["b"] * n) + " 1\n")


def comb(n, folder):
    """Stacks of frames of a million stacks: each leaves the same stem at another place."""
    stem = [f"f{i}" for i in range(int(n**0.5))]
    text = "".join(";".join(stem[: i + 1]) + f";leaf{i} 1\n" for i in range(len(stem)))
    write(folder, "input", text)


def wide(n, folder):
    """A frame with n children."""
    write(folder, "input", "".join(f"root;f{i} 1\n" for i in range(n)))


def long_name(n, folder):
    """Few names, as long as may be."""
    write(folder, "input", f"main;{'x' * n} 1\nmain;{'é' * (n // 2)} 1\nmain;{'~_[' * (n // 3)} 2\n")


def alike(n, folder):
    """Names of one letter, which an expression may match from each place to the end."""
    write(folder, "input", "".join(f"main;{'x' * 4000}{i} 1\n" for i in range(n)))


def recursion(n, folder):
    """Functions that call one another, deep, at many places."""
    text = "".join("main" + ";a;b" * 50 + f";c{i}" + ";a;b" * 50 + " 1\n" for i in range(n // 400))
    write(folder, "input", text)


def script_stacks(n, folder):
    """Samples of perf script, each of another process."""
    stack = "\t    55e0 f%d+0x1 (/bin/prog)\n\t    55e0 main+0x1 (/bin/prog)\n\n"
    text = "".join(f"prog{i} {i} {i}.0: 1 cycles: \n" + stack % i for i in range(1, n))
    write(folder, "input", text)


def script_events(n, folder):
    """Samples of perf script, each of another event."""
    stack = "\t    55e0 main+0x1 (/bin/prog)\n\n"
    text = "".join(f"prog 1 {i}.0: 1 e{i}: \n" + stack for i in range(1, n))
    write(folder, "input", text)


def script_long(n, folder):
    """A frame of perf script that is one long name, and brackets."""
    text = f"prog 1 1.0: 1 cycles: \n\t    55e0 {'a(' * (n // 2)} (/bin/{'(' * n})\n\n"
    write(folder, "input", text)


def calls(n, folder):
    """Functions of callgrind, each of which calls the next."""
    text = "".join(
        f"fn=({i}) f{i}\n1 1\ncfn=({i + 1}) f{i + 1}\ncalls=1 1\n1 {n - i}\n" for i in range(1, n)
    )
    write(folder, "input", CALLGRIND.format("prog") + text + f"fn=({n})\n1 1\n")


def mesh(n, folder):
    """Functions of callgrind that all call all behind them."""
    size = int(n**0.5)
    text = ""
    for i in range(1, size):
        text += f"fn=({i}) f{i}\n1 1\n"
        text += "".join(f"cfn=({k}) f{k}\ncalls=1 1\n1 1\n" for k in range(i + 1, size))
    write(folder, "input", CALLGRIND.format("prog") + text)


def long_ids(n, folder):
    """A long name of callgrind that is used again and again, of files and of objects."""
    text = f"fl=(1) {'x' * (10 * n)}\nob=(1) {'y' * (10 * n)}\nfn=(1) {'z' * (10 * n)}\n1 1\n"
    text += "".join(f"fl=(1)\nob=(1)\nfn=(1)\n{i} 1\n" for i in range(n))
    text += "".join(f"ob=({i + 2}) o{i}\nfn=(1)\n1 1\n" for i in range(n))
    write(folder, "input", CALLGRIND.format("prog") + text)


def speed_deep(n, folder):
    """A sampled profile of speedscope with long stacks of few frames."""
    stack = "[" + ",".join(["0"] * 1000) + "]"
    frames = '[{"name":"' + "x" * n + '"}]'
    write(
        folder,
        "input",
        '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":'
        + frames
        + '},"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":1,'
        + '"samples":[' + ",".join([stack] * (n // 2000 + 1)) + "],"
        + '"weights":[' + ",".join(["1"] * (n // 2000 + 1)) + "]}]}",
    )


def speed_events(n, folder):
    """An evented profile of speedscope: n frames open one within another."""
    frames = ",".join(f'{{"name":"f{i}"}}' for i in range(n))
    events = [f'{{"type":"O","frame":{i},"at":{i}}}' for i in range(n)]
    events += [f'{{"type":"C","frame":{i},"at":{2 * n - i}}}' for i in range(n - 1, -1, -1)]
    write(
        folder,
        "input",
        '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":['
        + frames
        + ']},"profiles":[{"type":"evented","name":"p","unit":"none","startValue":0,'
        + f'"endValue":{2 * n},"events":[' + ",".join(events) + "]}]}",
    )


def bpf_maps(n, folder):
    """Many maps of bpftrace, of which one is read, and a stack as deep as the file is long."""
    maps = "".join(f"@m{i}[\n    f+1\n]: 1\n" for i in range(n // 2))
    write(folder, "input", "@[\n" + "".join(f"    f{i}+1\n" for i in range(n)) + "]: 1\n" + maps)


def cpu_deep(n, folder):
    """A profile of V8: a chain of n nodes, each of which knows its child, and the last come first."""
    nodes = ",".join(
        f'{{"id":{i},"callFrame":{{"functionName":"f{i}","url":"x.js","lineNumber":{i}}}'
        + (f',"children":[{i + 1}]' if i < n else "")
        + "}"
        for i in range(n, 0, -1)
    )
    samples, deltas = ",".join(str(i) for i in range(1, n + 1)), ",".join(["1"] * n)
    write(
        folder,
        "input",
        f'{{"nodes":[{nodes}],"startTime":0,"endTime":{n + 1},"samples":[{samples}],"timeDeltas":[{deltas}]}}',
    )


def speed_profiles(n, folder):
    """Many profiles of speedscope in one file."""
    one = '{"type":"sampled","name":"p%d","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}'
    write(
        folder,
        "input",
        '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},'
        + '"profiles":[' + ",".join(one % i for i in range(n)) + "]}",
    )
