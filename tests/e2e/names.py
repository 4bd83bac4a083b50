"""names.py make FOLDER: profiles of every format that is read, with names made to do harm.
names.py check FILE...: exits 1 unless each is harmless to who reads it, by its suffix."""
import json
import os
import re
import struct
import sys
import xml.parsers.expat

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bounds"))

import perfdata  # noqa: E402

# To a CI log, a terminal, a browser, Markdown, a reader of JSON.
EVIL = (
    "::error title=forged::f ##[add-mask]m \x1b[2Jt <script>alert(1)</script>\"'><img src=x onerror=1>"
    " ]]> `x` [l](http://evil.example/a) http://evil.example/b www.evil.example @someone #1 $x^2$ \u202e\u200b\U000e0041 \\u001b"
)
# What nothing is seen of, and what ends a line for some readers.
UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2061-\u206f\ufeff\U000e0000-\U000e0fff]"
ONE_LINE = EVIL.replace("\x1b", "?")


def folded(evil):
    twins = "main;twin\u202e 30\nmain;twin\u200b 30\nmain;twin\xad 30\n"
    return lambda weight: (
        f"::error title=root;{evil} {weight}\nmain;{evil};leaf 40\nmain;{evil}\t 1 30\n{twins}"
    )


def script(weight):
    stack = f"\t 401000 {ONE_LINE}+0x1 (/bin/{ONE_LINE})\n\t 401000 main+0x1 (/bin/x)\n\n"
    return "".join(f"::error 7 {i}.5: 1 cycles: \n{stack}" for i in range(1, weight))


def callgrind(weight):
    return (
        f"# callgrind format\nversion: 1\ncreator: {ONE_LINE}\ncmd: {ONE_LINE}\nevents: Ir\n\n"
        f"fl={ONE_LINE}\nob={ONE_LINE}\nfn={ONE_LINE}\n1 {weight}\nfn=main\n1 40\n"
    )


def speedscope(weight):
    names = [EVIL + "\n::error::line", EVIL + "\r##[error]x", "main"]
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "name": EVIL,
            "exporter": EVIL,
            "shared": {"frames": [{"name": name, "file": EVIL, "line": 1} for name in names]},
            "profiles": [
                {
                    "type": "sampled", "name": "::error::" + EVIL, "unit": EVIL + "\n::error::unit",
                    "startValue": 0, "endValue": 100,
                    "samples": [[2, 0], [2, 1], [2]], "weights": [weight, 30, 40],
                }
            ],
        }
    )


def cpuprofile(weight):
    def node(number, name, children):
        call = {"functionName": name, "url": EVIL, "lineNumber": 1}
        return {"id": number, "callFrame": call, "children": children}

    nodes = [node(1, EVIL + "\n::error::line", [2, 3]), node(2, EVIL + "\r##[error]x", []), node(3, "main", [])]
    return json.dumps(
        {"nodes": nodes, "startTime": 0, "endTime": weight + 70, "samples": [2, 3, 1], "timeDeltas": [0, weight, 30]}
    )


def firefox(weight):
    texts = [EVIL + "\n::error::line", EVIL + "\r##[error]x", "main", EVIL]
    return json.dumps(
        {
            "meta": {"preprocessedProfileVersion": 70, "product": EVIL, "categories": [{"name": EVIL}]},
            "libs": [{"name": EVIL}],
            "shared": {
                "stringArray": texts,
                "sources": {"filename": [3]},
                "funcTable": {"name": [0, 1, 2], "source": [0, 0, 0], "lineNumber": [1, 1, 1]},
                "frameTable": {"func": [0, 1, 2], "lib": [0, 0, 0]},
                "stackTable": {"prefixOffset": [0, 1, 2], "frame": [2, 0, 1]},
            },
            "threads": [
                {
                    "name": "::error::" + EVIL, "processName": EVIL,
                    "samples": {"stack": [1, 2, 0], "weight": [weight, 30, 40], "weightType": EVIL},
                }
            ],
        }
    )


