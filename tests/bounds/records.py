"""perf.data files, perf maps and jitdumps that are the worst for their readers."""
import os
import struct

import elf
import perfdata
from binaries import BASE, uleb, write_records, write_samples

ATTR_RECORD = 64
ROOTS = 0x7F0000000000


def attr(sample_type, identifier=0):
    head = struct.pack("<IIQQQQQ", 1, 128, 0, 1000003, sample_type, 0, perfdata.SAMPLE_ID_ALL)
    return head + b"\0" * (128 - len(head))


def pipe_events(n, folder):
    """A pipe whose events come one by one between samples."""
    kind = perfdata.SAMPLE_TYPE | 1 << 16
    with open(os.path.join(folder, "input"), "wb") as file:
        file.write(b"PERFILE2" + struct.pack("<Q", 16))
        for i in range(n):
            file.write(perfdata.record(ATTR_RECORD, attr(kind) + struct.pack("<Q", i + 1), 0))
            body = struct.pack("<QQIIQ", i + 1, BASE, 1, 1, i + 1)
            file.write(perfdata.record(perfdata.SAMPLE, body))


def events(n, folder):
    """Many events, each with an id."""
    kind = perfdata.SAMPLE_TYPE | 1 << 16
    data = b"".join(
        perfdata.record(perfdata.SAMPLE, struct.pack("<QQIIQ", i + 1, BASE, 1, 1, i + 1))
        for i in range(n)
    )
    attrs = b"".join(attr(kind) + struct.pack("<QQ", 104 + i * 8, 8) for i in range(n))
    ids = b"".join(struct.pack("<Q", i + 1) for i in range(n))
    with open(os.path.join(folder, "input"), "wb") as file:
        file.write(b"PERFILE2" + struct.pack("<QQ", 104, 144))
        file.write(struct.pack("<QQ", 104 + len(ids), len(attrs)))
        file.write(struct.pack("<QQ", 104 + len(ids) + len(attrs), len(data)))
        file.write(b"\0" * (104 - 56) + ids + attrs + data)


def comms(n, folder):
    """A process that is renamed again and again, with a sample after each."""
    records = perfdata.Records()
    records.map(1, BASE, 0x1000, "/nowhere/a")
    for i in range(n):
        records.add(3, struct.pack("<II", 1, 1) + b"c%d\0" % i, 1)
        records.sample(1, BASE)
    write_records(folder, records)


def threads(n, folder):
    """Samples each of another thread of one process."""
    data = b"".join(
        perfdata.record(perfdata.SAMPLE, struct.pack("<QIIQ", BASE, 1, i + 1, 1000 * i + 1))
        for i in range(n)
    )
    perfdata.write(os.path.join(folder, "input"), data)


