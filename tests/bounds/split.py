"""A program whose debug information is in a package of .dwo files. Source: DWARF 5, section 7.3.5."""
import os
import struct

import elf
from binaries import uleb, write_samples

UNIT_ID = 0x1122334455667788
# For DW_SECT: the columns of an index.
INFO, ABBREV, RNGLISTS = 1, 3, 8


def sized(data):
    return struct.pack("<I", len(data)) + data


def index(sections):
    """Of one unit, which has all of each section."""
    slot = UNIT_ID & 1
    ids, rows = [0, 0], [0, 0]
    ids[slot], rows[slot] = UNIT_ID, 1
    count = len(sections)
    out = struct.pack("<HHIII", 5, 0, count, 1, 2) + struct.pack("<QQII", *ids, *rows)
    out += struct.pack(f"<{count}I", *sections) + bytes(4 * count)
    return out + struct.pack(f"<{count}I", *map(len, sections.values()))


def package(n, folder):
    """Units of one id, and so of the same entries, which have a long list of ranges."""
    code = n + 16
    abbrev = b"\x01\x4a\0\x11\x01\x12\x07\x76\x08\0\0\0"
    skeleton = struct.pack("<HBBIQ", 5, 4, 8, 0, UNIT_ID) + b"\x01"
    info = b"".join(
        sized(skeleton + struct.pack("<QQ", elf.TEXT + i, 1) + b"x\0") for i in range(n)
    )
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("f"), elf.TEXT, code)]
    program = os.path.join(folder, "program")
    elf.write(
        program, [(".debug_info", 1, 0, info), (".debug_abbrev", 1, 0, abbrev)], symbols, strings,
        text_bytes=code,
    )
    entries = b"\x01\x02g\0" + struct.pack("<QQ", elf.TEXT, code)
    entries += b"\x03" + struct.pack("<I", 21) + b"\0\0\0"
    ranges = b"".join(b"\x04" + uleb(i % 100) + uleb(i % 100 + 1) for i in range(12 * n))
    sections = {
        INFO: sized(struct.pack("<HBBIQ", 5, 5, 8, 0, UNIT_ID) + entries),
        ABBREV: b"\x01\x11\x01\0\0\x02\x2e\x01\x03\x08\x11\x01\x12\x07\0\0\x03\x1d\0\x31\x13\x55\x23\0\0\0",
        RNGLISTS: sized(struct.pack("<HBBII", 5, 8, 0, 1, 4) + ranges + b"\0"),
    }
    names = {INFO: ".debug_info.dwo", ABBREV: ".debug_abbrev.dwo", RNGLISTS: ".debug_rnglists.dwo"}
    elf.write(
        program + ".dwp",
        [(names[key], 1, 0, data) for key, data in sections.items()]
        + [(".debug_cu_index", 1, 0, index(sections))],
    )
    write_samples(folder, program, range(n))


def same_file(n, folder):
    """Units that all name one large .dwo file, which has the entries of each."""
    package(n, folder)
    with open(os.path.join(folder, "program.dwp"), "rb") as file:
        entries = file.read()
    os.remove(os.path.join(folder, "program.dwp"))
    with open(os.path.join(folder, "x"), "wb") as file:
        file.write(entries + bytes(4 << 20))
