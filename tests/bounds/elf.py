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


def write(path, sections, symbols=None, strings=None, text_bytes=0x1000, headers=None):
    """`sections`: (name, type, flags, bytes), which follow .text; `headers`: (offset, size) of each
    loaded segment, by default one of the text."""
    rows = [("", 0, 0, b""), (".text", 1, 6, b"\xc3" * text_bytes)] + list(sections)
    if symbols is not None:
        rows += [(".strtab", 3, 0, bytes(strings.data)), (".symtab", 2, 0, b"".join(symbols))]
    names = Strings()
    rows.append((".shstrtab", 3, 0, None))
    name_at = [names.add(row[0]) for row in rows]
    rows[-1] = (".shstrtab", 3, 0, bytes(names.data))
    headers = headers or [(TEXT, text_bytes)]
    segments = b"".join(
        struct.pack("<IIQQQQQQ", 1, 5, at, at, at, size, size, 0x1000) for at, size in headers
    )
    body = bytearray()
    table = bytearray()
    behind = max(TEXT + text_bytes, TEXT)
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
    table_at = behind + len(body)
    segments_at = table_at + len(table)
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9
    head += struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, TEXT, segments_at, table_at, 0, 64, 56, len(headers), 64,
        len(rows), len(rows) - 1,
    )
    with open(path, "wb") as file:
        file.write(head + b"\0" * (TEXT - len(head)) + text + body + table + segments)