def chains(n, folder):
    """Samples whose call chains differ at the root: a node each frame."""
    records = bytearray()
    frames = 2000
    for i in range(max(1, n // frames)):
        ips = [BASE + 4 * k for k in range(frames)] + [ROOTS + 0x1000 * i]
        body = struct.pack("<QIIQQ", BASE, 1, 1, (1 << 40) + i, len(ips))
        body += struct.pack(f"<{len(ips)}Q", *ips)
        records += perfdata.record(perfdata.SAMPLE, body)
    write_chains(folder, bytes(records), n // frames)


def write_chains(folder, data, roots=0, path="/nowhere/a", size=1 << 24):
    """`roots`: code from which chains may come, each in its own file."""
    records = perfdata.Records()
    records.map(1, BASE, size, path, elf.TEXT)
    for i in range(roots):
        records.map(1, ROOTS + 0x1000 * i, 0x1000, f"/nowhere/{i}")
    perfdata.write_as(
        os.path.join(folder, "input"), records.bytes() + data, perfdata.SAMPLE_TYPE | 1 << 5
    )


def one_chain(n, folder):
    """Long chains of one address, to the limit of a record: recursion."""
    data = bytearray()
    for i in range(max(1, n // 8000)):
        body = struct.pack("<QIIQQ", BASE, 1, 1, (1 << 40) + i, 8000) + struct.pack("<Q", BASE) * 8000
        data += perfdata.record(perfdata.SAMPLE, body)
    write_chains(folder, bytes(data))


def kernel_symbols(n, folder):
    """Code of the kernel that comes and goes, each over the one before."""
    records = perfdata.Records()
    start = 0xFFFFFFFFC0000000
    for i in range(n):
        body = struct.pack("<QIHH", start + i, 0x10000, 1, 0) + b"bpf_prog_%d\0" % i
        records.add(17, body, 0)
    for i in range(n):
        records.sample(1, start + i, misc=1)
    write_records(folder, records)


def build_ids(n, folder):
    """One path with a new build-id at each mapping of it."""
    records = perfdata.Records()
    for i in range(n):
        head = struct.pack("<IIQQQ", 1, 1, BASE + 0x1000 * i, 0x1000, 0)
        body = head + struct.pack("<BBH20sII", 20, 0, 0, b"%020d" % i, 5, 2) + b"/bin/true\0"
        records.add(10, body, 1, misc=2 | 1 << 14)
    for i in range(n):
        records.sample(1, BASE + 0x1000 * i)
    write_records(folder, records)


def paths(n, folder):
    """As many files as mappings, none of which is there."""
    records = perfdata.Records()
    for i in range(n):
        records.map(1, BASE + 0x1000 * i, 0x1000, f"/nowhere/{i}")
    for i in range(n):
        records.sample(1, BASE + 0x1000 * i)
    write_records(folder, records)


def same_range(n, folder):
    """All mappings are of one place."""
    records = perfdata.Records()
    for i in range(n):
        records.map(1, BASE, 0x1000, f"/nowhere/{i % 7}")
        records.sample(1, BASE + i % 4096)
    write_records(folder, records)


def fork_chain(n, folder):
    """Each process forks the next."""
    records = perfdata.Records()
    records.map(1, BASE, 0x1000, "/nowhere/a")
    for i in range(1, n + 1):
        records.fork(i + 1, i)
        records.sample(i + 1, BASE)
    write_records(folder, records)


def jitdump(n, folder):
    """Code that is loaded over code: each piece within the one before, and moved."""
    path = os.path.join(folder, "jit-1.dump")
    out = bytearray(struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0))
    for i in range(n):
        body = struct.pack("<IIQQQQ", 1, 1, BASE + i, BASE + i, 4 * n - 2 * i, i)
        body += b"f%d\0" % i
        out += struct.pack("<IIQ", 0, 16 + len(body), i) + body
    for i in range(n):
        body = struct.pack("<IIQQQQQ", 1, 1, BASE, BASE + i, BASE + 5 * n + i, 2 * n, i)
        out += struct.pack("<IIQ", 1, 16 + len(body), n + i) + body
    with open(path, "wb") as file:
        file.write(out)
    records = perfdata.Records()
    records.map(1, BASE + (1 << 30), 0x1000, path)
    records.map(1, BASE, 1 << 24, "//anon")
    for i in range(n):
        records.sample(1, BASE + i)
        records.sample(1, BASE + 5 * n + i)
    write_records(folder, records)


def jit_name(n, folder):
    """Code with a long name, and samples all over it."""
    path = os.path.join(folder, "jit-1.dump")
    body = struct.pack("<IIQQQQ", 1, 1, BASE, BASE, 1 << 24, 1) + b"x" * (50 * n) + b"\0"
    with open(path, "wb") as file:
        file.write(struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0))
        file.write(struct.pack("<IIQ", 0, 16 + len(body), 1) + body)
    records = perfdata.Records()
    records.map(1, BASE + (1 << 30), 0x1000, path)
    records.map(1, BASE, 1 << 24, "//anon")
    for i in range(n):
        records.sample(1, BASE + 16 * i)
    write_records(folder, records)


def inlined_program(folder, depth, code):
    """A program of one function, `f`, within which as many calls of it were inlined; its path."""
    abbrev = (
        b"\x01\x11\x01\x13\x05\x11\x01\x12\x07\0\0"
        b"\x02\x2e\x01\x03\x08\x11\x01\x12\x07\0\0"
        b"\x03\x1d\x01\x31\x13\x11\x01\x12\x07\0\0\0"
    )
    entries = bytearray(b"\x01" + struct.pack("<HQQ", 4, elf.TEXT, code))
    at = 11 + len(entries)
    entries += b"\x02f\0" + struct.pack("<QQ", elf.TEXT, code)
    for _ in range(depth):
        entries += b"\x03" + struct.pack("<IQQ", at, elf.TEXT, code)
    entries += b"\0" * (depth + 2)
    info = struct.pack("<HIB", 4, 0, 8) + entries
    info = struct.pack("<I", len(info)) + info
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("f"), elf.TEXT, code)]
    program = os.path.join(folder, "program")
    elf.write(
        program, [(".debug_info", 1, 0, info), (".debug_abbrev", 1, 0, abbrev)], symbols, strings,
        text_bytes=code,
    )
    return program


def inlined(n, folder):
    """An address within 60 calls that were inlined, many times in each of many chains."""
    program = inlined_program(folder, 60, 4096)
    data = bytearray()
    for i in range(max(1, n // 2000)):
        ips = [BASE + 16] * 2000 + [ROOTS + 0x1000 * i]
        body = struct.pack("<QIIQQ", BASE, 1, 1, (1 << 40) + i, len(ips))
        data += perfdata.record(perfdata.SAMPLE, body + struct.pack(f"<{len(ips)}Q", *ips))
    write_chains(folder, bytes(data), n // 2000 + 1, program, 4096)


def inlined_again(n, folder):
    """The same in chains that are as long as may be, and all alike."""
    program = inlined_program(folder, 60, 4096)
    data = bytearray()
    for i in range(max(1, n // 8000)):
        body = struct.pack("<QIIQQ", BASE, 1, 1, (1 << 40) + i, 8000)
        body += struct.pack("<8000Q", *[BASE + 16 + k % 50 for k in range(8000)])
        data += perfdata.record(perfdata.SAMPLE, body)
    write_chains(folder, bytes(data), 0, program, 4096)


def rows(n, folder):
    """A function with a line for each byte, and a sample at each."""
    abbrev = b"\x01\x11\x01\x10\x17\x11\x01\x12\x07\0\0\0"
    unit = struct.pack("<HIB", 4, 0, 8) + b"\x01" + struct.pack("<IQQ", 0, elf.TEXT, n)
    # A separate opcode for "a byte and a line on".
    head = struct.pack("<BBBBBB", 1, 1, 1, 0xFB, 14, 13) + b"\0\1\1\1\1\0\0\0\1\0\0\1"
    head += b"\0" + b"a.c\0\0\0\0\0"
    lines = struct.pack("<HI", 4, len(head)) + head
    lines += b"\0\x09\x02" + struct.pack("<Q", elf.TEXT) + bytes([13 + 14 + 6]) * n + b"\0\1\1"
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("f"), elf.TEXT, n)]
    program = os.path.join(folder, "program")
    sections = [
        (".debug_info", 1, 0, struct.pack("<I", len(unit)) + unit),
        (".debug_abbrev", 1, 0, abbrev),
        (".debug_line", 1, 0, struct.pack("<I", len(lines)) + lines),
    ]
    elf.write(program, sections, symbols, strings, text_bytes=n)
    records = perfdata.Records()
    records.map(1, BASE, 1 << 24, program, elf.TEXT)
    for i in range(n):
        records.sample(1, BASE + i)
    write_records(folder, records)


def debug_names(n, folder):
    """Inlined functions whose names are the ends of one long text."""
    code = 16 * n
    abbrev = (
        b"\x01\x11\x01\x13\x05\x11\x01\x12\x07\0\0"
        b"\x02\x2e\x00\x03\x0e\0\0"
        b"\x03\x2e\x01\x03\x08\x11\x01\x12\x07\0\0"
        b"\x04\x1d\x00\x31\x13\x11\x01\x12\x07\0\0\0"
    )
    text = b"x" * max(20 * n, 100) + b"\0"
    entries = bytearray(b"\x01" + struct.pack("<HQQ", 4, elf.TEXT, code))
    origins = []
    for i in range(n):
        origins.append(11 + len(entries))
        entries += b"\x02" + struct.pack("<I", len(text) - 1 - min(60000 - i % 1000, 20 * n) + i % 7)
    entries += b"\x03f\0" + struct.pack("<QQ", elf.TEXT, code)
    for i in range(n):
        entries += b"\x04" + struct.pack("<IQQ", origins[i], elf.TEXT + 16 * i, 16)
    entries += b"\0\0"
    info = struct.pack("<HIB", 4, 0, 8) + entries
    info = struct.pack("<I", len(info)) + info
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("f"), elf.TEXT, code)]
    program = os.path.join(folder, "program")
    sections = [(".debug_info", 1, 0, info), (".debug_abbrev", 1, 0, abbrev), (".debug_str", 1, 0, text)]
    elf.write(program, sections, symbols, strings, text_bytes=code)
    records = perfdata.Records()
    records.map(1, BASE, 1 << 24, program, elf.TEXT)
    for i in range(n):
        records.sample(1, BASE + 16 * i)
    write_records(folder, records)


def abbreviations(n, folder):
    """Units that share a long table of abbreviations; the last of it is that of their roots."""
    table = b"".join(uleb(i + 2) + b"\x2e\0\x03\x08\0\0" for i in range(n))
    table += b"\x01\x11\0\x11\x01\x12\x07\0\0\0"
    info = bytearray()
    for i in range(n):
        unit = struct.pack("<HIB", 4, 0, 8) + b"\x01" + struct.pack("<QQ", elf.TEXT + i % 4096, 1)
        info += struct.pack("<I", len(unit)) + unit
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("f"), elf.TEXT, 4096)]
    program = os.path.join(folder, "program")
    elf.write(
        program, [(".debug_info", 1, 0, bytes(info)), (".debug_abbrev", 1, 0, table)], symbols,
        strings, text_bytes=4096,
    )
    write_samples(folder, program, range(4096))


