"""Writes ELF files (x86-64): sections as given, symbols, one loaded segment or many."""
import struct

TEXT = 0x1000  # where the code is, in the file and in memory
FUNC, NOTYPE = 2, 0
HIDDEN = 2


def symbol(name, value, size, kind=FUNC, binding=1, other=0, section=1):
    return struct.pack("<IBBHQQ", name, binding << 4 | kind, other, section, value, size)


class Strings:
    def __init__(self):
        self.data = bytearray(b"\0")

    def add(self, text):
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at


def write(path, sections, symbols=None, strings=None, text_bytes=0x1000, headers=None, repeat=0):
    """`sections`: (name, type, flags, bytes), which follow .text; `headers`: (offset, size) of each
    loaded segment, by default one of the text; or None for a note of all of the first section.
    `repeat`: so many more headers of the last section, each with the rest of the name before."""
    rows = [("", 0, 0, b""), (".text", 1, 6, b"\xc3" * text_bytes)] + list(sections)
    repeated = len(rows) - 1
    if symbols is not None:
        rows += [(".strtab", 3, 0, bytes(strings.data)), (".symtab", 2, 0, b"".join(symbols))]
    names = Strings()
    rows.append((".shstrtab", 3, 0, None))
    name_at = [names.add(row[0]) for row in rows]
    rows[-1] = (".shstrtab", 3, 0, bytes(names.data))
    headers = headers or [(TEXT, text_bytes)]
    body = bytearray()
    table = bytearray()
    behind = TEXT + text_bytes
    note = (behind, len(rows[2][3]))
    segments = b"".join(
        struct.pack("<IIQQQQQQ", 1 if row else 4, 5, at, at, at, size, size, 4)
        for row in headers
        for at, size in [row or note]
    )
    for number, (name, kind, flags, data) in enumerate(rows):
        at = TEXT if name == ".text" else behind + len(body)
        link = len(rows) - 3 if name == ".symtab" else 0
        size = 24 if name == ".symtab" else 0
        if name == ".text":
            text = data
        else:
            body += data
        table += struct.pack(
            "<IIQQQQIIQQ", name_at[number], kind, flags, at if flags & 2 else 0,
            at if number else 0, len(data), link, 0, 1, size,
        )
        if number == repeated:
            last = table[-64:]
    for i in range(repeat):
        table += struct.pack("<I", struct.unpack("<I", last[:4])[0] + 1 + i) + last[4:]
    table_at = behind + len(body)
    segments_at = table_at + len(table)
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9
    head += struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, TEXT, segments_at, table_at, 0, 64, 56, len(headers), 64,
        len(rows) + repeat, len(rows) - 1,
    )
    with open(path, "wb") as file:
        file.write(head + b"\0" * (TEXT - len(head)) + text + body + table + segments)
