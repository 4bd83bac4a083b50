"""Programs whose tables of how to unwind are the worst: DWARF's call frame information."""
import os
import struct

import elf
import perfdata
from binaries import uleb

BASE = 0x10000000
ADVANCE, REMEMBER, RESTORE, CFA_OFFSET, CFA_EXPRESSION = 0x40, 0x0A, 0x0B, 0x0E, 0x0F


def entry(body):
    body += b"\0" * (-(len(body) + 4) % 8)
    return struct.pack("<I", len(body)) + body


# The caller's address is above the 8 bytes that the stack pointer is at.
COMMON = entry(
    struct.pack("<IB", 0, 1) + b"zR\0" + b"\x01\x78\x10" + b"\x01\x1b" + b"\x0c\x07\x08" + b"\x90\x01"
)


def write(folder, ranges, text_bytes, addresses):
    """`ranges`: (start in the code, bytes, instructions); a stack at each of the addresses."""
    at = elf.TEXT + text_bytes  # where the section is
    frames = bytearray(COMMON)
    for start, size, instructions in ranges:
        here = len(frames) + 4
        place = at + here + 4
        frames += entry(
            struct.pack("<Iii", here, elf.TEXT + start - place, size) + b"\0" + instructions
        )
    path = os.path.join(folder, "program")
    elf.write(path, [(".eh_frame", 1, 2, bytes(frames) + b"\0" * 8)], text_bytes=text_bytes)
    records = perfdata.Records()
    records.map(1, BASE, text_bytes, path, elf.TEXT)
    for address in addresses:
        records.copy(1, BASE + address)
    perfdata.write(os.path.join(folder, "input"), records.bytes(), copies=True)


def rows(n, folder):
    """One function in which each byte has its own row."""
    one = b"".join(bytes([ADVANCE | 1, CFA_OFFSET]) + uleb(8 + i % 8) for i in range(n))
    write(folder, [(0, n + 1, one)], n + 1, range(n))


def states(n, folder):
    """States within states."""
    one = bytes([ADVANCE | 1, REMEMBER]) * n + bytes([ADVANCE | 1, RESTORE]) * n
    write(folder, [(0, 2 * n + 1, one)], 2 * n + 1, range(2 * n))


def functions(n, folder):
    """Functions within functions."""
    write(folder, [(i, 2 * (n - i), b"") for i in range(n)], 2 * n, range(2 * n))


def expressions(n, folder):
    """A long computation at each of the places."""
    one = bytes([CFA_EXPRESSION]) + uleb(2 + 2 * n) + b"\x77\x08" + b"\x12\x13" * n
    write(folder, [(0, n + 1, one)], n + 1, range(n))
