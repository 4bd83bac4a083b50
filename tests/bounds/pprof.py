"""Profiles of pprof and units of speedscope: few long texts that many entries share."""
import os

from texts import write


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


# Texts of all files here: the fourth one is long.
def head(long_text, kind=1):
    texts = (b"", b"samples", b"count", long_text)
    return message(1, number(1, kind) + number(2, 2)) + b"".join(message(6, text) for text in texts)


def save(folder, data):
    with open(os.path.join(folder, "input"), "wb") as file:
        file.write(data)


def sample(location):
    return message(2, message(1, varint(location)) + message(2, varint(1)))


def mappings(n, folder):
    """Code without names, each of another mapping of one file with a long name."""
    out = head(b"x" * (10 * n))
    out += b"".join(message(3, number(1, i + 1) + number(5, 3)) for i in range(n))
    out += b"".join(message(4, number(1, i + 1) + number(2, i + 1)) for i in range(n))
    save(folder, out + b"".join(sample(i + 1) for i in range(n)))


def types(n, folder):
    """Types of values that all have one long name."""
    out = head(b"x" * (4 * n)) + message(1, number(1, 3) + number(2, 2)) * n
    save(folder, out + message(4, number(1, 1)) + sample(1))


def unit(n, folder):
    """A long unit of as many functions as a picture shows."""
    functions = range(1, 1001)
    out = head(b"x" * n, 3) + b"".join(message(6, b"f%d" % i) for i in functions)
    out += b"".join(message(5, number(1, i) + number(2, 3 + i)) for i in functions)
    out += b"".join(message(4, number(1, i) + message(4, number(1, i))) for i in functions)
    save(folder, out + b"".join(sample(i) for i in functions))


def speed_units(n, folder):
    """Profiles of speedscope that are left out, as the first one has a long unit."""
    one = '{"type":"sampled","name":"p","unit":"%s","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}'
    write(
        folder,
        "input",
        '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},'
        + '"profiles":[' + one % ("x" * 10 * n) + ("," + one % "y") * n + "]}",
    )