def pprof(weight):
    def field(number, data):
        out = bytearray([number << 3 | 2])
        size = len(data)
        while size > 127:
            out.append(size & 127 | 128)
            size >>= 7
        return bytes(out + bytes([size])) + data

    evil = (EVIL + "\n::error::line").encode()
    wild = evil + b"\x9b31m\xff"
    out = field(1, b"\x08\x06\x10\x06") + b"".join(
        field(6, text)
        for text in (b"", b"samples", b"count", evil, b"main", evil + b"2", wild, b"profile_run by " + evil[:60])
    )
    # A mapping's file and build, the type of the period, the default type, a comment.
    out += field(3, b"\x08\x01\x28\x06\x30\x06") + field(11, b"\x08\x06\x10\x06") + b"\x70\x06\x68\x07"
    for number, name in ((1, 3), (2, 4), (3, 5)):
        out += field(4, bytes([8, number]) + b"\x10\x01" + field(4, bytes([8, number])))
        out += field(5, bytes([8, number, 16, name, 32, 3]))
    for leaf, count in ((1, weight), (3, 30), (2, 40)):
        out += field(2, field(1, bytes([leaf, 2])) + field(2, bytes([count])))
    return out


def offcputime(weight):
    name = ONE_LINE.replace(";", ":")
    return (
        f"{name};main;{name};entry_SYSCALL_64;schedule;finish_task_switch {weight}\n"
        f"{name};main;entry_SYSCALL_64;schedule;finish_task_switch 40\n"
    )


def bpf(weight):
    name = ONE_LINE.replace(";", ":").replace(",", ".")
    return f"@[\n    {name}+3\n    main+1\n, app {name}]: {weight}\n@[\n    main+1\n, app]: 1000\n"


def gprof(weight):
    lines = "".join(
        f" {share:5.2f} {i + 1:10.2f} {seconds:8.2f}                             {name}\n"
        for i, (share, seconds, name) in enumerate(((60, weight, ONE_LINE), (40, 40, "main")))
    )
    return (
        "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
        "  %   cumulative   self              self     total           \n"
        " time   seconds   seconds    calls  Ts/call  Ts/call  name    \n" + lines
    )


# Processes of a perf.data whose code has its names in a map and in a jitdump; another's is a file.
MAP, DUMP, FILE = 7, 8, 9
CODE, CODE_BYTES = 0x400000, 0x1000


def perf_data(weight):
    evil = ONE_LINE.replace("\u202e", "?")
    records = perfdata.Records()
    for pid in (MAP, DUMP, FILE):
        records.add(perfdata.COMM, struct.pack("<II", pid, pid) + f"::error::{pid}".encode() + b"\n##[e]\0", pid)
    records.map(MAP, CODE, CODE_BYTES, "//anon")
    records.map(DUMP, CODE, CODE_BYTES, "//anon")
    records.map(DUMP, CODE + CODE_BYTES, CODE_BYTES, f"/tmp/jit-{DUMP}.dump")
    records.map(FILE, CODE, CODE_BYTES, f"/bin/{evil}\n::error::file")
    for _ in range(weight):
        for pid in (MAP, DUMP, FILE):
            records.sample(pid, CODE + 16)
    for _ in range(40):
        records.sample(MAP, CODE + 0x800)
    perfdata.write("new.data", records.bytes())
    with open("new.data", "rb") as file:
        return file.read()


def make_names(folder):
    """What the processes of perf_data() left below their root."""
    os.makedirs(f"{folder}/tmp")
    with open(f"{folder}/tmp/perf-{MAP}.map", "w") as file:
        file.write(f"{CODE:x} 100 {EVIL}\n{CODE + 0x800:x} 100 ::error title=m::{EVIL}\n")
    name = (EVIL + "\n::error::line").encode() + b"\0"
    with open(f"{folder}/tmp/jit-{DUMP}.dump", "wb") as file:
        file.write(struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, DUMP, 1, 0))
        load = struct.pack("<IIQQQQ", DUMP, DUMP, CODE, CODE, 256, 1) + name
        file.write(struct.pack("<IIQ", 0, 16 + len(load), 1) + load)


def make_history(folder):
    """Thirty nights of a program and two functions, which got slower half-way."""
    os.makedirs(folder)
    escapes = str.maketrans({"\\": "\\\\", "\n": "\\n", "\x1b": "\\x1b"})
    text = [name.translate(escapes) for name in (EVIL + "\n::error::line", "::error title=m::" + EVIL)]
    with open(f"{folder}/work.tsv", "w", encoding="utf-8", errors="replace") as file:
        for night in range(30):
            for name in ["-"] + text:
                cost = (200 if night > 15 else 100) + night % 3
                fields = (f"2026-10-{night + 1:02}T01:00:00Z", f"{night:040x}", "cpu", "ns", cost, 0.01, "stored",
                          "-", "-", "-", "0.1.0", text[0], name)
                file.write("\t".join(map(str, fields)) + "\n")


