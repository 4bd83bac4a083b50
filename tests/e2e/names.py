"""names.py make FOLDER: profiles of every format that is read, with names made to do harm.
names.py check FILE...: exits 1 unless each is harmless to who reads it, by its suffix."""
import json
import re
import sys
import xml.parsers.expat

# To a CI log, a terminal, a browser, Markdown, a reader of JSON.
EVIL = (
    "::error title=forged::f ##[add-mask]m \x1b[2Jt <script>alert(1)</script>\"'><img src=x onerror=1>"
    " ]]> `x` [l](http://evil.example/a) http://evil.example/b www.evil.example @someone #1 \u202e \\u001b"
)
ONE_LINE = EVIL.replace("\x1b", "?")


def folded(evil):
    return lambda weight: f"::error title=root;{evil} {weight}\nmain;{evil};leaf 40\nmain;{evil}\t 1 30\n"


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
                    "type": "sampled", "name": "::error::" + EVIL, "unit": "none",
                    "startValue": 0, "endValue": 100,
                    "samples": [[2, 0], [2, 1], [2]], "weights": [weight, 30, 40],
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
    out = field(1, b"\x08\x01\x10\x02") + b"".join(
        field(6, text) for text in (b"", b"samples", b"count", evil, b"main", evil + b"2")
    )
    out += field(3, b"\x08\x01\x28\x03")
    for number, name in ((1, 3), (2, 4), (3, 5)):
        out += field(4, bytes([8, number]) + b"\x10\x01" + field(4, bytes([8, number])))
        out += field(5, bytes([8, number, 16, name, 32, 3]))
    for leaf, count in ((1, weight), (3, 30), (2, 40)):
        out += field(2, field(1, bytes([leaf, 2])) + field(2, bytes([count])))
    return out


FORMATS = {
    "folded": folded(ONE_LINE.replace(";", ":")),
    "script": script,
    "callgrind": callgrind,
    "speedscope": speedscope,
    "pprof": pprof,
}


def make(folder):
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
    for found in re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text):
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
    for found in re.findall(r"<script>|<img|\]\(http://evil|[^\\]`x[^\\]?`|http://evil|www\\?\.evil|@someone|[^\\&]#1\b", text):
        yield f"Markdown of a name's: {found!r}"


def problems(path):
    with open(path, "rb") as file:
        text = file.read().decode()
    if path.endswith((".json", ".sarif")):
        json.loads(text)
        return [] if not re.search("[\x00-\x08\x0b-\x1f]", text) else ["a control character"]
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
