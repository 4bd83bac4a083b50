"""Writes perf.data files: records with their time, samples of an address or of a call chain.

Source of the layouts: perf_event_open(2) and tools/perf/Documentation/perf.data-file-format.txt.
"""
import struct

MMAP, COMM, EXIT, FORK, SAMPLE = 1, 3, 4, 7, 9
COMPRESSED = 81
SAMPLE_TYPE = 1 | 2 | 4  # address, ids, time
REGS_USER, STACK_USER = 1 << 12, 1 << 13
REGS = 1 << 6 | 1 << 7 | 1 << 8  # bp, sp and ip of x86
SAMPLE_ID_ALL = 1 << 18
FEATURE_COMPRESSED = 27


def record(kind, body, misc=2):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


class Records:
    """Records, each a nanosecond after the one before."""

    def __init__(self):
        self.parts = []
        self.time = 0

    def add(self, kind, body, pid, misc=2):
        self.time += 1
        body += b"\0" * (-len(body) % 8)
        self.parts.append(record(kind, body + struct.pack("<IIQ", pid, pid, self.time), misc))

    def map(self, pid, start, size, path, offset=0, misc=2):
        head = struct.pack("<IIQQQ", pid, pid, start, size, offset)
        self.add(MMAP, head + path.encode() + b"\0", pid, misc)

    def fork(self, pid, parent):
        self.time += 1
        body = struct.pack("<IIIIQ", pid, parent, pid, parent, self.time)
        self.parts.append(record(FORK, body + struct.pack("<IIQ", pid, pid, self.time)))

    def exit(self, pid):
        self.time += 1
        body = struct.pack("<IIIIQ", pid, pid, pid, pid, self.time)
        self.parts.append(record(EXIT, body + struct.pack("<IIQ", pid, pid, self.time)))

    def sample(self, pid, address, misc=2):
        self.time += 1
        self.parts.append(record(SAMPLE, struct.pack("<QIIQ", address, pid, pid, self.time), misc))

    def copy(self, pid, address):
        """A sample with registers and a copy of the stack of 16 bytes."""
        self.time += 1
        body = struct.pack("<QIIQ", address, pid, pid, self.time)
        body += struct.pack("<QQQQ", 2, 0, 0x7FFF0000, address)
        body += struct.pack("<QQQQ", 16, address, 0, 16)
        self.parts.append(record(SAMPLE, body))

    def bytes(self):
        return b"".join(self.parts)


def write(path, data, compressed=False, copies=False):
    """A file with these records; `compressed`: they hold compressed ones (PERF_RECORD_COMPRESSED);
    `copies`: all samples are copies."""
    samples = SAMPLE_TYPE | (REGS_USER | STACK_USER if copies else 0)
    write_as(path, data, samples, compressed, copies)


def write_as(path, data, samples, compressed=False, copies=False):
    """The same of samples of this type."""
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000003, samples, 0, SAMPLE_ID_ALL)
    attr += b"\0" * (80 - len(attr)) + struct.pack("<QI", REGS if copies else 0, 16 if copies else 0)
    attr += b"\0" * (128 - len(attr))
    at = 104 + len(attr) + 16
    flags = 1 << FEATURE_COMPRESSED if compressed else 0
    with open(path, "wb") as file:
        file.write(b"PERFILE2" + struct.pack("<QQ", 104, len(attr) + 16))
        file.write(struct.pack("<QQ", 104, len(attr) + 16))
        file.write(struct.pack("<QQ", at, len(data)) + struct.pack("<QQ", 0, 0))
        file.write(struct.pack("<QQQQ", flags, 0, 0, 0))
        file.write(attr + struct.pack("<QQ", 0, 0) + data)
        if compressed:
            body = struct.pack("<IIIII", 1, 1, 1, 1, 1 << 20)
            file.write(struct.pack("<QQ", at + len(data) + 16, len(body)) + body)
