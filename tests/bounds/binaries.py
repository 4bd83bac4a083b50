"""perf.data files and the ELF files they name that are the worst for their readers."""
import os
import struct
import zlib

import elf
import perfdata

BASE = 0x400000


def uleb(value):
    out = bytearray()
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def write_samples(folder, program, addresses):
    """perf.data of samples at these offsets of the program's code."""
    records = perfdata.Records()
    records.map(1, BASE, 1 << 24, program, elf.TEXT)
    for address in addresses:
        records.sample(1, BASE + address)
    perfdata.write(os.path.join(folder, "input"), records.bytes())


def nested_functions(n, folder):
    """Functions within functions, 100 deep, each with a call that was inlined into it: of itself."""
    depth = 100
    code = max(n // depth, 1) * depth * 16
    # A unit of C++; a function; an inlined call.
    abbrev = (
        b"\x01\x11\x01\x13\x05\x11\x01\x12\x07\0\0"
        b"\x02\x2e\x01\x03\x08\x11\x01\x12\x07\0\0"
        b"\x03\x1d\x00\x31\x13\x11\x01\x12\x07\0\0\0"
    )
    entries = bytearray(b"\x01" + struct.pack("<HQQ", 4, elf.TEXT, code))
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0)]
    for number in range(code // 16):
        address = elf.TEXT + 16 * number
        name = f"f{number}"
        at = 11 + len(entries)
        entries += b"\x02" + name.encode() + b"\0" + struct.pack("<QQ", address, 16)
        entries += b"\x03" + struct.pack("<IQQ", at, address, 16)
        symbols.append(elf.symbol(strings.add(name), address, 16))
        if number % depth == depth - 1:
            entries += b"\0" * depth
    entries += b"\0"
    info = struct.pack("<HIB", 4, 0, 8) + entries
    info = struct.pack("<I", len(info)) + info
    program = os.path.join(folder, "program")
    sections = [(".debug_info", 1, 0, info), (".debug_abbrev", 1, 0, abbrev)]
    elf.write(program, sections, symbols, strings, text_bytes=code)
    write_samples(folder, program, range(0, code, 16))


def write_records(folder, records, **how):
    perfdata.write(os.path.join(folder, "input"), records.bytes(), **how)


def forks(n, folder):
    """Children of a process with many maps, each of which maps one more."""
    records = perfdata.Records()
    for i in range(n):
        records.map(1, BASE + 0x2000 * i, 0x1000, "/nowhere/a")
    for i in range(n):
        records.fork(2 + i, 1)
        records.map(2 + i, BASE + 0x1000, 0x1000, "/nowhere/b")
        records.sample(2 + i, BASE)
    write_records(folder, records)


def changes(n, folder):
    """A process with many maps, unwound once after each change of them."""
    records = perfdata.Records()
    for i in range(n):
        records.map(1, BASE + 0x2000 * i, 0x1000, "/nowhere/a")
    for i in range(n):
        records.map(1, BASE + 0x2000 * i + 0x1000, 0x1000, "/nowhere/a")
        records.copy(1, BASE)
    write_records(folder, records, copies=True)


def descending(n, folder):
    """Maps each ahead of those before."""
    records = perfdata.Records()
    for i in range(n, 0, -1):
        records.map(1, BASE + 0x1000 * i, 0x1000, "/nowhere/a")
    records.sample(1, BASE)
    write_records(folder, records)


def kernel_modules(n, folder):
    """A sample in each of many kernel modules."""
    records = perfdata.Records()
    start = 0xFFFFFFFFC0000000
    for i in range(n):
        records.map(0xFFFFFFFF, start + 0x1000 * i, 0x1000, f"[m{i}]", misc=1)
    for i in range(n):
        records.sample(1, start + 0x1000 * i, misc=1)
    write_records(folder, records)


def processes(n, folder):
    """Many processes with a mapping that may be a JIT's."""
    records = perfdata.Records()
    for pid in range(1, n + 1):
        records.map(pid, BASE, 0x1000, "//anon")
    for pid in range(1, n + 1):
        records.sample(pid, BASE)
    write_records(folder, records)