def range_lists(n, folder):
    """Calls that were inlined, all with the same long list of ranges, of a few bytes each."""
    code = 4096
    abbrev = (
        b"\x01\x11\x01\x11\x01\x12\x07\x74\x17\0\0"
        b"\x02\x2e\x01\x03\x08\x11\x01\x12\x07\0\0"
        b"\x03\x1d\0\x31\x13\x55\x23\0\0\0"
    )
    entries = bytearray(b"\x01" + struct.pack("<QQI", elf.TEXT, code, 12))
    at = 12 + len(entries)
    entries += b"\x02f\0" + struct.pack("<QQ", elf.TEXT, code)
    entries += (b"\x03" + struct.pack("<I", at) + b"\0") * n + b"\0\0"
    info = struct.pack("<HBBI", 5, 1, 8, 0) + bytes(entries)
    ranges = b"".join(b"\x04" + uleb(2 * i % code) + uleb(2 * i % code + 1) for i in range(n))
    lists = struct.pack("<HBBII", 5, 8, 0, 1, 4) + ranges + b"\0"
    strings = elf.Strings()
    symbols = [elf.symbol(0, 0, 0), elf.symbol(strings.add("f"), elf.TEXT, code)]
    program = os.path.join(folder, "program")
    sections = [
        (".debug_info", 1, 0, struct.pack("<I", len(info)) + info),
        (".debug_abbrev", 1, 0, abbrev),
        (".debug_rnglists", 1, 0, struct.pack("<I", len(lists)) + lists),
    ]
    elf.write(program, sections, symbols, strings, text_bytes=code)
    write_samples(folder, program, range(code))