FORMATS = {
    "folded": folded(ONE_LINE.replace(";", ":")),
    "script": script,
    "callgrind": callgrind,
    "speedscope": speedscope,
    "cpuprofile": cpuprofile,
    "firefox": firefox,
    "pprof": pprof,
    "gprof": gprof,
    "offcputime": offcputime,
    "bpf": bpf,
    "perfdata": perf_data,
}


def make(folder):
    make_names(f"{folder}/root")
    make_history(f"{folder}/history/class")
    for name, text in FORMATS.items():
        for side, weight in (("before", 20), ("after", 90)):
            for run in range(4):
                data = text(weight + run % 2)
                data = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
                with open(f"{folder}/{name}.{side}.{run}", "wb") as file:
                    file.write(data)


def problems_of_text(text, commands=False):
    for line in re.split(r"[\n\r\v\f\u0085\u2028\u2029]", text):
        if not commands and line.strip("\ufeff \t\u00a0").startswith("::"):
            yield f"a workflow command: {line[:80]!r}"
        if commands and line and not re.match(r"::(error|warning|notice) ", line):
            yield f"no workflow command of ours: {line[:80]!r}"
        if commands and line and "title=forged" in line.split("::")[1]:
            yield f"a forged title: {line[:80]!r}"
        if not commands and "##[" in line:
            yield f"an old workflow command: {line[:80]!r}"
    for found in re.findall(UNSEEN, text):
        yield f"a control character {found!r}"


def problems_of_markup(text):
    names = []
    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: names.append((name, attributes))
    try:
        parser.Parse(text.encode(), True)
    except xml.parsers.expat.ExpatError as error:
        yield f"not well-formed: {error}"
    for name, attributes in names:
        if name == "img" and attributes.get("src") == "x":
            yield "an image of a name's"
        for key, value in attributes.items():
            if key.startswith("on") or "evil.example" in value and key in ("href", "src", "xlink:href"):
                yield f"{name} {key}={value[:60]!r}"


def problems_of_html(text):
    for found in re.findall(r"<script>alert|<img src=x|href=\"?(?:https?:)?//[^\" >/]*evil\.example", text):
        yield f"markup of a name's: {found!r}"


def problems_of_markdown(text):
    for found in re.findall(r"<script>|<img|\]\(http://evil|[^\\]`x[^\\]?`|http://evil|www\\?\.evil|@someone|[^\\&]#1\b|[^>]\$", text):
        yield f"Markdown of a name's: {found!r}"


def unique(pairs):
    """A reader of JSON takes one of several values, and not every reader the same."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError(f"a key twice: {[key for key, _ in pairs]}")
    return dict(pairs)


def problems_of_json(text):
    json.loads(text, object_pairs_hook=unique)
    for found in re.findall(UNSEEN, text):
        yield f"a control character {found!r}"


def problems_of_sarif(text):
    yield from problems_of_json(text)
    for result in json.loads(text)["runs"][0]["results"]:
        if re.search(r"\]\(", result["message"]["text"]):
            yield f"a link: {result['message']['text'][:80]!r}"


def problems_of_metrics(text):
    series = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
    for one in set(series):
        if series.count(one) > 1:
            yield f"a series twice: {one[:80]!r}"
    for found in re.findall(UNSEEN, text):
        yield f"a control character {found!r}"


def problems(path):
    with open(path, "rb") as file:
        text = file.read().decode()
    if path.endswith(".json"):
        return list(problems_of_json(text))
    if path.endswith(".sarif"):
        return list(problems_of_sarif(text))
    if path.endswith(".metrics"):
        return list(problems_of_metrics(text))
    if path.endswith("annotations.txt"):
        return list(problems_of_text(text, commands=True))
    if path.endswith((".svg", ".xml")):
        return list(problems_of_markup(text))
    if path.endswith(".html"):
        return list(problems_of_html(text))
    if path.endswith(".md"):
        return list(problems_of_markdown(text))
    return list(problems_of_text(text))


def check(paths):
    bad = 0
    for path in paths:
        for problem in problems(path):
            bad = 1
            print(f"{path}: {problem}")
    return bad


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    else:
        sys.exit(check(sys.argv[2:]))
